package sandboxtest

import (
	"slices"
	"testing"
)

func TestTheTableHoldsManyProbesEachWithANameOfItsOwn(t *testing.T) {
	const least = 90
	names := map[string]bool{}
	for _, p := range slices.Concat(probes, networkProbes) {
		if p.name == "" || p.code == "" || names[p.name] {
			t.Errorf("the probe %q has no code, or its name is another's too", p.name)
		}
		names[p.name] = true
	}
	if len(names) < least {
		t.Errorf("there are %d probes, and should be %d", len(names), least)
	}
	for _, b := range bombs {
		if b.name == "" || b.code == "" || names[b.name] {
			t.Errorf("the bomb %q has no code, or its name is another's too", b.name)
		}
		names[b.name] = true
	}
}

func TestAnAnswerHoldsOnlyWhereItIsHarmless(t *testing.T) {
	strict, harmless := probe{name: "a"}, probe{name: "b", emulated: "why"}
	for _, c := range []struct {
		answer                     string
		strict, harmless, withHost bool // holds: a strict probe, a harmless one, a harmless one where the kernel is the host's
	}{
		{"held: EPERM", true, true, true},
		{"got: 3", false, true, false},
		{"reached: EINVAL", false, true, false},
		{"died: of signal 11", false, false, false},
		{"broken: NameError", false, false, false},
		{"hangs: said nothing in time", false, false, false},
		{"", false, false, false},
	} {
		inner, host := &suite{ownKernel: true}, &suite{}
		if inner.held(strict, c.answer) != c.strict || inner.held(harmless, c.answer) != c.harmless || host.held(harmless, c.answer) != c.withHost {
			t.Errorf("%q is judged wrongly", c.answer)
		}
	}
	for _, fact := range hostFacts() {
		if (&suite{ownKernel: true}).held(harmless, "got: "+fact) {
			t.Errorf("an answer that tells %q holds", fact)
		}
	}
}
