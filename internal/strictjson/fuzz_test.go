package strictjson_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-code-mode/mcp-code-mode/internal/strictjson"
)

var jsonSeeds = []string{
	``, `null`, `[1,2.5e-3,-0,"a\u00e9\ud83d\ude00",{"k":[true,false,null]}]`, `{"a":1,"a":2}`, `"\ud800"`, "\"\xff\"",
	`[[[[[[[[[[]]]]]]]]]]`, `123456789012345678901234567890`, `1e1001`, ` { "a" : [ 1 , 2 ] } `, `{"a":{"b":{"c":"\/\b\f\n\r\t"}}}`,
	`tru`, `[1,]`, `"a` + "\n" + `"`, `{"\u0061":1,"a":2}`, "\"\u2028\"", `{"":""}`, `{"a\"":["\\","\\\""," [{\""]}`,
}

// FuzzDecode: what Decode takes is within its limits and valid to encoding/json
// too, Append writes it back unchanged, and an error comes with no value.
func FuzzDecode(f *testing.F) {
	for _, s := range jsonSeeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		lim := strictjson.Bounds{Bytes: 1 << 16, Depth: 8, Values: 1000}
		v, err := strictjson.Decode(data, lim)
		if err != nil {
			var e *strictjson.Error
			if v != nil || !errors.As(err, &e) || e.Offset < 0 || e.Offset > len(data) {
				t.Fatalf("got %v with %v", v, err)
			}
			return
		}
		if values, depth := measure(v); len(data) > lim.Bytes || values > lim.Values || depth > lim.Depth {
			t.Fatalf("beyond its limits: %d bytes, %d values, %d levels", len(data), values, depth)
		}
		text, err := strictjson.Append(nil, v)
		if err != nil {
			t.Fatalf("appending what was decoded: %v", err)
		}
		again, err := strictjson.Decode(text, lim)
		if err != nil || !cmp.Equal(v, again) {
			t.Fatalf("%s decodes to another value (%v):\n%s", text, err, cmp.Diff(v, again))
		}
		twice, err := strictjson.Append(nil, again)
		if err != nil || string(twice) != string(text) {
			t.Fatalf("got %s and then %s (%v)", text, twice, err)
		}
		if !json.Valid(data) {
			t.Fatal("encoding/json refuses it")
		}
	})
}

// FuzzReadersAgree: values, trees and parts are the same reading of a text, what is
// refused is not JSON to others either or is named as what is stricter here, and
// Depth is right.
func FuzzReadersAgree(f *testing.F) {
	for _, s := range jsonSeeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		lim := strictjson.Bounds{Bytes: 1 << 20, Depth: strictjson.MaxDepth, Values: 1 << 20, Repeats: true}
		tree, err := strictjson.Parse(data, lim)
		var e *strictjson.Error
		switch valid := json.Valid(data); {
		case err == nil && !valid:
			t.Fatal("encoding/json refuses it")
		case err != nil && valid && (!errors.As(err, &e) || e.Problem != strictjson.ProblemUTF8 && !strings.HasPrefix(e.Detail, "an escape")):
			t.Fatalf("encoding/json takes it: %v", err)
		}
		if skipped := strictjson.Read(data, lim, func(*strictjson.Reader) error { return nil }); (skipped == nil) != (err == nil) {
			t.Fatalf("skipped %v, parsed %v", skipped, err)
		}
		if err != nil {
			return
		}
		want, err := strictjson.Decode(data, lim)
		if errors.As(err, &e) && e.Problem == strictjson.ProblemNumber {
			return
		}
		if err != nil || !cmp.Equal(want, plainly(tree)) {
			t.Fatalf("%v (%v)", cmp.Diff(want, plainly(tree)), err)
		}
		if !cmp.Equal(want, byParts(t, data, lim)) {
			t.Fatal(cmp.Diff(want, byParts(t, data, lim)))
		}
		if got, want := strictjson.Depth(data), deep(tree); got != want {
			t.Fatalf("a depth of %d, want %d", got, want)
		}
	})
}

// plainly makes values of a tree.
func plainly(n *strictjson.Node) any {
	switch n.Kind {
	case strictjson.Object:
		object := map[string]any{}
		for _, m := range n.Members {
			object[m.Key] = plainly(n.Get(m.Key))
		}
		return object
	case strictjson.Array:
		list := []any{}
		for _, e := range n.Elements {
			list = append(list, plainly(e))
		}
		return list
	case strictjson.String:
		return n.Text
	case strictjson.Number:
		return json.Number(n.Text)
	case strictjson.Truth:
		return n.IsTrue()
	}
	return nil
}

// byParts makes values by cutting a text into parts, level by level.
func byParts(t *testing.T, data []byte, lim strictjson.Bounds) (v any) {
	t.Helper()
	err := strictjson.Read(data, lim, func(r *strictjson.Reader) error {
		part := func() any {
			raw, err := r.Raw()
			if err != nil {
				t.Fatal(err)
			}
			return byParts(t, raw, lim)
		}
		switch r.Kind() {
		case strictjson.Object:
			object := map[string]any{}
			v = object
			return r.Object(func(key string) error {
				object[key] = part()
				return nil
			})
		case strictjson.Array:
			list := []any{}
			err := r.Array(func() error {
				list = append(list, part())
				return nil
			})
			v = list
			return err
		}
		raw, err := r.Span(func() (err error) { v, err = r.Value(); return err })
		if s, isText := strictjson.Unquote(raw); isText && s != v {
			t.Fatalf("%s is %q and %q", raw, s, v)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// deep is how many arrays and objects lie within each other.
func deep(n *strictjson.Node) (depth int) {
	for _, m := range n.Members {
		depth = max(depth, deep(m.Value))
	}
	for _, e := range n.Elements {
		depth = max(depth, deep(e))
	}
	if n.Is(strictjson.Object) || n.Is(strictjson.Array) {
		depth++
	}
	return depth
}

// measure counts a value's parts and how deep they lie.
func measure(v any) (values, depth int) {
	values = 1
	var members []any
	switch v := v.(type) {
	case []any:
		members, depth = v, 1
	case map[string]any:
		depth = 1
		for _, m := range v {
			members = append(members, m)
		}
	}
	for _, m := range members {
		n, d := measure(m)
		values += n
		depth = max(depth, d+1)
	}
	return values, depth
}
