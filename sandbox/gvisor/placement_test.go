//go:build linux && (amd64 || arm64)

package gvisor

import (
	"testing"

	"golang.org/x/sys/unix"
)

func TestProcessorsAreHandedOutInTurn(t *testing.T) {
	p := newProcessors(1)
	p.allowed = []int{2, 3, 7}
	for i, want := range []int{2, 3, 7, 2} {
		set := p.take()
		if set == nil || set.Count() != 1 || !set.IsSet(want) {
			t.Errorf("sandbox %d got %v, want processor %d", i, set, want)
		}
	}
	if n := p.count(); n != 1 {
		t.Errorf("a sandbox sees %d processors, want 1", n)
	}
}

func TestPartOfAProcessorIsOneAndAllNeedsNoPlace(t *testing.T) {
	p := newProcessors(1.5)
	p.allowed = []int{0, 1, 2}
	if set := p.take(); set == nil || set.Count() != 2 {
		t.Errorf("1.5 processors became %v, want two", set)
	}
	p.allowed = []int{4, 5}
	if set := p.take(); set != (*unix.CPUSet)(nil) {
		t.Errorf("got %v although a sandbox may use all processors there are", set)
	}
	if n := p.count(); n != 2 {
		t.Errorf("a sandbox sees %d processors, want 2", n)
	}
}
