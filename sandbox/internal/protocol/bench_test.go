package protocol_test

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/mcp-code-mode/mcp-code-mode/internal/strictjson"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox/internal/protocol"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox/wire"
)

// BenchmarkWire is the cost of the wire per line: what a sandbox sends, read
// and decoded, and what it is sent, encoded.
func BenchmarkWire(b *testing.B) {
	small := []byte(`{"op":"call","id":7,"tool":"toy/add","args":{"a":1,"b":2,"text":"hello"}}` + "\n")
	text := strings.Repeat(`{"name":"some \"quoted\" text","n":12345},`+"\n", 60<<10/44)
	big, err := strictjson.Append([]byte(`{"op":"call","id":7,"tool":"toy/add","args":{"text":`), text)
	if err != nil {
		b.Fatal(err)
	}
	big = append(big, "}}\n"...)
	list := []byte(`{"op":"call","id":7,"tool":"toy/add","args":[` + strings.Repeat(`{"id":12345,"name":"abc"},`, 2000) + `0]}` + "\n")

	b.Run("call/small", func(b *testing.B) { readLines(b, small) })
	b.Run("call/60KiB-text", func(b *testing.B) { readLines(b, big) })
	b.Run("call/50KiB-objects", func(b *testing.B) { readLines(b, list) })
	b.Run("result/small", func(b *testing.B) { sendReplies(b, wire.Reply{Text: `{"sum":3}`, Structured: true}) })
	b.Run("result/60KiB-text", func(b *testing.B) { sendReplies(b, wire.Reply{Text: text}) })
	lines := strings.Repeat("a line of a text as most are, as long as people make lines, or nearly so\n", 60<<10/73)
	b.Run("result/60KiB-lines", func(b *testing.B) { sendReplies(b, wire.Reply{Text: lines}) })
	b.Run("decode/60KiB-lines", func(b *testing.B) {
		text, _ := strictjson.Append(nil, lines)
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			_, _ = strictjson.Decode(text, strictjson.Bounds{})
		}
	})
	b.Run("result/60KiB-image", func(b *testing.B) {
		content := json.RawMessage(`[{"type":"image","mimeType":"image/png","data":"` + strings.Repeat("QUJD", 60<<10/4) + `"}]`)
		sendReplies(b, wire.Reply{Content: content})
	})
	args := map[string]any{"a": json.Number("1"), "b": json.Number("2"), "text": "hello"}
	b.Run("append/small", func(b *testing.B) {
		var buf []byte
		for b.Loop() {
			buf, _ = strictjson.Append(buf[:0], args)
		}
	})
}

// readLines reads and parses the same line over and over.
func readLines(b *testing.B, line []byte) {
	b.SetBytes(int64(len(line)))
	b.ReportAllocs()
	r := protocol.NewReader(&repeat{text: bytes.Repeat(line, 1+64<<10/len(line))}, protocol.MaxLine)
	for b.Loop() {
		line, err := r.ReadLine()
		if err != nil {
			b.Fatal(err)
		}
		if _, err := protocol.ParseRunner(line); err != nil {
			b.Fatal(err)
		}
	}
}

func sendReplies(b *testing.B, r wire.Reply) {
	b.SetBytes(int64(len(protocol.AppendReply(nil, 1, r))))
	b.ReportAllocs()
	w := protocol.NewWriter(io.Discard)
	for b.Loop() {
		if err := w.Send(func(dst []byte) ([]byte, bool) { return protocol.AppendReply(dst, 1, r), false }); err != nil {
			b.Fatal(err)
		}
	}
}

// repeat reads the same text forever, as a pipe would hand it over.
type repeat struct {
	text []byte
	at   int
}

func (r *repeat) Read(b []byte) (int, error) {
	n := copy(b, r.text[r.at:])
	r.at = (r.at + n) % len(r.text)
	return n, nil
}
