package engine

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/topdown"
)

// Whatever OPA does with its own cache, with ours it gets the same answers.
func TestTheRuleCacheAnswersAsOPAs(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	keys := []string{"a", "b", "1", ""}
	ref := func() ast.Ref {
		r := ast.Ref{ast.DefaultRootDocument.Copy()}
		for range random.IntN(4) {
			if random.IntN(5) == 0 {
				r = append(r, ast.IntNumberTerm(random.IntN(2)))
			} else {
				r = append(r, ast.StringTerm(keys[random.IntN(len(keys))]))
			}
		}
		return r
	}
	for range 200 {
		ours, theirs, depth := takeRuleCache(), topdown.NewVirtualCache(), 0
		for range 300 {
			switch op := random.IntN(20); {
			case op == 0:
				ours.Push()
				theirs.Push()
				depth++
			case op == 1 && depth > 0:
				ours.Pop()
				theirs.Pop()
				depth--
			case op < 8:
				r, value := ref(), ast.IntNumberTerm(random.IntN(9))
				if random.IntN(4) == 0 {
					value = nil
				}
				mine := slices.Clone(r)
				ours.Put(mine, value)
				clear(mine) // OPA goes on writing into its own
				theirs.Put(r, value)
			default:
				r := ref()
				got, gotUndefined := ours.Get(r)
				want, wantUndefined := theirs.Get(r)
				if got != want || gotUndefined != wantUndefined {
					t.Fatalf("%s: %v, %v; OPA's says %v, %v", r, got, gotUndefined, want, wantUndefined)
				}
			}
			if got, want := refs(ours.Keys()), refs(theirs.Keys()); !slices.Equal(got, want) {
				t.Fatalf("keys %v; OPA's says %v", got, want)
			}
		}
		ours.release() // often with frames left
	}
}

func refs(list []ast.Ref) []string {
	var out []string
	for _, r := range list {
		out = append(out, r.String())
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Nothing of one decision is there for the next, or kept in memory.
func TestTheRuleCacheForgets(t *testing.T) {
	one := ast.MustParseRef("data.codemode.rules.x")
	for range 100 {
		c := takeRuleCache()
		if v, undefined := c.Get(one); v != nil || undefined || len(c.frames) != 1 || len(c.Keys()) != 0 {
			t.Fatalf("remembers %v, %v", v, undefined)
		}
		c.Put(one, ast.NullTerm())
		c.Push()
		c.Put(one, nil)
		if c.Pop(); c.frames[:2][1] != nil {
			t.Fatal("a frame that was given up is kept in memory")
		}
		c.Push()
		f := c.frames[0]
		c.release()
		if e := f.entries[:1][0]; e.value != nil || e.ref != nil || f.refs[:1][0] != nil {
			t.Fatal("a value of the decision is kept in memory")
		}
	}
}
