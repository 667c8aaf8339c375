package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/sync/errgroup"
)

// inFlight is how many calls of a program are under way at once.
const inFlight = 64

// dial starts a server for a client of the SDK.
func (b *bench) dial(ctx context.Context, server ...string) (*mcp.ClientSession, error) {
	client := mcp.NewClient(&mcp.Implementation{Name: "bench", Version: "1"}, nil)
	return client.Connect(ctx, &mcp.CommandTransport{Command: exec.CommandContext(ctx, server[0], server[1:]...)}, nil)
}

// directly calls a tool n times, without us in between, at most width at once, and
// returns how long each call took, and all of them.
func (b *bench) directly(ctx context.Context, n, width int, tool, args string, server ...string) (sample, time.Duration, error) {
	session, err := b.dial(ctx, server...)
	if err != nil {
		return nil, 0, err
	}
	defer func() { _ = session.Close() }() // the server is done with either way
	took := make(sample, n)
	begun := time.Now()
	calls, ctx := errgroup.WithContext(ctx)
	calls.SetLimit(width)
	for i := range n {
		calls.Go(func() error {
			start := time.Now()
			result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(args)})
			if err == nil && result.IsError {
				err = fmt.Errorf("calling %q: the tool reported an error", tool)
			}
			took[i] = time.Since(start)
			return err
		})
	}
	err = calls.Wait()
	return took, time.Since(begun), err
}
