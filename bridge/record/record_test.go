package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
)

func entry() *Entry {
	return &Entry{
		Labels:      map[string]string{"session": "s1"},
		Bundles:     map[string]Bundle{"codemode": {Revision: "r1"}},
		Input:       json.RawMessage(`{"call":{"args":{"n":123456789012345678901234567890,"html":"<&>"}}}`),
		Result:      map[string]any{"allow": true},
		RequestedBy: "client 1.0",
		Metrics:     map[string]int64{QueryTime: 52_000},
		RequestID:   7,
	}
}

// lines decodes every line of data and fails on one that is not JSON.
func lines(t *testing.T, data []byte) []map[string]any {
	t.Helper()
	var list []map[string]any
	for _, line := range strings.Split(strings.TrimSuffix(string(data), "\n"), "\n") {
		var v map[string]any
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			t.Fatalf("line %q: %v", line, err)
		}
		list = append(list, v)
	}
	return list
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// The fields are those of OPA v1's decision log event and their types are its
// types: a reader that knows no other fields but the chain's reads a line.
func TestLineIsAnOPADecisionLogEvent(t *testing.T) {
	type bundle struct {
		Revision string `json:"revision"`
	}
	type event struct { // the part of plugins/logs.EventV1 that applies here
		Labels      map[string]string `json:"labels"`
		DecisionID  string            `json:"decision_id"`
		Bundles     map[string]bundle `json:"bundles"`
		Path        string            `json:"path"`
		Input       any               `json:"input"`
		Result      any               `json:"result"`
		RequestedBy string            `json:"requested_by"`
		Timestamp   time.Time         `json:"timestamp"`
		Metrics     map[string]any    `json:"metrics"`
		RequestID   uint64            `json:"req_id"`
		// Ours: the links of the chain.
		Chain string `json:"chain"`
		Seq   int64  `json:"seq"`
		Prev  string `json:"prev"`
	}
	var b bytes.Buffer
	e := entry()
	if err := New(&b).Write(e); err != nil {
		t.Fatal(err)
	}
	var got event
	d := json.NewDecoder(&b)
	d.UseNumber()
	d.DisallowUnknownFields()
	if err := d.Decode(&got); err != nil {
		t.Fatal(err)
	}
	if got.Chain == "" {
		t.Error("the line is in no chain")
	}
	want := event{
		Chain: got.Chain, Seq: 1,
		Labels: map[string]string{"session": "s1"}, DecisionID: e.DecisionID, Path: "codemode/decision",
		Bundles: map[string]bundle{"codemode": {"r1"}},
		Input: map[string]any{"call": map[string]any{"args": map[string]any{
			"n": json.Number("123456789012345678901234567890"), "html": "<&>",
		}}},
		Result: map[string]any{"allow": true}, RequestedBy: "client 1.0", Timestamp: e.Timestamp,
		Metrics: map[string]any{"timer_rego_query_eval_ns": json.Number("52000")}, RequestID: 7,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestEmptyFieldsAreFilledIn(t *testing.T) {
	var b bytes.Buffer
	log := New(&b)
	first, second := &Entry{}, &Entry{}
	before := time.Now()
	for _, e := range []*Entry{first, second} {
		if err := log.Write(e); err != nil {
			t.Fatal(err)
		}
		if _, err := uuid.Parse(e.DecisionID); err != nil {
			t.Errorf("decision id %q: %v", e.DecisionID, err)
		}
		if e.Timestamp.Before(before) || e.Timestamp.Location() != time.UTC {
			t.Errorf("timestamp %v", e.Timestamp)
		}
	}
	if first.DecisionID == second.DecisionID {
		t.Error("two decisions have one id")
	}
	for _, line := range lines(t, b.Bytes()) {
		if _, err := time.Parse(time.RFC3339Nano, line["timestamp"].(string)); err != nil {
			t.Error(err)
		}
		if line["path"] != Path {
			t.Errorf("path %v", line["path"])
		}
	}
}

// Numbers stay exact, nothing is escaped for HTML, and a value with newlines or
// in pretty print is still one line.
func TestOneLineAndExact(t *testing.T) {
	var b bytes.Buffer
	e := entry()
	e.Input = json.RawMessage("{\n  \"n\": 1.10,\n  \"s\": \"a\\nb <x>\"\n}")
	if err := New(&b).Write(e); err != nil {
		t.Fatal(err)
	}
	if got := b.String(); strings.Count(got, "\n") != 1 || !strings.Contains(got, `"input":{"n":1.10,"s":"a\nb <x>"}`) {
		t.Errorf("line %s", got)
	}
}

// Arguments that a call may have, 64 KiB as they are sent, fit into a line whatever they are made
// of, with as much again beside them many times over.
func TestTheLargestArgumentsFitIntoALine(t *testing.T) {
	const arguments = 64 << 10
	for _, character := range []string{"<", "&", "\"", "\\", "ü", "\u2028", "\x7f"} {
		var b bytes.Buffer
		e := entry()
		e.Input = map[string]any{"args": strings.Repeat(character, arguments/len(character))}
		if err := New(&b).Write(e); err != nil {
			t.Fatal(err)
		}
		if b.Len() > 2*arguments+1024 || b.Len() > MaxLine/8 {
			t.Errorf("%q: the line has %d bytes", character, b.Len())
		}
	}
}

// counter counts writes, each of which must be one whole line.
type counter struct {
	mu     sync.Mutex
	writes [][]byte
}

func (c *counter) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.writes = append(c.writes, bytes.Clone(p))
	return len(p), nil
}

func TestEveryLineIsOneWrite(t *testing.T) {
	const writers, each = 8, 50
	var c counter
	log := New(&c)
	var wg sync.WaitGroup
	for range writers {
		wg.Go(func() {
			for range each {
				if err := log.Write(entry()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if len(c.writes) != writers*each {
		t.Fatalf("%d writes of %d lines", len(c.writes), writers*each)
	}
	for _, w := range c.writes {
		if len(lines(t, w)) != 1 || !bytes.HasSuffix(w, []byte("}\n")) {
			t.Fatalf("write %q is not a line", w)
		}
	}
}

// failing takes only some bytes of a write.
type failing struct {
	bytes.Buffer
	take int // of the next write; -1: all
	err  error
}

func (f *failing) Write(p []byte) (int, error) {
	if f.take < 0 {
		return f.Buffer.Write(p)
	}
	n, _ := f.Buffer.Write(p[:min(f.take, len(p))])
	return n, f.err
}

func TestFailedWriteIsAnErrorAndTheNextLineStartsClean(t *testing.T) {
	for _, take := range []int{0, 1, 10} {
		f := &failing{take: take, err: syscall.ENOSPC}
		log := New(f)
		for range 2 { // a second failure must not hide the first
			if err := log.Write(entry()); !errors.Is(err, syscall.ENOSPC) {
				t.Fatalf("after %d bytes: %v", take, err)
			}
		}
		f.take = -1
		kept := entry()
		for _, e := range []*Entry{kept, entry()} {
			if err := log.Write(e); err != nil {
				t.Fatal(err)
			}
		}
		all := strings.Split(strings.TrimSuffix(f.String(), "\n"), "\n")
		whole := lines(t, []byte(strings.Join(all[len(all)-2:], "\n")))
		if whole[0]["decision_id"] != kept.DecisionID {
			t.Errorf("after %d bytes the next line is %v", take, whole[0])
		}
		if take == 0 && len(all) != 2 {
			t.Errorf("%d lines, though nothing of the failed ones was written", len(all))
		}
	}
}

func TestShortWriteIsAnError(t *testing.T) {
	if err := New(&failing{take: 5}).Write(entry()); !errors.Is(err, io.ErrShortWrite) {
		t.Errorf("got %v", err)
	}
}

func TestFullDiskIsAnError(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs /dev/full")
	}
	log, err := Open("/dev/full")
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	if err := log.Write(entry()); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("got %v", err)
	}
}

func TestWhatCanNotBeEncodedOrIsTooLongIsNotWritten(t *testing.T) {
	var b bytes.Buffer
	log := New(&b)
	e := entry()
	e.Input = strings.Repeat("x", MaxLine)
	if err := log.Write(e); !errors.Is(err, ErrTooLong) {
		t.Errorf("too long: %v", err)
	}
	for _, input := range []any{json.RawMessage(`{"a":`), make(chan int), json.Number("1e")} {
		e := entry()
		e.Input = input
		if err := log.Write(e); err == nil {
			t.Errorf("%v was written", input)
		}
	}
	if b.Len() > 0 {
		t.Errorf("wrote %q", b.String())
	}
}

func TestAppendsForItsOwnerAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "decisions.log")
	for i := range 2 {
		log, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		log.Sync = true
		if err := log.Write(entry()); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(log.Close(), log.Close()); err != nil {
			t.Error(err)
		}
		if err := log.Write(entry()); !errors.Is(err, os.ErrClosed) {
			t.Errorf("a write after Close: %v", err)
		}
		if n := len(lines(t, read(t, path))); n != i+1 {
			t.Errorf("%d lines", n)
		}
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", info.Mode())
	}
}

// A process that died in the middle of a line leaves the rest of it behind.
func TestOpenStartsANewLineAfterATornOne(t *testing.T) {
	path := filepath.Join(t.TempDir(), "decisions.log")
	if err := os.WriteFile(path, []byte(`{"decision_id":"x","inp`), 0o600); err != nil {
		t.Fatal(err)
	}
	log, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	if err := log.Write(entry()); err != nil {
		t.Fatal(err)
	}
	_, rest, _ := bytes.Cut(read(t, path), []byte("\n"))
	if n := len(lines(t, rest)); n != 1 {
		t.Errorf("%d whole lines", n)
	}
}

func TestReopenFollowsARotation(t *testing.T) {
	path := filepath.Join(t.TempDir(), "decisions.log")
	log, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	write := func() {
		t.Helper()
		if err := log.Write(entry()); err != nil {
			t.Fatal(err)
		}
	}
	write()
	if err := os.Rename(path, path+".1"); err != nil {
		t.Fatal(err)
	}
	write() // still into the old file
	if err := log.Reopen(); err != nil {
		t.Fatal(err)
	}
	write()
	if old, fresh := len(lines(t, read(t, path+".1"))), len(lines(t, read(t, path))); old != 2 || fresh != 1 {
		t.Errorf("%d lines in the old file, %d in the new one", old, fresh)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := log.Reopen(); err == nil {
		t.Error("a directory was opened")
	}
	write() // goes on with what it has
	if err := New(io.Discard).Reopen(); err == nil {
		t.Error("a log without a path was reopened")
	}
}

func TestNoLogRecordsNothing(t *testing.T) {
	var log *Log
	if err := log.Write(entry()); err == nil {
		t.Error("a decision counts as recorded without a log")
	}
}

func BenchmarkWrite(b *testing.B) {
	log, err := Open(filepath.Join(b.TempDir(), "decisions.log"))
	if err != nil {
		b.Fatal(err)
	}
	defer log.Close()
	b.ReportAllocs()
	for b.Loop() {
		e := entry()
		if err := log.Write(e); err != nil {
			b.Fatal(err)
		}
	}
}
