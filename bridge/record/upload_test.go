package record

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// A receiver is what takes decision logs, in twenty lines, and can be made to fail.
type receiver struct {
	mu     sync.Mutex
	events []map[string]any
	status []int // of the next requests; then 200
	most   int64 // bytes of an array that are taken; 0 is any
	tokens []string
	got    chan struct{} // gets something after every request
}

func newReceiver(t *testing.T) (*receiver, *httptest.Server) {
	t.Helper()
	r := &receiver{got: make(chan struct{}, 1000)}
	s := httptest.NewServer(r)
	t.Cleanup(s.Close)
	return r, s
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	defer func() { r.got <- struct{}{} }()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tokens = append(r.tokens, req.Header.Get("Authorization"))
	if len(r.status) > 0 {
		status := r.status[0]
		r.status = r.status[1:]
		w.Header().Set("Location", "/elsewhere")
		w.WriteHeader(status)
		return
	}
	z, err := gzip.NewReader(req.Body)
	if err != nil || req.Header.Get("Content-Encoding") != "gzip" || req.URL.Path != "/logs" {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	data, err := io.ReadAll(z)
	var events []map[string]any
	switch {
	case err != nil || json.Unmarshal(data, &events) != nil:
		w.WriteHeader(http.StatusBadRequest)
	case r.most > 0 && int64(len(data)) > r.most:
		w.WriteHeader(http.StatusRequestEntityTooLarge)
	default:
		r.events = append(r.events, events...)
	}
}

// wait waits until that many different lines have come.
func (r *receiver) wait(t *testing.T, want int) {
	t.Helper()
	deadline := time.After(30 * time.Second)
	for {
		r.mu.Lock()
		different := map[any]bool{}
		for _, e := range r.events {
			different[e["decision_id"]] = true
		}
		r.mu.Unlock()
		if len(different) >= want {
			return
		}
		select {
		case <-r.got:
		case <-deadline:
			t.Fatalf("%d lines of %d came", len(different), want)
		}
	}
}

func write(t *testing.T, log *Log, n int) {
	t.Helper()
	for range n {
		if err := log.Write(entry()); err != nil {
			t.Fatal(err)
		}
	}
}

func waiting(t *testing.T, dir string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func TestEveryLineIsUploadedWhateverTheServiceDoes(t *testing.T) {
	for name, prepare := range map[string]func(*receiver){
		"well":            func(*receiver) {},
		"failing":         func(r *receiver) { r.status = []int{500, 503, 502} },
		"too many":        func(r *receiver) { r.status = []int{429} },
		"not authorized":  func(r *receiver) { r.status = []int{401, 403} },
		"moved elsewhere": func(r *receiver) { r.status = []int{302, 307, 308} },
		"small":           func(r *receiver) { r.most = 2 << 10 },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, s := newReceiver(t)
			prepare(r)
			dir := filepath.Join(t.TempDir(), "upload")
			var file bytes.Buffer
			asked := 0
			log, err := Start(Options{Writer: &file, Upload: &Upload{
				URL: s.URL + "/logs", Dir: dir,
				Token: func() (string, error) { asked++; return "secret", nil },
			}})
			if err != nil {
				t.Fatal(err)
			}
			write(t, log, 30)
			r.wait(t, 30)
			if err := log.Close(); err != nil {
				t.Fatal(err)
			}
			if left := waiting(t, dir); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
			if got := lines(t, file.Bytes()); got[29]["decision_id"] != r.events[len(r.events)-1]["decision_id"] {
				t.Error("the file and the service got different lines")
			}
			for _, token := range r.tokens {
				if token != "Bearer secret" {
					t.Errorf("token %q", token)
				}
			}
		})
	}
}

// A line that has no room is not recorded; when the service is back, what waits is sent and
// there is room again.
func TestAFullBufferRecordsNothingAndDropsNothing(t *testing.T) {
	r, s := newReceiver(t)
	for range 3 {
		r.status = append(r.status, 500)
	}
	var file bytes.Buffer
	log, err := Start(Options{Writer: &file, Upload: &Upload{URL: s.URL + "/logs", Dir: filepath.Join(t.TempDir(), "upload"), MaxBuffer: 4 << 10}})
	if err != nil {
		t.Fatal(err)
	}
	taken := 0
	for err == nil {
		if err = log.Write(entry()); err == nil {
			taken++
		}
	}
	if !errors.Is(err, ErrBufferFull) || taken == 0 {
		t.Fatalf("after %d lines: %v", taken, err)
	}
	if n := len(lines(t, file.Bytes())); n != taken {
		t.Errorf("the file has %d lines, and %d were recorded", n, taken)
	}
	r.wait(t, taken)
	for err = log.Write(entry()); errors.Is(err, ErrBufferFull); err = log.Write(entry()) {
		time.Sleep(time.Millisecond) // the answer of the service is on its way
	}
	if err := errors.Join(err, log.Close()); err != nil {
		t.Fatal(err)
	}
	r.wait(t, taken+1)
	if findings := verify(t, &Verifier{}, strings.Split(strings.TrimSpace(file.String()), "\n")); len(findings) > 0 {
		t.Error(findings)
	}
}

// A service that is gone, or that never answers, costs a call nothing and loses nothing: the next
// process sends what the last one could not, but for a line that was never finished.
func TestWhatWasNotSentIsSentByTheNextProcess(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "upload")
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	log, err := Start(Options{Upload: &Upload{URL: gone.URL + "/logs", Dir: dir}})
	if err != nil {
		t.Fatal(err)
	}
	write(t, log, 5)
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	left := waiting(t, dir)
	if len(left) != 1 {
		t.Fatalf("left behind: %v", left)
	}
	f, err := os.OpenFile(left[0], os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(`{"decision_id":"never fin`); err != nil {
		t.Fatal(err)
	}
	f.Close()
	r, s := newReceiver(t)
	start := func() *Log {
		log, err := Start(Options{Upload: &Upload{URL: s.URL + "/logs", Dir: dir}})
		if err != nil {
			t.Fatal(err)
		}
		return log
	}
	first, second := start(), start() // they share the directory
	write(t, first, 1)
	write(t, second, 1)
	r.wait(t, 7)
	if err := errors.Join(first.Close(), second.Close()); err != nil {
		t.Fatal(err)
	}
	if left := waiting(t, dir); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	if len(r.events) != 7 {
		t.Errorf("%d lines came", len(r.events))
	}
}

func TestAnUploadThatWouldGiveTheTokenAwayIsRefused(t *testing.T) {
	token := func() (string, error) { return "secret", nil }
	for _, address := range []string{"", "logs.example", "ftp://logs.example/logs", "http://logs.example/logs", "https://me:pass@logs.example/logs", "http://127.0.0.1.example/logs"} {
		log, err := Start(Options{Upload: &Upload{URL: address, Token: token, Dir: filepath.Join(t.TempDir(), "upload")}})
		if err == nil {
			log.Close()
			t.Errorf("%q is taken", address)
		} else if strings.Contains(err.Error(), "me:") {
			t.Errorf("%v holds a password", err)
		}
	}
}
