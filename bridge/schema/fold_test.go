package schema

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
)

// Folding is the relation of strings.EqualFold, which encoding/json looks up
// names by: for every character there is, in both directions.
func TestFoldIsEqualFold(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		s, next := string(r), string(unicode.SimpleFold(r))
		folded := fold(s)
		if fold(next) != folded {
			t.Errorf("%q and %q are equal but fold to %q and %q", s, next, folded, fold(next))
		}
		if folded != s && !strings.EqualFold(folded, s) {
			t.Errorf("%q folds to %q, which it is not equal to", s, folded)
		}
	}
	keys := []string{"", "size", "Size", "ſize", "SIZE", "siz", "kelvin", "Kelvin", "σίγμας", "ΣΊΓΜΑΣ", "straße", "STRASSE", "ı", "i", "İ", "\xff", "\ufffd", "[", "{"}
	for _, a := range keys {
		for _, b := range keys {
			if got, want := fold(a) == fold(b), strings.EqualFold(a, b); got != want {
				t.Errorf("%q and %q: %v, want %v", a, b, got, want)
			}
		}
	}
}

func TestKeysThatDifferOnlyInCaseAreRefused(t *testing.T) {
	const (
		opts = `{"properties":{"opts":{"type":"object","properties":{"size":{"type":"integer","maximum":10}}}}}`
		open = `{"additionalProperties":true}`
	)
	for _, test := range []struct{ name, schema, args, want string }{
		{"once", opts, `{"opts":{"size":1}}`, ``},
		{"beside others", opts, `{"opts":{"size":1,"sizes":1,"si-ze":2}}`, ``},
		{"beside the one it is named like", opts, `{"opts":{"size":1,"ſize":1000000}}`, `/opts: keys "size" and "ſize" differ only in case`},
		{"instead of the one it is named like", opts, `{"opts":{"ſize":1000000}}`, `/opts: key "ſize" differs from "size" only in case`},
		{"in upper case", opts, `{"opts":{"SIZE":1000000}}`, `/opts: key "SIZE" differs from "size" only in case`},
		{"three times", opts, `{"opts":{"size":1,"SIZE":2,"Size":3}}`, `/opts: keys "SIZE" and "Size" differ only in case|/opts: keys "Size" and "size" differ only in case`},
		{"at the top", `{"properties":{"size":{}},"additionalProperties":true}`, `{"Size":1}`, `: key "Size" differs from "size" only in case`},
		{"at the top, unknown anyway", `{"properties":{"size":{}}}`, `{"Size":1}`, `: unknown argument "Size"; did you mean "size"?`},
		{"at the top, allowed by a pattern", `{"properties":{"size":{}},"patternProperties":{"^[A-Z]":{}}}`, `{"Size":1}`, `: key "Size" differs from "size" only in case`},
		{"the server itself", `{"argument":1,"properties":{}}`, `{"ARGUMENT":1}`, `: unknown argument "ARGUMENT"; the tool takes none`},

		{"no schema, at the top", open, `{"a":1,"A":2}`, `: keys "A" and "a" differ only in case`},
		{"no schema, deep", open, `{"x":[0,[{"y":{"K":1,"\u212a":2}}]]}`, "/x/1/0/y: keys \"K\" and \"\u212a\" differ only in case"},
		{"no schema, different objects", open, `{"x":{"a":1},"y":{"A":1},"z":[{"b":1},{"B":1}]}`, ``},
		{"a map of data", `{"properties":{"m":{"additionalProperties":{"type":"integer"}}}}`, `{"m":{"a":1,"A":2}}`, `/m: keys "A" and "a" differ only in case`},
		{"the schema has both", `{"properties":{"o":{"properties":{"a":{},"A":{}}}}}`, `{"o":{"A":2}}`, ``},
		{"the schema has both, and both are passed", `{"properties":{"o":{"properties":{"a":{},"A":{}}}}}`, `{"o":{"a":1,"A":2}}`, `/o: keys "A" and "a" differ only in case`},
		{"the schema has upper case", `{"properties":{"o":{"properties":{"ID":{}}}}}`, `{"o":{"id":1}}`, `/o: key "id" differs from "ID" only in case`},

		{"in a list", `{"properties":{"l":{"items":{"properties":{"size":{}}}}}}`, `{"l":[{"size":1},{"Size":1}]}`, `/l/1: key "Size" differs from "size" only in case`},
		{"in a tuple", `{"properties":{"l":{"prefixItems":[{},{"properties":{"size":{}}}]}}}`, `{"l":[{"Size":1},{"Size":1}]}`, `/l/1: key "Size" differs from "size" only in case`},
		{"in a list in a list", `{"properties":{"l":{"items":{"items":{"properties":{"size":{}}}}}}}`, `{"l":[[{"Size":1}]]}`, `/l/0/0: key "Size" differs from "size" only in case`},
		{"by reference", `{"properties":{"o":{"$ref":"#/$defs/o"}},"$defs":{"o":{"properties":{"size":{},"o":{"$ref":"#/$defs/o"}}}}}`,
			`{"o":{"o":{"o":{"Size":1}}}}`, `/o/o/o: key "Size" differs from "size" only in case`},
		{"in an alternative", `{"properties":{"o":{"anyOf":[{"type":"string"},{"allOf":[{"properties":{"size":{}}}]}]}}}`, `{"o":{"Size":1}}`, `/o: key "Size" differs from "size" only in case`},
		{"in an alternative about something else", `{"properties":{"o":{"anyOf":[{"type":"array","properties":{"size":{}}},{"type":"object"}]}}}`, `{"o":{"Size":1}}`, ``},
		{"named by another part", `{"properties":{"o":{"allOf":[{"properties":{"size":{}}},{"properties":{"Size":{}}}]}}}`, `{"o":{"Size":1}}`, ``},
		{"by pattern", `{"properties":{"o":{"patternProperties":{"^x":{"properties":{"size":{}}}}}}}`, `{"o":{"x1":{"Size":1},"y":{"Size":1}}}`, `/o/x1: key "Size" differs from "size" only in case`},
		{"in any other member", `{"properties":{"o":{"properties":{"k":{}},"additionalProperties":{"properties":{"size":{}}}}}}`,
			`{"o":{"k":{"Size":1},"l":{"Size":1}}}`, `/o/l: key "Size" differs from "size" only in case`},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			for _, v := range mustCompile(t, test.schema).Violations(value(t, test.args)) {
				got = append(got, v.Path+": "+v.Message)
			}
			var want []string
			if test.want != "" {
				want = strings.Split(test.want, "|")
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Each schema is looked at once in each place, however often it applies there.
func TestFoldsAreCheckedOncePerPlace(t *testing.T) {
	const levels = 9
	var parts []string
	for i := range levels {
		parts = append(parts, fmt.Sprintf(`"d%d":{"anyOf":[{"$ref":"#/$defs/d%[2]d"},{"$ref":"#/$defs/d%[2]d"}]}`, i, i+1))
	}
	s := mustCompile(t, `{"$ref":"#/$defs/d0","$defs":{`+strings.Join(parts, ",")+fmt.Sprintf(`,"d%d":{"properties":{"size":{}}}}}`, levels))
	f := folds{found: &findings{}, nodes: []*node{s.root}}
	f.expand(map[string]any{}, 0)
	if unique := slices.Compact(slices.Clone(f.nodes)); len(f.nodes) != len(f.seen) || len(unique) != len(f.nodes) || len(f.nodes) > 4*levels {
		t.Errorf("%d schemas, %d of them different", len(f.nodes), len(f.seen))
	}
}
