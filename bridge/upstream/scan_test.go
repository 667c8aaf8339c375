package upstream

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

func TestScannerAcceptsExactlyJSON(t *testing.T) {
	for _, s := range []string{
		`{}`, `[]`, ` { } `, `{"a":1}`, `{"a" : [1 , 2.5e-3, -0, true,false , null, "x\u00e9\\\"\/"] }`, `[[],{},[{}]]`,
		`{"":{"":{}}}`, "[\n1\t,\r2]", `[0]`, `[10]`, `[1E5]`, `["\ud83d"]`,
		``, `{`, `}`, `{"a"}`, `{"a":}`, `{"a":1,}`, `{,}`, `[1,]`, `[,1]`, `[1 2]`, `{"a":1 "b":2}`, `{a:1}`, `{1:1}`,
		`[01]`, `[1.]`, `[.5]`, `[-]`, `[+1]`, `[1e]`, `[1e+]`, `[0x1]`, `[NaN]`, `[Infinity]`, `[tru]`, `[nul]`, `['a']`,
		"[\"a\nb\"]", `["\x"]`, `["\u12"]`, `["\u12g4"]`, `["a`, `[1]x`, `{}{}`, `{"a":1}}`, `[}`, `{]`, `[1}`, `{"a":1]`, "[\"\x00\"]",
	} {
		if got, want := valid(s), json.Valid([]byte(s)); got != want {
			t.Errorf("%q: valid = %v, want %v", s, got, want)
		}
	}
}

// valid reports whether s is a JSON object or array, by our own reading.
func valid(s string) bool {
	if strings.HasPrefix(strings.TrimLeft(s, " \t\r\n"), "[") {
		return elements([]byte(s), func([]byte) error { return nil }) == nil
	}
	_, _, err := fields([]byte(s))
	return err == nil
}

func FuzzScannerAgreesWithEncodingJSON(f *testing.F) {
	f.Add(`{"a":[1,-2.5e3,{"b":null}],"c":"\ud83d\u0041\\"}`)
	f.Add(`[[[[]]], {"x":{"x":"x"}}, 1e5]`)
	f.Add(`{"a":1,"a":2}`)
	f.Fuzz(func(t *testing.T, s string) {
		trimmed := strings.TrimLeft(s, " \t\r\n")
		if trimmed == "" || trimmed[0] != '{' && trimmed[0] != '[' || !utf8.ValidString(s) {
			return
		}
		if isJSON([]byte(s)) != valid(s) {
			t.Fatalf("%q: isJSON = %v", s, isJSON([]byte(s)))
		}
		if got, want := valid(s), json.Valid([]byte(s)); got != want {
			t.Fatalf("%q: valid = %v, encoding/json says %v", s, got, want)
		}
		if json.Valid([]byte(s)) {
			sameParts(t, s)
		}
		if fixed := cleanse([]byte(s)); json.Valid([]byte(s)) && (!json.Valid(fixed) || len(fixed) != len(s)) {
			t.Fatalf("%q: cleansed to %q", s, fixed)
		}
	})
}

// What has been checked is cut into the same parts without another look into its strings.
func TestPartsAreTheSameCheckedOrNot(t *testing.T) {
	for _, s := range []string{
		`["", "\"", "\\", "\\\"", "a\\\\", ["\\"], {"\"]": "\\\\\""}]`, `{"": {"\\": "\""}, "\"\\": ["\\\\"], "a" : "b" , "a":"" }`, `[]`, `{ }`,
	} {
		if !json.Valid([]byte(s)) {
			t.Fatal(s)
		}
		sameParts(t, s)
	}
}

func sameParts(t *testing.T, s string) {
	t.Helper()
	parts := func(members func([]byte, func(key, val []byte) error) error, elements func([]byte, func([]byte) error) error) (parts []string) {
		err := members([]byte(s), func(key, val []byte) error {
			parts = append(parts, string(key), string(val))
			return nil
		})
		if err != nil {
			err = elements([]byte(s), func(val []byte) error {
				parts = append(parts, string(val))
				return nil
			})
		}
		return append(parts, fmt.Sprint(err))
	}
	want := parts(func(data []byte, f func(key, val []byte) error) error { _, err := members(data, f); return err }, elements)
	if diff := cmp.Diff(want, parts(Members, Elements)); diff != "" {
		t.Errorf("%s: %s", s, diff)
	}
}

func TestFieldsMatchByCaseAndSeeThroughEscapes(t *testing.T) {
	v, depth, err := fields([]byte(`{"Name":1,"n\u0061me":"x","other":[[1]],"gone":null}`), "name", "gone", "absent")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{`"x"`, "", ""}, []string{string(v[0]), string(v[1]), string(v[2])}); diff != "" {
		t.Error(diff)
	}
	if depth != 3 {
		t.Errorf("depth = %d, want 3", depth)
	}
}

func TestFieldsRefuseAMemberThatOccursTwice(t *testing.T) {
	if _, _, err := fields([]byte(`{"a":1,"b":2,"\u0061":3}`), "a"); !errors.Is(err, errDuplicate) {
		t.Errorf("got %v, want %v", err, errDuplicate)
	}
	if _, _, err := fields([]byte(`{"a":1,"b":2,"b":3}`), "a"); err != nil {
		t.Errorf("a repeated member nobody asked for: %v", err)
	}
}

func TestDeepNestingCostsNoStack(t *testing.T) {
	const levels = 5_000_000
	deep := []byte(`{"a":` + strings.Repeat("[", levels) + strings.Repeat("]", levels) + `}`)
	_, depth, err := fields(deep, "a")
	if err != nil || depth != levels+1 {
		t.Errorf("depth = %d, error %v; want %d", depth, err, levels+1)
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

// TestABatchCanNotGrowIntoManyMessages: a line is bounded in bytes, but the messages
// made of it take much more memory than it does.
func TestABatchCanNotGrowIntoManyMessages(t *testing.T) {
	for n, want := range map[int]int{maxBatch: maxBatch, maxLine / 26: maxBatch} {
		log, out := logTo(slog.LevelWarn)
		batch := "[" + strings.TrimSuffix(strings.Repeat(`{"jsonrpc":"2.0","id":1},`, n), ",") + "]\n"
		s := &stdio{log: log, in: bufio.NewReader(strings.NewReader(batch + `{"jsonrpc":"2.0","id":2}` + "\n"))}
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
	if got, want := plain("a\x1b[31m\nb\u202e\u2028c\x00\xff", 100), "a [31m b  c"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := plain("ééé", 3), "ééé"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := plain("ééééé", 3), "éé…"; got != want {
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
		if r, err := readResult(m.result); err == nil {
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
