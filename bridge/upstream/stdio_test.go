package upstream

import (
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Whether a message leaves at once, waits in the queue or fills the pipe: those of one sender
// arrive in order and whole.
func TestMessagesArriveInTheOrderTheyWereSent(t *testing.T) {
	s, err := newStdio(&Command{Path: "cat"}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	const count = 3000
	sent := make(chan error, 1)
	go func() {
		for i := range count {
			params := []byte("{}")
			if i%10 == 7 { // more than a pipe takes whole, at times more than it takes at all
				params = fmt.Appendf(nil, `{"text":%q}`, strings.Repeat("x", i%9*10_000))
			}
			if err := s.send(t.Context(), &message{id: int64(i + 1), method: "call", params: params}); err != nil {
				sent <- err
				return
			}
		}
		sent <- nil
	}()
	for i := range count {
		m, err := s.receive()
		if err != nil {
			t.Fatal(err)
		}
		if string(m.id) != strconv.Itoa(i+1) {
			t.Fatalf("message %d has id %s", i+1, m.id)
		}
	}
	if err := <-sent; err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(5 * time.Second); s.waiting.Load() != 0; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d messages still wait", s.waiting.Load())
		}
	}
}
