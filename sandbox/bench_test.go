//go:build linux

package sandbox_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/mcp-code-mode/mcp-code-mode/sandbox"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox/wire"
)

// BenchmarkSandbox is the cost of the runner and the host's side of the
// protocol, in a plain process: what a driver's isolation adds is not in it.
func BenchmarkSandbox(b *testing.B) {
	b.Run("open", func(b *testing.B) {
		d := newProcess(b)
		for b.Loop() {
			s, err := sandbox.Open(b.Context(), d)
			if err != nil {
				b.Fatal(err)
			}
			s.Close()
		}
	})
	b.Run("cell", func(b *testing.B) {
		s := benchmarked(b)
		for b.Loop() {
			run(b, s, "pass")
		}
	})
	b.Run("warm-run", func(b *testing.B) {
		p := poolOf(b, newProcess(b), sandbox.PoolOptions{Warm: 1})
		for range b.N {
			b.StopTimer()
			eventually(b, "one is warm", func() bool { return p.Idle() == 1 })
			b.StartTimer()
			s := take(b, p)
			run(b, s, "pass")
			s.Kill()
		}
	})
	b.Run("call", func(b *testing.B) {
		s := benchmarked(b)
		b.ResetTimer()
		run(b, s, fmt.Sprintf("for i in range(%d): await echo(a=i)", b.N))
	})
	b.Run("gathered-call", func(b *testing.B) {
		s := benchmarked(b)
		b.ResetTimer()
		run(b, s, fmt.Sprintf("n = %d\nwhile n > 0:\n    await asyncio.gather(*[echo(a=i) for i in range(min(n, 1000))])\n    n -= 1000", b.N))
	})
	b.Run("60KiB-result", func(b *testing.B) {
		s := benchmarked(b)
		b.SetBytes(60 << 10)
		b.ResetTimer()
		run(b, s, fmt.Sprintf("for i in range(%d): await big()", b.N))
	})
	b.Run("line-printed", func(b *testing.B) {
		s := benchmarked(b)
		n := b.N
		b.ResetTimer()
		for ; n > 0; n -= 1000 { // below the flood limit
			run(b, s, fmt.Sprintf("for i in range(%d): print('a line of output')", min(n, 1000)))
		}
	})
}

func benchmarked(b *testing.B) *sandbox.Sandbox {
	s := open(b)
	if err := s.Init(b.Context(), []wire.Tool{{Name: "echo", ID: "toy/echo"}, {Name: "big", ID: "toy/big"}}); err != nil {
		b.Fatal(err)
	}
	return s
}

var bigText = strings.Repeat(`{"name":"some \"quoted\" text","n":12345},`+"\n", 60<<10/44)

func run(b *testing.B, s *sandbox.Sandbox, code string) {
	b.Helper()
	o, err := s.Exec(b.Context(), code, func(_ context.Context, c wire.Call) wire.Reply {
		if c.Tool == "toy/big" {
			return wire.Reply{Text: bigText}
		}
		return wire.Reply{Text: `{"a":1}`, Structured: true}
	})
	if err != nil || o.Error != "" {
		b.Fatalf("%+v, %v", o, err)
	}
}
