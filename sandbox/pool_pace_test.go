package sandbox

import (
	"testing"
	"time"
)

func TestEachStageStartsWhatItSays(t *testing.T) {
	ago := func(d time.Duration) time.Time { return epoch.Add(-d) }
	soon := epoch.Add(time.Second)
	for name, tt := range map[string]struct {
		pace  pace
		stage stage
		n     int
		until time.Time
	}{
		"none is missing":               {pace{keep: 2, idle: 2}, full, 0, time.Time{}},
		"what is missing is on its way": {pace{keep: 2, idle: 1, starting: 1}, full, 0, time.Time{}},
		"a run goes on": {
			pace{keep: 4, idle: 1, running: 1, burst: 3, lastTake: ago(100 * time.Millisecond)},
			resting, 0, epoch.Add(refillPatience - 100*time.Millisecond)},
		"a run goes on for long":  {pace{keep: 4, idle: 1, running: 1, burst: 3, lastTake: ago(time.Second)}, filling, 2, time.Time{}},
		"a run has just ended":    {pace{keep: 2, idle: 1, burst: 1, lastEnd: ago(time.Millisecond)}, resting, 0, epoch.Add(refillDelay - time.Millisecond)},
		"all is calm":             {pace{keep: 16, idle: 1, burst: 1, lastEnd: ago(time.Second)}, filling, 2, time.Time{}},
		"half of them is at work": {pace{keep: 16, idle: 1, starting: 2}, filling, 0, time.Time{}},
		"the pool is new":         {pace{keep: 4}, filling, 2, time.Time{}},
		"a run took the last":     {pace{keep: 2, running: 2, burst: 2, lastTake: epoch}, pressed, 2, time.Time{}},
		"a burst took them all":   {pace{keep: 8, running: 8, burst: 8, starting: 1, lastTake: epoch}, pressed, 3, time.Time{}},
		"a Take waits":            {pace{keep: 2, waiting: 1, running: 3, burst: 3}, asked, 3, time.Time{}},
		"a Take waits for a start under way": {
			pace{keep: 2, waiting: 1, starting: 1, running: 3, burst: 3}, pressed, 2, time.Time{}},
		"more Takes wait than there are processors": {pace{keep: 2, waiting: 7, starting: 1, running: 9, burst: 9}, asked, 6, time.Time{}},
		"nothing is kept, and a Take waits":         {pace{waiting: 1, running: 1}, asked, 1, time.Time{}},
		"a start failed":                            {pace{keep: 2, idle: 1, notBefore: soon}, failing, 0, soon},
		"a start failed in a burst":                 {pace{keep: 2, burst: 2, running: 2, notBefore: soon}, failing, 0, soon},
		"a start failed, and Takes wait":            {pace{keep: 2, waiting: 3, running: 3, burst: 3, failed: true, notBefore: soon}, asked, 3, time.Time{}},
		"a start failed some time ago":              {pace{keep: 2, burst: 2, failed: true, notBefore: epoch}, pressed, 1, time.Time{}},
	} {
		p := tt.pace
		p.now, p.processors = epoch, 4
		s, _ := p.stage()
		n, until := p.starts()
		if s != tt.stage || n != tt.n || !until.Equal(tt.until) {
			t.Errorf("%s: stage %d, %d starts, until %v; want %d, %d, %v", name, s, n, until, tt.stage, tt.n, tt.until)
		}
	}
}

func TestOneProcessorIsEnoughToFill(t *testing.T) {
	if n, _ := (pace{now: epoch, processors: 1, keep: 2}).starts(); n != 1 {
		t.Errorf("%d starts", n)
	}
}
