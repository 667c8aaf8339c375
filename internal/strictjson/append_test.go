package strictjson_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-code-mode/mcp-code-mode/internal/strictjson"
)

func TestAppendIsDeterministicAndMinimal(t *testing.T) {
	v := map[string]any{
		"z": []any{nil, true, false, json.Number("1.50"), json.Number("123456789012345678901234567890")},
		"a": map[string]any{},
		"B": []any{},
		"s": "<&>\u2028\"\\\b\f\n\r\t\x01\x1f\x7fé😀",
	}
	want := `{"B":[],"a":{},"s":"<&>` + "\u2028" + `\"\\\b\f\n\r\t\u0001\u001f` + "\x7f" + `é😀","z":[null,true,false,1.50,123456789012345678901234567890]}`
	for range 10 {
		got, err := strictjson.Append([]byte("before "), v)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff("before "+want, string(got)); diff != "" {
			t.Fatal(diff)
		}
	}
	if !json.Valid([]byte(want)) {
		t.Error("encoding/json does not take it")
	}
}

func TestAppendSortsManyKeys(t *testing.T) {
	object, want := map[string]any{}, []string{}
	for c := 'A'; c <= 'z'; c++ {
		object[string(c)] = nil
		want = append(want, string(c))
	}
	text, err := strictjson.Append(nil, object)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	dec := json.NewDecoder(strings.NewReader(string(text)))
	for tok, err := dec.Token(); err == nil; tok, err = dec.Token() {
		if key, ok := tok.(string); ok {
			got = append(got, key)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestAppendRefusesWhatDecodeCannotReturn(t *testing.T) {
	loop := []any{nil}
	loop[0] = loop
	for name, v := range map[string]any{
		"int":              1,
		"float":            1.5,
		"bytes":            []byte("x"),
		"strings":          []string{"x"},
		"typed map":        map[string]string{},
		"raw":              json.RawMessage("1"),
		"not UTF-8":        "\xff",
		"key not UTF-8":    map[string]any{"\xff": nil},
		"surrogate":        "\xed\xa0\x80",
		"empty number":     json.Number(""),
		"no number":        json.Number("1]"),
		"hex number":       json.Number("0x1"),
		"NaN":              json.Number("NaN"),
		"number of spaces": json.Number(" 1"),
		"huge exponent":    json.Number("1e1001"),
		"long number":      json.Number(strings.Repeat("1", strictjson.MaxNumber+1)),
		"loop":             loop,
	} {
		dst := []byte("before")
		got, err := strictjson.Append(dst, map[string]any{"k": []any{v}})
		if err == nil || string(got) != "before" {
			t.Errorf("%s: got %s, %v", name, got, err)
		}
		var e *strictjson.Error
		if errors.As(err, &e) && !strings.HasPrefix(e.Path, "/k/0") {
			t.Errorf("%s: error does not name the place: %v", name, err)
		}
	}
}
