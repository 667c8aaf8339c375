package schema

import (
	"regexp"
	"strings"
	"testing"
)

// Expressions that generators write and package regexp does not know.
func TestLookahead(t *testing.T) {
	const (
		email    = `^(?!\.)(?!.*\.\.)([A-Za-z0-9_'+\-\.]*)[A-Za-z0-9_+-]@([A-Za-z0-9][A-Za-z0-9\-]*\.)+[A-Za-z]{2,}$`
		duration = `^P(?:(\d+W)|(?!.*W)(?=\d|T\d)(\d+Y)?(\d+M)?(\d+D)?(T(?=\d)(\d+H)?(\d+M)?(\d+([.,]\d+)?S)?)?)$`
		hostname = `^(?=.{1,253}\.?$)[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[-0-9a-zA-Z]{0,61}[0-9a-zA-Z])?)*\.?$`
		password = `^(?=.*[A-Z])(?=.*\d)(?!.*\s).{8,}$`
	)
	for _, test := range []struct {
		pattern string
		yes, no []string
	}{
		{email, []string{"a@example.com", "a.b+c@x.example.org"}, []string{".a@example.com", "a..b@example.com", "a@example", "@example.com", ""}},
		{duration, []string{"P3D", "P1Y2M", "PT5M", "P2W", "PT0.5S"}, []string{"P", "PT", "P1W2D", "5M"}},
		{hostname, []string{"example.com", "localhost"}, []string{strings.Repeat("a.", 130), "-a.com", ""}},
		{password, []string{"Abcdefg1"}, []string{"abcdefg1", "Abcdefgh", "Abc defg1", "Ab1"}},
		{`a(?!b)`, []string{"ac", "a", "abac"}, []string{"ab", "abab", ""}},
		{`(?:(?=[ab])[a-z])+$`, []string{"ab", "xab"}, []string{"abc", ""}},
		{`(?=(?=a)a(?!c))ab`, []string{"ab"}, []string{"ac", "b"}},
		{`(?!(?!a))a`, []string{"a"}, []string{"b"}},
		{`^(?=x)?y`, []string{"y"}, []string{"xy"}},
		{`\bfoo\b(?! bar)`, []string{"foo", "foo baz", "foo bar foo"}, []string{"foo bar", "food"}},
		{`^\u0041[^]\x42$`, []string{"A\nB"}, []string{"AB"}},
		{`^[\u{1F600}[a]$`, []string{"😀", "[", "a"}, []string{"b"}},
		{`^(?=\u00e9)é(?=日)`, []string{"é日"}, []string{"é", "日"}},
		{`(?=a)`, []string{"xa"}, []string{"x", ""}},
	} {
		p, err := newPatterns().compile(test.pattern)
		if err != nil {
			t.Errorf("%s: %v", test.pattern, err)
			continue
		}
		for _, s := range test.yes {
			if !p.MatchString(s) {
				t.Errorf("%s does not match %q", test.pattern, s)
			}
		}
		for _, s := range test.no {
			if p.MatchString(s) {
				t.Errorf("%s matches %q", test.pattern, s)
			}
		}
		if p.String() != test.pattern {
			t.Errorf("%s calls itself %s", test.pattern, p)
		}
	}
}

func TestPatternsThatAreNotSupported(t *testing.T) {
	for _, text := range []string{
		`(?<!a)b`, `(?=a`, `(?=[a)`, `(?=a)\`, `(?=\u12)`, `(?=\u{12)`, `(?=\u{110000})`, `(?=\uD83D)`, `(?=\u{F0000})`, "(?=\U000F0001)",
		"(?=[\U000F0001])", `(?=(a)\1)`, `(?=a))`, `(?=a{2000})`, strings.Repeat("(?=", 300) + strings.Repeat(")", 300),
	} {
		if _, err := newPatterns().compile(text); err == nil {
			t.Errorf("%q was compiled", text)
		}
	}
}

// The matcher for look-ahead agrees with package regexp wherever that can say
// something: on expressions without look-ahead, and on those that only look
// ahead at what they then take.
func FuzzLookahead(f *testing.F) {
	for _, seed := range []string{`a|b*`, `^(a|ab)(c|bcd)$`, `[^a-c]+\b\d`, `(?i)x{2,3}?`, `()*`, `(a*)*b`, `.\B$`} {
		f.Add(seed, "abcd xx1")
	}
	f.Fuzz(func(t *testing.T, text, s string) {
		re, err := regexp.Compile(text)
		if err != nil || len(text) > 200 || len(s) > 200 || strings.Contains(text, `\`) {
			return // escapes mean other things to ECMAScript
		}
		for _, form := range []string{text, "(?=" + text + ")"} {
			ahead, _, err := newPatterns().compileAhead(form)
			if err != nil {
				continue
			}
			if got, want := ahead.match(s), re.MatchString(s); got != want {
				t.Errorf("%q on %q: %v, package regexp says %v", form, s, got, want)
			}
		}
	})
}
