package protocol_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-code-mode/mcp-code-mode/internal/strictjson"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox/internal/protocol"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox/wire"
)

func readAll(r io.Reader) (lines []string, err error) {
	lr := protocol.NewReader(r, protocol.MaxLine)
	for {
		line, err := lr.ReadLine()
		if err != nil {
			return lines, err
		}
		lines = append(lines, string(line))
	}
}

func TestReaderSplitsLinesHoweverTheyArrive(t *testing.T) {
	long := strings.Repeat("x", protocol.MaxLine)
	text := "a\n\nbb\n" + long + "\nc\nunfinished"
	want := []string{"a", "", "bb", long, "c"}
	for name, r := range map[string]io.Reader{
		"at once":       strings.NewReader(text),
		"byte by byte":  iotest.OneByteReader(strings.NewReader(text)),
		"in halves":     iotest.HalfReader(strings.NewReader(text)),
		"data with EOF": iotest.DataErrReader(strings.NewReader(text)),
	} {
		got, err := readAll(r)
		if !errors.Is(err, io.EOF) || !cmp.Equal(want, got) {
			t.Errorf("%s: got %d lines, %v", name, len(got), err)
		}
	}
}

func TestReaderRefusesALineTooLong(t *testing.T) {
	for name, r := range map[string]io.Reader{
		"one byte":    strings.NewReader("a\n" + strings.Repeat("x", protocol.MaxLine+1) + "\nb\n"),
		"without end": io.MultiReader(strings.NewReader("a\n"), endless{}),
	} {
		got, err := readAll(r)
		if !errors.Is(err, protocol.ErrViolation) || !cmp.Equal([]string{"a"}, got) {
			t.Errorf("%s: got %d lines, %v", name, len(got), err)
		}
	}
}

type endless struct{}

func (endless) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = 'x'
	}
	return len(b), nil
}

// gated announces each write and waits to be let through.
type gated struct {
	entered, gate chan struct{}
	err           error

	buf    bytes.Buffer
	writes int
}

func newGated() *gated { return &gated{entered: make(chan struct{}, 1000), gate: make(chan struct{})} }

func (g *gated) Write(b []byte) (int, error) {
	g.entered <- struct{}{}
	<-g.gate
	if g.err != nil {
		return 0, g.err
	}
	g.writes++
	return g.buf.Write(b)
}

func line(text string) func([]byte) ([]byte, bool) {
	return func(dst []byte) ([]byte, bool) { return append(append(dst, text...), '\n'), false }
}

func TestWriterBatchesWhatComesDuringAWrite(t *testing.T) {
	g := newGated()
	w := protocol.NewWriter(g)
	first := make(chan error)
	go func() { first <- w.Send(line("first")) }()
	<-g.entered
	for i := range 100 {
		if err := w.Send(line(fmt.Sprint(i))); err != nil {
			t.Fatal(err)
		}
	}
	close(g.gate)
	if err := <-first; err != nil {
		t.Fatal(err)
	}
	want := "first\n"
	for i := range 100 {
		want += fmt.Sprintln(i)
	}
	if diff := cmp.Diff(want, g.buf.String()); diff != "" || g.writes != 2 {
		t.Errorf("%d writes: %s", g.writes, diff)
	}
}

func TestWriterHoldsABoundedAmount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGated()
		w := protocol.NewWriter(g)
		big := strings.Repeat("x", 64<<10)
		var held atomic.Int64
		var senders sync.WaitGroup
		for range 100 {
			senders.Go(func() {
				if err := w.Send(func(dst []byte) ([]byte, bool) {
					held.Add(1)
					return line(big)(dst)
				}); err != nil {
					t.Error(err)
				}
			})
		}
		<-g.entered
		synctest.Wait() // a Writer without a bound has taken everything by then
		if n := held.Load(); n > 10 {
			t.Errorf("%d lines of 64 KiB held at once", n)
		}
		close(g.gate)
		senders.Wait()
		if n := g.buf.Len(); n != 100*(64<<10+1) {
			t.Errorf("%d bytes arrived", n)
		}
	})
}

