package bridge

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// The time of a call begins again with each report of progress where that is asked for,
// and nothing makes it longer than the run.
func TestProgressRestartsTheTimeOfACallWhereItIsAskedFor(t *testing.T) {
	for _, test := range []struct {
		restart bool
		steps   int // of 20 s
		run     time.Duration
		want    time.Duration
		timeout bool
	}{
		{false, 10, time.Hour, 30 * time.Second, true},
		{true, 0, time.Hour, 30 * time.Second, true},
		{true, 10, time.Hour, 230 * time.Second, true},
		{true, 10, 90 * time.Second, 90 * time.Second, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			run, end := context.WithCancel(t.Context())
			defer end()
			time.AfterFunc(test.run, end)
			ctx, progress, cancel := CallLimits{Timeout: 30 * time.Second, RestartOnProgress: test.restart}.timed(run)
			defer cancel()
			began := time.Now()
			var server sync.WaitGroup
			defer server.Wait()
			server.Go(func() {
				for range test.steps {
					time.Sleep(20 * time.Second)
					if progress != nil {
						progress()
					}
				}
			})
			<-ctx.Done()
			if took := time.Since(began); took != test.want || errors.Is(context.Cause(ctx), context.DeadlineExceeded) != test.timeout {
				t.Errorf("%+v: ended after %v: %v", test, took, context.Cause(ctx))
			}
		})
	}
}
