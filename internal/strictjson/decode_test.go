package strictjson_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-code-mode/mcp-code-mode/internal/strictjson"
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
		got, err := strictjson.Decode([]byte(test.in), strictjson.Bounds{})
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
		problem strictjson.Problem
		offset  int
		path    string
	}{
		{``, strictjson.ProblemTruncated, 0, ""},
		{` `, strictjson.ProblemTruncated, 1, ""},
		{`nul`, strictjson.ProblemTruncated, 3, ""},
		{`nulL`, strictjson.ProblemSyntax, 3, ""},
		{`True`, strictjson.ProblemSyntax, 0, ""},
		{`NaN`, strictjson.ProblemSyntax, 0, ""},
		{`[Infinity]`, strictjson.ProblemSyntax, 1, "/0"},
		{`1 2`, strictjson.ProblemTrailing, 2, ""},
		{`{}}`, strictjson.ProblemTrailing, 2, ""},
		{`01`, strictjson.ProblemTrailing, 1, ""},
		{`-`, strictjson.ProblemTruncated, 1, ""},
		{`+1`, strictjson.ProblemSyntax, 0, ""},
		{`.5`, strictjson.ProblemSyntax, 0, ""},
		{`1.`, strictjson.ProblemTruncated, 2, ""},
		{`1.e5`, strictjson.ProblemSyntax, 2, ""},
		{`1e`, strictjson.ProblemTruncated, 2, ""},
		{`0x10`, strictjson.ProblemTrailing, 1, ""},
		{`1e1001`, strictjson.ProblemNumber, 0, ""},
		{`[1e-99999999999999999999]`, strictjson.ProblemNumber, 1, "/0"},
		{`{"n":` + strings.Repeat("1", strictjson.MaxNumber+1) + `}`, strictjson.ProblemNumber, 5, "/n"},
		{`'a'`, strictjson.ProblemSyntax, 0, ""},
		{`"a`, strictjson.ProblemTruncated, 2, ""},
		{`"a\`, strictjson.ProblemTruncated, 3, ""},
		{`"\u12`, strictjson.ProblemTruncated, 5, ""},
		{`"\u12g4"`, strictjson.ProblemSyntax, 1, ""},
		{`"\x41"`, strictjson.ProblemSyntax, 1, ""},
		{"\"a\nb\"", strictjson.ProblemSyntax, 2, ""},
		{"\"a\x00\"", strictjson.ProblemSyntax, 2, ""},
		{`"\ud800"`, strictjson.ProblemSyntax, 1, ""},
		{`["\udc00\ud800"]`, strictjson.ProblemSyntax, 2, "/0"},
		{`{"a":"\ud800\u0041"}`, strictjson.ProblemSyntax, 6, "/a"},
		{"\"\xff\"", strictjson.ProblemUTF8, 1, ""},
		{"\"\xed\xa0\x80\"", strictjson.ProblemUTF8, 1, ""},
		{"\"\xc0\x80\"", strictjson.ProblemUTF8, 1, ""},
		{"\xef\xbb\xbf{}", strictjson.ProblemSyntax, 0, ""},
		{`[1,]`, strictjson.ProblemSyntax, 2, ""},
		{`[1 2]`, strictjson.ProblemSyntax, 3, ""},
		{`[1}`, strictjson.ProblemSyntax, 2, ""},
		{`[`, strictjson.ProblemTruncated, 1, ""},
		{`{"a":1,}`, strictjson.ProblemSyntax, 6, ""},
		{`{"a" 1}`, strictjson.ProblemSyntax, 5, "/a"},
		{`{a:1}`, strictjson.ProblemSyntax, 1, ""},
		{`{1:1}`, strictjson.ProblemSyntax, 1, ""},
		{`{"a":1,"b":2,"a":3}`, strictjson.ProblemDuplicate, 13, "/a"},
		{`{"x":[{"a":1,"\u0061":3}]}`, strictjson.ProblemDuplicate, 13, "/x/0/a"},
		{`{"a/b":{"~":[{"c":x}]}}`, strictjson.ProblemSyntax, 18, "/a~1b/~0/0/c"},
		{nested(65), strictjson.ProblemDepth, 64, strings.Repeat("/0", 64)},
		{nested(100_000), strictjson.ProblemDepth, 64, strings.Repeat("/0", 64)},
		{`[` + strings.Repeat("0,", 100_000) + `0]`, strictjson.ProblemValues, 199_999, "/99999"},
		{`"` + strings.Repeat("x", 1<<20) + `"`, strictjson.ProblemSize, 1 << 20, ""},
	} {
		v, err := strictjson.Decode([]byte(test.in), strictjson.Bounds{})
		var e *strictjson.Error
		if v != nil || !errors.As(err, &e) {
			t.Errorf("Decode(%.40s) = %v, %v", test.in, v, err)
			continue
		}
		want := strictjson.Error{Problem: test.problem, Detail: e.Detail, Offset: test.offset, Path: test.path}
		if *e != want || (e.Detail != "") != (e.Problem == strictjson.ProblemSyntax) {
			t.Errorf("Decode(%.40s): got %+v, want %+v", test.in, *e, want)
		}
	}
}

func TestDecodeHonoursItsLimits(t *testing.T) {
	lim := strictjson.Bounds{Bytes: 20, Depth: 2, Values: 4}
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
		if _, err := strictjson.Decode([]byte(in), lim); (err == nil) != want {
			t.Errorf("Decode(%s): %v", in, err)
		}
	}
}

func TestDecodeErrorsAreBoundedAndHoldNoValue(t *testing.T) {
	long := strings.Repeat("é", 1000)
	in := `{"` + long + `":{"` + long + `":{"` + long + `":{"` + long + `":{"` + long + `":["secret",x]}}}}}`
	_, err := strictjson.Decode([]byte(in), strictjson.Bounds{})
	if len(err.Error()) > 1500 || strings.Contains(err.Error(), "secret") {
		t.Errorf("%d bytes: %v", len(err.Error()), err)
	}
}

func TestDecodedValuesOutliveTheirText(t *testing.T) {
	text := []byte(`{"key":["value",12]}`)
	v, err := strictjson.Decode(text, strictjson.Bounds{})
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
