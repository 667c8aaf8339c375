package stub

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/mcp-code-mode/mcp-code-mode/internal/schemaview"
)

// repeatedSchemas refer to one thing that is costly to look at from ten thousand
// places, so that what they cost is what is done, not what is written.
func repeatedSchemas() map[string]string {
	list := func(n int, format string) string {
		parts := make([]string, n)
		for i := range parts {
			parts[i] = strings.ReplaceAll(format, "@", fmt.Sprint(i))
		}
		return strings.Join(parts, ",")
	}
	everywhere := func(definition string) string {
		return `{"properties":{` + list(250, `"p@":{"properties":{`+list(40, `"q@":{"$ref":"#/$defs/d"}`)+`}}`) +
			`},"$defs":{"d":` + definition + `}}`
	}
	eight := strings.Join([]string{"0", "0", "0", "0", "0", "0", "0", "0"}, ",")
	return map[string]string{
		"a wide object":         everywhere(`{"properties":{` + list(4_000, `"x@":{}`) + `}}`),
		"a wide object, nested": everywhere(`{"properties":{"a":{"properties":{` + list(4_000, `"x@":{}`) + `}}}}`),
		"much that is required": everywhere(`{"required":[` + list(4_000, `"x@"`) + `]}`),
		"many parts":            everywhere(`{"allOf":[` + list(4_000, `{"properties":{"x@":{}}}`) + `]}`),
		"values in values":      everywhere(`{"enum":[` + list(60, `[[`+list(8, `[[`+eight+`],[`+eight+`]]`)+`]]`) + `]}`),
		"a long description":    strings.ReplaceAll(`{"properties":{`+list(10_000, `"p@":{"$ref":"#/$defs/d"}`)+`},"$defs":{"d":{"description":"@"}}}`, "@", strings.Repeat(`\u200b`, 5_000)),
		"an anchor":             everywhere(`{"$ref":"#none"}`),
	}
}

// The work of a stub is bounded, not just its text: what it took is told by the
// memory that went through its hands, which does not depend on the machine.
func TestOneCostlyThingReferredToFromEverywhereIsNotLookedAtForEver(t *testing.T) {
	const most = 64 << 20 // bytes
	for name, schema := range repeatedSchemas() {
		t.Run(name, func(t *testing.T) {
			d, err := schemaview.ParseInput([]byte(schema))
			if err != nil {
				t.Fatal(err)
			}
			d.Resolve("#/$defs/d/properties/x0") // what is indexed once is not counted
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			r := newRenderer(d)
			params := r.params()
			r.notes(r.root(), maxNotes)
			runtime.ReadMemStats(&after)
			if used := after.TotalAlloc - before.TotalAlloc; used > most {
				t.Errorf("%d MiB went into a stub", used>>20)
			}
			if !strings.HasPrefix(params, "p0?: ") || !strings.HasSuffix(params, " more") && !strings.Contains(params, "p249?: ") {
				t.Errorf("not cut but spoilt: %.200s", params)
			}
		})
	}
}

// Once nothing may be spent any more, the parameters are still named: a stub
// never says that a tool takes none because its schema was too much.
func TestParametersAreNamedWhenThereIsNoWorkLeft(t *testing.T) {
	d, err := schemaview.ParseInput([]byte(`{"properties":{"a":{"type":"string"},"b":{"enum":[1]}},"required":["b"]}`))
	if err != nil {
		t.Fatal(err)
	}
	r := newRenderer(d)
	r.Spend(schemaview.MaxWork)
	if got, want := r.params(), "b: Any, a?: Any"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// One renderer does as much for the last of many ordinary parameters as for the
// first.
func TestOrdinaryWorkIsNotCut(t *testing.T) {
	var b strings.Builder
	for i := range 100 {
		fmt.Fprintf(&b, `"p%d":{"$ref":"#/$defs/d","description":"What it is for."},`, i)
	}
	d, err := schemaview.ParseInput([]byte(`{"properties":{` + b.String() + `"last":{"$ref":"#/$defs/d"}},"required":["last"],
		"$defs":{"d":{"anyOf":[{"enum":["a","b"]},{"type":"array","items":{"properties":{"n":{"type":"integer","default":1}}}}]}}}`))
	if err != nil {
		t.Fatal(err)
	}
	r := newRenderer(d)
	r.params()
	r.notes(r.root(), maxNotes)
	if r.Spend(schemaview.MaxWork / 2); r.Spent() {
		t.Errorf("more than half of %d units are gone", schemaview.MaxWork)
	}
}

// Of more parameters than fit, as many as fit are named and the rest is counted.
func TestParametersThatDoNotFitAreCounted(t *testing.T) {
	for _, n := range []int{400, 450, 500, 5_000} {
		parts := make([]string, n)
		for i := range parts {
			parts[i] = fmt.Sprintf(`"parameter%d":{"type":"string"}`, i)
		}
		d, err := schemaview.ParseInput([]byte(`{"properties":{` + strings.Join(parts, ",") + `}}`))
		if err != nil {
			t.Fatal(err)
		}
		got := newRenderer(d).params()
		shown := strings.Count(got, "?: str")
		if want := fmt.Sprintf("parameter%d?: str, ... %d more", shown-1, n-shown); !strings.HasSuffix(got, want) {
			t.Errorf("%d: %q does not end in %q", n, got[max(0, len(got)-60):], want)
		}
		if len(got) > maxParams || len(got) < maxParams-60 {
			t.Errorf("%d: %d of %d bytes", n, len(got), maxParams)
		}
	}
}
