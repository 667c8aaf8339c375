package server

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// A client hears of a run at least every five seconds, whatever the code does.
func TestALongRunSaysThatItIsAlive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var got []string
		began := time.Now()
		p := startProgress(func(count int, text string) {
			if count != len(got)+1 {
				t.Errorf("progress %d after %d", count, len(got))
			}
			got = append(got, fmt.Sprintf("%v %s", time.Since(began), text))
		})
		watch := p.observer()
		watch.tell("preparing the sandbox")
		time.Sleep(5 * time.Second)
		watch.call(1, "s/a")
		watch.call(2, "s/b")
		time.Sleep(9 * time.Second)
		p.close()
		want := []string{"0s preparing the sandbox", "4s 4 s, 0 calls made", "5s call 1: s/a", "5s call 2: s/b", "9s 9 s, 2 calls made", "13s 13 s, 2 calls made"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// A client that takes nothing is told the state once it does, and no more than fits.
func TestASlowClientIsNotWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate, told := make(chan struct{}), 0
		p := startProgress(func(int, string) { <-gate; told++ })
		for seq := range int64(1000) {
			p.observer().call(seq, "s/a")
		}
		time.Sleep(time.Minute)
		close(gate)
		p.close()
		if told > progressQueue+3 {
			t.Errorf("%d notifications waited", told)
		}
	})
}
