package wire_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-code-mode/mcp-code-mode/sandbox/wire"
)

func TestDecodeKeepsValuesExactly(t *testing.T) {
	for _, test := range []struct {
		in   string
		want any
	}{
		{`null`, nil},
		{` true `, true},
		{`false`, false},
		{`""`, ""},
		{`"a\"\\\/\b\f\n\r\té\u00e9\u20ac\ud83d\ude00\u0000"`, "a\"\\/\b\f\n\r\téé€😀\x00"},
		{"\"\u2028\x7f\"", "\u2028\x7f"},
		{`0`, json.Number("0")},
		{`-0`, json.Number("-0")},
		{`123456789012345678901234567890`, json.Number("123456789012345678901234567890")},
		{`0.1000`, json.Number("0.1000")},
		{`-1.5E+1000`, json.Number("-1.5E+1000")},
		{`1e-0999`, json.Number("1e-0999")},
		{`[]`, []any{}},
		{"[ 1 ,\t\"a\",\r\n[ ] ]", []any{json.Number("1"), "a", []any{}}},
		{`{}`, map[string]any{}},
		{`{"a":{"b":[null]},"A":1,"":2}`, map[string]any{"a": map[string]any{"b": []any{nil}}, "A": json.Number("1"), "": json.Number("2")}},
	} {
		got, err := wire.Decode([]byte(test.in), wire.DecodeLimits{})
		if err != nil {
			t.Errorf("Decode(%s): %v", test.in, err)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("Decode(%s) (-want +got):\n%s", test.in, diff)
		}
	}
}