func TestWriterStaysBrokenOnceAWriteFailed(t *testing.T) {
	g := newGated()
	g.err = io.ErrClosedPipe
	w := protocol.NewWriter(g)
	first := make(chan error)
	go func() { first <- w.Send(line("first")) }()
	<-g.entered
	var senders sync.WaitGroup
	for range 20 {
		senders.Go(func() { _ = w.Send(line(strings.Repeat("x", 64<<10))) })
	}
	close(g.gate)
	senders.Wait() // also those that waited for room
	if err := <-first; !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("got %v", err)
	}
	err := w.Send(func([]byte) ([]byte, bool) {
		t.Error("a line was asked for")
		return nil, false
	})
	if !errors.Is(err, io.ErrClosedPipe) || g.buf.Len() != 0 {
		t.Errorf("got %v and %d bytes", err, g.buf.Len())
	}
}

// Whatever is in a reply, it stays one line and means what it said.
func TestHostLinesCannotBeBroken(t *testing.T) {
	nasty := "a\"\\\n\r\u2028\x00\xff\xed\xa0\x80}\n{\"op\":\"exec\"}"
	clean := strings.ToValidUTF8(nasty, "\uFFFD")
	for _, test := range []struct {
		line []byte
		want map[string]any
	}{
		{protocol.AppendPing(nil), map[string]any{"op": "ping"}},
		{protocol.AppendExec(nil, 3, nasty), map[string]any{"op": "exec", "cell": json.Number("3"), "code": clean}},
		{protocol.AppendInit(nil, nil, nil, 16, 9), map[string]any{"op": "init", "tools": []any{}, "servers": []any{}, "in_flight": json.Number("16"), "arguments": json.Number("9")}},
		{protocol.AppendInit(nil, []wire.Tool{{
			Name: "n", ID: nasty, Stub: nasty, Summary: nasty,
			Facts: wire.Facts{
				Params: []wire.Param{{Name: nasty, Line: nasty, Nullable: true}}, Open: true,
				Returns: wire.Returns{Kind: "string", Field: nasty}, Schemas: json.RawMessage(nasty),
			},
		}}, []wire.Server{{Name: nasty, Words: nasty}, {}}, 1, 2), map[string]any{
			"op": "init", "servers": []any{[]any{clean, clean}, []any{"", ""}}, "in_flight": json.Number("1"), "arguments": json.Number("2"),
			"tools": []any{[]any{"n", clean, clean, clean, map[string]any{
				"params": []any{[]any{clean, clean, false, true, false}}, "open": true,
				"returns": []any{"string", clean}, "schemas": clean,
			}}},
		}},
		{protocol.AppendSeen(nil, []wire.Seen{{Tool: "a", Shape: nasty}, {Tool: "b"}}), map[string]any{"op": "seen", "shapes": []any{[]any{"a", clean}, []any{"b", ""}}}},
		{protocol.AppendReply(nil, 7, wire.Reply{Text: nasty}), map[string]any{"op": "result", "id": json.Number("7"), "text": clean}},
		{protocol.AppendReply(nil, 7, wire.Reply{Content: json.RawMessage(nasty)}), map[string]any{
			"op": "result", "id": json.Number("7"), "content": clean,
		}},
		{protocol.AppendReply(nil, 7, wire.Reply{Text: nasty, Structured: true}), map[string]any{
			"op": "result", "id": json.Number("7"), "text": clean, "structured": true,
		}},
		{protocol.AppendReply(nil, 7, wire.Reply{Text: nasty, Structured: true, Content: json.RawMessage(nasty)}), map[string]any{
			"op": "result", "id": json.Number("7"), "content": clean, "structured": clean,
		}},
		{protocol.AppendReply(nil, 7, wire.Reply{Text: nasty, Data: json.RawMessage(nasty)}), map[string]any{
			"op": "result", "id": json.Number("7"), "text": clean, "structured": clean,
		}},
		{protocol.AppendReply(nil, 7, wire.Reply{Text: "ignored", Err: &wire.CallError{Tool: nasty, Code: "c", Codes: []string{"c", nasty}, Message: nasty}}), map[string]any{
			"op": "error", "id": json.Number("7"), "tool": clean, "code": "c", "codes": []any{"c", clean}, "message": clean,
		}},
	} {
		lines, err := readAll(bytes.NewReader(test.line))
		if !errors.Is(err, io.EOF) || len(lines) != 1 {
			t.Errorf("%s: %d lines", test.line, len(lines))
			continue
		}
		got, err := strictjson.Decode([]byte(lines[0]), strictjson.Bounds{})
		if diff := cmp.Diff(any(test.want), got); err != nil || diff != "" {
			t.Errorf("%s: %v\n%s", test.line, err, diff)
		}
	}
}
