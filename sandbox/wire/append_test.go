package wire_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-code-mode/mcp-code-mode/sandbox/wire"
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
		got, err := wire.Append([]byte("before "), v)
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
	text, err := wire.Append(nil, object)
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
		"long number":      json.Number(strings.Repeat("1", wire.MaxNumber+1)),
		"loop":             loop,
	} {
		dst := []byte("before")
		got, err := wire.Append(dst, map[string]any{"k": []any{v}})
		if err == nil || string(got) != "before" {
			t.Errorf("%s: got %s, %v", name, got, err)
		}
		var e *wire.DecodeError
		if errors.As(err, &e) && !strings.HasPrefix(e.Path, "/k/0") {
			t.Errorf("%s: error does not name the place: %v", name, err)
		}
	}
}

// Every byte, at every place in a group of eight, next to every kind of neighbour.
func TestPlainEndsBeforeTheFirstByteThatIsNot(t *testing.T) {
	ends := func(c byte) bool { return c < 0x20 || c == '"' || c == '\\' }
	for c := range 256 {
		for at := range 20 {
			for _, after := range []string{"", "x", "\x00", "\"", "\\", "\x80\xff", strings.Repeat("\x1f\x21", 8)} {
				text := []byte(strings.Repeat("\x20\xff\x7f#]", 4)[:at] + string([]byte{byte(c)}) + after)
				want := 0
				for want < len(text) && !ends(text[want]) {
					want++
				}
				if got := wire.Plain(text); got != want {
					t.Fatalf("%q: %d, want %d", text, got, want)
				}
			}
		}
	}
}