func TestDecodeRefusesWhatIsNotStrictJSON(t *testing.T) {
	nested := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	for _, test := range []struct {
		in      string
		problem wire.Problem
		offset  int
		path    string
	}{
		{``, wire.ProblemTruncated, 0, ""},
		{` `, wire.ProblemTruncated, 1, ""},
		{`nul`, wire.ProblemTruncated, 3, ""},
		{`nulL`, wire.ProblemSyntax, 3, ""},
		{`True`, wire.ProblemSyntax, 0, ""},
		{`NaN`, wire.ProblemSyntax, 0, ""},
		{`[Infinity]`, wire.ProblemSyntax, 1, "/0"},
		{`1 2`, wire.ProblemTrailing, 2, ""},
		{`{}}`, wire.ProblemTrailing, 2, ""},
		{`01`, wire.ProblemTrailing, 1, ""},
		{`-`, wire.ProblemTruncated, 1, ""},
		{`+1`, wire.ProblemSyntax, 0, ""},
		{`.5`, wire.ProblemSyntax, 0, ""},
		{`1.`, wire.ProblemTruncated, 2, ""},
		{`1.e5`, wire.ProblemSyntax, 2, ""},
		{`1e`, wire.ProblemTruncated, 2, ""},
		{`0x10`, wire.ProblemTrailing, 1, ""},
		{`1e1001`, wire.ProblemNumber, 0, ""},
		{`[1e-99999999999999999999]`, wire.ProblemNumber, 1, "/0"},
		{`{"n":` + strings.Repeat("1", wire.MaxNumber+1) + `}`, wire.ProblemNumber, 5, "/n"},
		{`'a'`, wire.ProblemSyntax, 0, ""},
		{`"a`, wire.ProblemTruncated, 2, ""},
		{`"a\`, wire.ProblemTruncated, 3, ""},
		{`"\u12`, wire.ProblemTruncated, 5, ""},
		{`"\u12g4"`, wire.ProblemSyntax, 5, ""},
		{`"\x41"`, wire.ProblemSyntax, 2, ""},
		{"\"a\nb\"", wire.ProblemControl, 2, ""},
		{"\"a\x00\"", wire.ProblemControl, 2, ""},
		{`"\ud800"`, wire.ProblemSurrogate, 1, ""},
		{`["\udc00\ud800"]`, wire.ProblemSurrogate, 2, "/0"},
		{`{"a":"\ud800\u0041"}`, wire.ProblemSurrogate, 6, "/a"},
		{"\"\xff\"", wire.ProblemUTF8, 1, ""},
		{"\"\xed\xa0\x80\"", wire.ProblemUTF8, 1, ""},
		{"\"\xc0\x80\"", wire.ProblemUTF8, 1, ""},
		{"\xef\xbb\xbf{}", wire.ProblemSyntax, 0, ""},
		{`[1,]`, wire.ProblemSyntax, 3, "/1"},
		{`[1 2]`, wire.ProblemSyntax, 3, ""},
		{`[1}`, wire.ProblemSyntax, 2, ""},
		{`[`, wire.ProblemTruncated, 1, "/0"},
		{`{"a":1,}`, wire.ProblemSyntax, 7, ""},
		{`{"a" 1}`, wire.ProblemSyntax, 5, ""},
		{`{a:1}`, wire.ProblemSyntax, 1, ""},
		{`{1:1}`, wire.ProblemSyntax, 1, ""},
		{`{"a":1,"b":2,"a":3}`, wire.ProblemDuplicate, 13, "/a"},
		{`{"x":[{"a":1,"\u0061":3}]}`, wire.ProblemDuplicate, 13, "/x/0/a"},
		{`{"a/b":{"~":[{"c":x}]}}`, wire.ProblemSyntax, 18, "/a~1b/~0/0/c"},
		{nested(65), wire.ProblemDepth, 64, strings.Repeat("/0", 64)},
		{nested(100_000), wire.ProblemDepth, 64, strings.Repeat("/0", 64)},
		{`[` + strings.Repeat("0,", 100_000) + `0]`, wire.ProblemValues, 199_999, "/99999"},
		{`"` + strings.Repeat("x", 1<<20) + `"`, wire.ProblemSize, 1 << 20, ""},
	} {
		v, err := wire.Decode([]byte(test.in), wire.DecodeLimits{})
		var e *wire.DecodeError
		if v != nil || !errors.As(err, &e) {
			t.Errorf("Decode(%.40s) = %v, %v", test.in, v, err)
			continue
		}
		want := wire.DecodeError{Problem: test.problem, Offset: test.offset, Path: test.path}
		if *e != want {
			t.Errorf("Decode(%.40s): got %+v, want %+v", test.in, *e, want)
		}
	}
}

func TestDecodeHonoursItsLimits(t *testing.T) {
	lim := wire.DecodeLimits{Bytes: 20, Depth: 2, Values: 4}
	for in, want := range map[string]bool{
		`[[1,2]]`:                     true,
		`[[1,2],3]`:                   false,
		`[[[]]]`:                      false,
		`{"a":{"b":1}}`:               true,
		`"123456789012345678"`:        true,
		`"1234567890123456789"`:       false,
		`                    1`:       false,
		`{"a":1,"b":2,"c":3}`:         true,
		`[1,2,3,4]`:                   false,
		`{"a":{"b":{}}}`:              false,
		strings.Repeat(" ", 19) + `1`: true,
	} {
		if _, err := wire.Decode([]byte(in), lim); (err == nil) != want {
			t.Errorf("Decode(%s): %v", in, err)
		}
	}
}

func TestDecodeErrorsAreBoundedAndHoldNoValue(t *testing.T) {
	long := strings.Repeat("é", 1000)
	in := `{"` + long + `":{"` + long + `":{"` + long + `":{"` + long + `":{"` + long + `":["secret",x]}}}}}`
	_, err := wire.Decode([]byte(in), wire.DecodeLimits{})
	if len(err.Error()) > 1500 || strings.Contains(err.Error(), "secret") {
		t.Errorf("%d bytes: %v", len(err.Error()), err)
	}
}

func TestDecodedValuesOutliveTheirText(t *testing.T) {
	text := []byte(`{"key":["value",12]}`)
	v, err := wire.Decode(text, wire.DecodeLimits{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range text {
		text[i] = 'x'
	}
	if diff := cmp.Diff(map[string]any{"key": []any{"value", json.Number("12")}}, v); diff != "" {
		t.Error(diff)
	}
}
