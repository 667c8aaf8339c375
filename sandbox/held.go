package sandbox

import (
	"context"

	"golang.org/x/sync/semaphore"

	"github.com/mcp-code-mode/mcp-code-mode/sandbox/wire"
)

// The bounds on results that are held in memory, from the moment a call goes out until
// its result is written to the sandbox. Beyond them calls wait. docs/decisions/086 has
// the reasons.
const (
	maxHeldByRun = 128 << 20 // bytes
	maxHeld      = 512 << 20 // of all runs of this process
)

var heldByAll = semaphore.NewWeighted(maxHeld)

// room is the memory that the results of one run may take. No call waits for room of the
// process without having that of its run, and none waits for more than it holds, so
// every one gets its turn.
type room struct{ run, all *semaphore.Weighted }

func newRoom() room { return room{semaphore.NewWeighted(maxHeldByRun), heldByAll} }

// take waits until there is room for a result, or until ctx ends; nothing is taken then.
// More than a run may hold counts as that much: one result always fits.
func (r room) take(ctx context.Context, bytes int64) (taken int64, err error) {
	taken = min(bytes, maxHeldByRun)
	if err := r.run.Acquire(ctx, taken); err != nil {
		return 0, err
	}
	if err := r.all.Acquire(ctx, taken); err != nil {
		r.run.Release(taken)
		return 0, err
	}
	return taken, nil
}

func (r room) give(bytes int64) {
	r.run.Release(bytes)
	r.all.Release(bytes)
}

// answered waits for room for so many bytes, has a call answered, and keeps as much of the room as the
// answer needs. If ctx ends meanwhile, the answer is of no use any more.
func (r room) answered(ctx context.Context, bytes int64, answer func() wire.Reply) (reply wire.Reply, taken int64) {
	taken, err := r.take(ctx, bytes)
	reply = answer() // in any case: whoever gave it counts on it
	if err != nil {
		return reply, 0
	}
	size := sizeOf(reply)
	if size > taken { // nobody said how large it can be
		r.give(taken)
		taken, _ = r.take(ctx, size)
		return reply, taken
	}
	r.give(taken - size)
	return reply, size
}

func sizeOf(r wire.Reply) int64 {
	size := len(r.Text) + len(r.Data) + len(r.Content)
	if r.Err != nil {
		size += len(r.Err.Partial)
	}
	return int64(size)
}
