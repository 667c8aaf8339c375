package server_test

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-code-mode/mcp-code-mode/bridge/server"
)

// unread is a connection to a client that writes and does not read.
type unread struct {
	mcp.Connection
	t    *testing.T
	to   *io.PipeWriter
	from *io.PipeReader
	got  []*jsonrpc.Request
	end  error // of Read; nil while it has not ended
}

// connect connects a client that writes lines without end.
func connect(t *testing.T, line func(i int) string) *unread {
	in, to := io.Pipe()
	from, out := io.Pipe()
	c, err := (&server.Stdio{In: in, Out: out}).Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	u := &unread{Connection: c, t: t, to: to, from: from}
	go func() {
		for i := 0; err == nil; i++ {
			_, err = io.WriteString(to, line(i)+"\n")
		}
	}()
	go func() {
		for u.end == nil {
			var m jsonrpc.Message
			if m, u.end = c.Read(context.Background()); u.end == nil {
				u.got = append(u.got, m.(*jsonrpc.Request))
			}
		}
	}()
	synctest.Wait()
	return u
}

// answer answers a request that was read; it returns at once.
func (u *unread) answer(i int) {
	go func() { _ = u.Write(context.Background(), &jsonrpc.Response{ID: u.got[i].ID, Result: []byte("{}")}) }()
	synctest.Wait()
}

func (u *unread) close() {
	u.Close()
	u.to.Close()
	u.from.Close()
	synctest.Wait()
}

func ping(size int) func(int) string {
	params := strings.Repeat("x", size)
	return func(i int) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping","params":{"x":"%s"}}`, i, params)
	}
}

// TestAClientThatDoesNotReadIsNotReadEither: what waits for it is bounded in
// number and in bytes.
func TestAClientThatDoesNotReadIsNotReadEither(t *testing.T) {
	for size, want := range map[int]int{10: 256, 8_000_000: 8} {
		synctest.Test(t, func(t *testing.T) {
			u := connect(t, ping(size))
			defer u.close()
			if len(u.got) != want {
				t.Errorf("%d requests of %d bytes were read, want %d", len(u.got), size, want)
			}
			u.answer(0)
			if len(u.got) != want {
				t.Errorf("%d requests were read while the first answer is not", len(u.got))
			}
			if _, err := u.from.Read(make([]byte, 1024)); err != nil {
				t.Fatal(err)
			}
			if synctest.Wait(); len(u.got) != want+1 {
				t.Errorf("%d requests were read when the first answer was", len(u.got))
			}
		})
	}
}

func TestAClientThatNeverReadsIsLeft(t *testing.T) {
	for name, line := range map[string]func(int) string{
		"requests": ping(10), "junk": func(int) string { return "what?" },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				u := connect(t, line)
				defer u.close()
				if name == "requests" {
					u.answer(0)
				}
				time.Sleep(30 * time.Second)
				if synctest.Wait(); u.end != nil {
					t.Errorf("after 30 s: %v", u.end)
				}
				time.Sleep(2 * time.Minute)
				if synctest.Wait(); u.end == nil || !strings.Contains(u.end.Error(), "it has read nothing for 1m0s") {
					t.Errorf("after minutes: %v", u.end)
				}
			})
		})
	}
}

// TestRunsThatTakeLongAreNoReasonToLeave: requests that wait for their answers are
// not answers that wait for their reader.
func TestRunsThatTakeLongAreNoReasonToLeave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		u := connect(t, ping(10))
		defer u.close()
		time.Sleep(24 * time.Hour)
		if synctest.Wait(); u.end != nil {
			t.Errorf("it ended: %v", u.end)
		}
	})
}
