package upstream

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/mcp-code-mode/mcp-code-mode/internal/strictjson"
)

func TestFieldsMatchByCaseAndSeeThroughEscapes(t *testing.T) {
	v, err := fields([]byte(`{"Name":1,"n\u0061me":"x","other":[[1]],"gone":null}`), "name", "gone", "absent")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{`"x"`, "", ""}, []string{string(v[0]), string(v[1]), string(v[2])}); diff != "" {
		t.Error(diff)
	}
}

func TestFieldsRefuseAMemberThatOccursTwice(t *testing.T) {
	if _, err := fields([]byte(`{"a":1,"b":2,"\u0061":3}`), "a"); !errors.Is(err, errDuplicate) {
		t.Errorf("got %v, want %v", err, errDuplicate)
	}
	if _, err := fields([]byte(`{"a":1,"b":2,"b":3}`), "a"); err != nil {
		t.Errorf("a repeated member nobody asked for: %v", err)
	}
}

// However deep a server nests, reading ends in an error, and the stack stays bounded.
func TestDeepNestingIsRefused(t *testing.T) {
	for levels, want := range map[int]error{maxDepth - 1: nil, maxDepth: errDeep, 5_000_000: errDeep} {
		deep := []byte(`{"structuredContent":` + strings.Repeat("[", levels) + strings.Repeat("]", levels) + `}`)
		err := read(deep, maxDepth, func(*strictjson.Reader) error { return nil })
		if !errors.Is(err, want) {
			t.Errorf("%d levels: error %v, want %v", levels+1, err, want)
		}
	}
}

func TestCleanseMakesTextOfWhatIsNone(t *testing.T) {
	for in, want := range map[string]string{
		`"plain"`:                       `"plain"`,
		"\"caf\xe9\"":                   "\"caf\uFFFD\"",
		`"\ud83d\ude00"`:                `"\ud83d\ude00"`,
		`"\ud83d"`:                      `"\ufffd"`,
		`"\ude00\ud83d"`:                `"\ufffd\ufffd"`,
		`"\ud83d\ud83d\ude00"`:          `"\ufffd\ud83d\ude00"`,
		`"\\ud83d"`:                     `"\\ud83d"`,
		`"\\\ud83d\\"`:                  `"\\\ufffd\\"`,
		`"\ud83d\u0041"`:                `"\ufffd\u0041"`,
		`"\ud83d\n"`:                    `"\ufffd\n"`,
		`"\uD83D\uDE00 \uDE00"`:         `"\uD83D\uDE00 \ufffd"`,
		`"\u00e9\u00"`:                  `"\u00e9\u00"`,
		`\`:                             `\`,
		`\ud83d`:                        `\ufffd`,
		strings.Repeat(`\ud83d\\`, 100): strings.Repeat(`\ufffd\\`, 100),
	} {
		if got := cleanse([]byte(in)); !bytes.Equal(got, []byte(want)) {
			t.Errorf("cleanse(%s) = %s, want %s", in, got, want)
		}
	}
}

// FuzzCleanse: what is JSON stays it, of the same size where it is UTF-8, and can then
// be read.
func FuzzCleanse(f *testing.F) {
	f.Add([]byte(`{"a":[1,-2.5e3,{"b":null}],"c":"\ud83d\u0041\\"}`))
	f.Add([]byte(`["\ud83d\ud83d\ude00", "caf` + "\xe9" + `"]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		valid := json.Valid(data)
		fixed := cleanse(bytes.Clone(data))
		if utf8.Valid(data) && len(fixed) != len(data) || isJSON(fixed) != valid {
			t.Fatalf("%q: cleansed to %q", data, fixed)
		}
	})
}

// TestABatchCanNotGrowIntoManyMessages: a line is bounded in bytes, but the messages
// made of it take much more memory than it does.
func TestABatchCanNotGrowIntoManyMessages(t *testing.T) {
	for n, want := range map[int]int{maxBatch: maxBatch, DefaultAnswer / 26: maxBatch} {
		log, out := logTo(slog.LevelWarn)
		batch := "[" + strings.TrimSuffix(strings.Repeat(`{"jsonrpc":"2.0","id":1},`, n), ",") + "]\n"
		s := &stdio{log: log, most: DefaultAnswer, in: bufio.NewReader(strings.NewReader(batch + `{"jsonrpc":"2.0","id":2}` + "\n"))}
		got := 0
		for {
			m, err := s.receive()
			if err != nil {
				t.Fatal(err)
			}
			if string(m.id) == "2" {
				break
			}
			if got++; cap(s.backlog) > 2*maxBatch {
				t.Fatalf("%d messages wait", len(s.backlog))
			}
		}
		if got != want {
			t.Errorf("of %d messages in a batch %d came, want %d", n, got, want)
		}
		if said := strings.Contains(out.String(), "a batch of more than 1000 messages"); said != (n > want) {
			t.Errorf("%d messages in a batch: logged %q", n, out)
		}
	}
}

func TestPlainTextIsOneShortVisibleLine(t *testing.T) {
	if got, want := oneLine("a\x1b[31m\nb\u202e\u2028c\x00\xff", 100), "a [31m b  c"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := oneLine("ééé", 3), "ééé"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := oneLine("ééééé", 3), "éé…"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// FuzzWhatAServerSays reads arbitrary lines as every kind of answer. What comes out
// must be JSON within the bounds that are promised.
func FuzzWhatAServerSays(f *testing.F) {
	f.Add([]byte(`{"jsonrpc":"2.0","id":"7","result":{"content":[{"type":"text","text":"\ud83d"}],"structuredContent":1,"isError":0}}`))
	f.Add([]byte(`{"result":{"toolResult":[1],"resultType":"complete"},"jsonrpc":"2.0","id":7.0}`))
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"a","inputSchema":{"properties":{"a":{"x-mcp-header":"A"}}},"annotations":{"x":true}}],"nextCursor":"x"}}`))
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"error":{"code":1.5,"message":null,"data":{"supported":["2024-11-05",1]}}}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		line = cleanse(line)
		_ = blame(line, line[max(0, len(line)-tailLine):])
		m, err := parse(line)
		if err != nil || m.result == nil {
			return
		}
		if r, err := readResult(m.result, DefaultAnswer); err == nil {
			if !json.Valid(r.Content) || r.Structured != nil && !json.Valid(r.Structured) {
				t.Errorf("%q: result %s %s", line, r.Content, r.Structured)
			}
		}
		l := &listing{names: map[string]bool{}}
		_, _ = l.page(m.result)
		l.mirror()
		for _, tool := range l.tools {
			if !json.Valid(tool.InputSchema) || tool.Name == "" || !utf8.ValidString(tool.Name+tool.Description) {
				t.Errorf("%q: tool %+v", line, tool)
			}
		}
		isStateless(*m)
	})
}

// Whoever reads a result relies on its channel to have checked that it is JSON.
func TestAResultOverHTTPThatIsNoJSONIsABadAnswer(t *testing.T) {
	id, err := jsonrpc.MakeID("1")
	if err != nil {
		t.Fatal(err)
	}
	for result, good := range map[string]bool{`{"content":[]}`: true, `{"content":[`: false, `{"content":[]} x`: false, `{"content":["\x"]}`: false} {
		m := response(&jsonrpc.Response{ID: id, Result: json.RawMessage(result)})
		if (m.err == nil) != good || (m.result != nil) != good || !good && !errors.Is(m.err, ErrBadAnswer) {
			t.Errorf("%s: %s, %v", result, m.result, m.err)
		}
	}
}
