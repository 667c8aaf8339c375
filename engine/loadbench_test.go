package engine

import (
	"fmt"
	"strings"
	"testing"
)

// BenchmarkLoad reads, compiles and checks the built-in pack with families of one's own.
func BenchmarkLoad(b *testing.B) {
	for _, families := range []int{0, 50} {
		b.Run(fmt.Sprintf("families=%d", families), func(b *testing.B) {
			var pairs []string
			for i := range families {
				name := fmt.Sprintf("team_%d", i)
				pairs = append(pairs, "codemode/rules/"+name+"/"+name+".rego", strings.ReplaceAll(benchFamily, "NAME", name),
					"codemode/rules/"+name+"/"+name+".cases", "refuse:\n  - {tool: production/x, code: frozen}\nallow:\n  - {tool: staging/x}\n")
			}
			policy := packWith(b, pairs...)
			for b.Loop() {
				if _, err := New(b.Context(), Options{Policy: policy}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

const benchFamily = `package codemode.rules.NAME

deny contains {"code": "frozen", "message": "production is frozen"} if not _harmless

deny contains {"code": "too_much", "message": $"{input.call.args.amount} is too much"} if {
	input.tool.name == "pay"
	not _small
}

_harmless if input.tool.server in {"staging", "scratch"}

_harmless if input.tool.id in {"production/status", "production/list"}

_small if {
	is_number(input.call.args.amount)
	input.call.args.amount <= 100
}
`
