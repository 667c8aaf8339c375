package upstream

import (
	"context"
	"strings"
	"sync"
	"testing"
)

// BenchmarkCall is one call to a fast server and back: sequential, and gathered as a
// program of the model does it, 16 at a time.
func BenchmarkCall(b *testing.B) {
	u := toy(b)
	ctx := context.Background()
	args := []byte(`{"a":1,"b":2}`)
	call := func(b *testing.B) {
		if _, err := u.Call(ctx, "add", args); err != nil {
			b.Error(err)
		}
	}
	b.Run("sequential", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			call(b)
		}
	})
	for _, n := range []int{16, 200} {
		b.Run(map[int]string{16: "gathered-16", 200: "gathered-200"}[n], func(b *testing.B) {
			b.ReportAllocs()
			var wg sync.WaitGroup
			slots := make(chan struct{}, n)
			for b.Loop() {
				slots <- struct{}{}
				wg.Go(func() {
					call(b)
					<-slots
				})
			}
			wg.Wait()
		})
	}
}

// BenchmarkScan is what reading costs, per byte: a large result is checked once, as
// part of its message, and then only cut.
func BenchmarkScan(b *testing.B) {
	text := `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"` + strings.Repeat(`a line of text, \"quoted\"\n`, 2400) + `"}]}}`
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		m, err := parse(cleanse([]byte(text)))
		if err != nil {
			b.Fatal(err)
		}
		if _, err := readResult(m.result, DefaultAnswer); err != nil {
			b.Fatal(err)
		}
	}
}
