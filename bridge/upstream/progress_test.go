package upstream

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Each call carries a token, and what the server reports of its progress reaches the one
// who called, as often as it comes; of other calls nothing does.
func TestProgressOfACallReachesItsCaller(t *testing.T) {
	server := sdkServer()
	told := make(chan struct{}, 100)
	server.AddTool(&mcp.Tool{Name: "steps", InputSchema: map[string]any{"type": "object"}}, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		for i := range 3 {
			err := r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: r.Params.GetProgressToken(), Progress: float64(i), Message: "step"})
			if err != nil {
				return nil, err
			}
			<-told // the caller was told
		}
		return &mcp.CallToolResult{Content: []mcp.Content{}}, nil
	})
	there, here := mcp.NewInMemoryTransports()
	session, err := server.Connect(t.Context(), there, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	u := startTest(t, Options{Transport: here})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var others atomic.Int64
	waiting := make(chan struct{})
	go func() {
		defer close(waiting)
		_, _ = u.CallWatched(ctx, "wait", nil, func() { others.Add(1) }) // it is cancelled
	}()
	var own atomic.Int64
	if _, err := u.CallWatched(testContext(t), "steps", nil, func() { own.Add(1); told <- struct{}{} }); err != nil {
		t.Fatal(err)
	}
	cancel()
	<-waiting
	if own.Load() != 3 || others.Load() != 0 {
		t.Errorf("told %d times, want 3; another call %d times", own.Load(), others.Load())
	}
	if p := u.live.Load(); len(p.watched) != 0 {
		t.Errorf("%d calls are watched after their end", len(p.watched))
	}
}

func TestATokenJoinsTheMetaOfASession(t *testing.T) {
	for meta, want := range map[string]string{
		"":                `"_meta":{"progressToken":7}`,
		`"_meta":{"a":1}`: `"_meta":{"progressToken":7,"a":1}`,
	} {
		if got := string(withToken([]byte(meta), 7)); got != want {
			t.Errorf("%s: got %s, want %s", meta, got, want)
		}
	}
}

func TestWhatIsNoProgressOfARequestIsPassedOver(t *testing.T) {
	for params, want := range map[string]int64{
		`{"progressToken":7,"progress":1}`: 7, `{"progressToken":"7"}`: 7, `{"progressToken":null}`: 0, `{"progressToken":{}}`: 0,
		`{}`: 0, `[7]`: 0, `7`: 0, `null`: 0, `{"progressToken":"x"}`: 0, `{"progressToken":7,"progressToken":8}`: 7,
	} {
		m, err := parse([]byte(`{"jsonrpc":"2.0","method":"notifications/progress","params":` + params + `}`))
		if err != nil || m.about != want {
			t.Errorf("%s: got %+v, %v, want %d", params, m, err, want)
		}
	}
}
