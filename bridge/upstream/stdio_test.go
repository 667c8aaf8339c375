package upstream

import (
	"context"
	"errors"
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
	s, err := newStdio(&Command{Path: "cat"}, DefaultAnswer, slog.New(slog.DiscardHandler))
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

// A call whose run is over must not have an effect any more.
func TestWhatNobodyWaitsForIsNotSent(t *testing.T) {
	s, err := newStdio(&Command{Path: "cat"}, DefaultAnswer, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.send(over, &message{id: 1, method: "call"}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want that the context is over", err)
	}
	if err := s.send(t.Context(), &message{id: 2, method: "call"}); err != nil {
		t.Fatal(err)
	}
	if m, err := s.receive(); err != nil || string(m.id) != "2" {
		t.Errorf("got %+v (%v), want the second message", m, err)
	}
}
