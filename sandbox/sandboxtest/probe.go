package sandboxtest

import (
	_ "embed"
	"encoding/json"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/mcp-code-mode/mcp-code-mode/sandbox"
)

// A probe is one thing that hostile code tries, and its answer when the sandbox
// holds.
//
// The code is the body of a Python function. It was refused where it raises an
// OSError that says no, or Held; it got something where it returns, or where an
// error shows that its arguments were looked at.
//
// A sandbox holds when the probe is refused. One with a kernel of its own may also
// answer as a kernel does, where emulated says why that is harmless: then an answer
// is wrong only if it tells a fact of the host, and so is to crash or to hang.
type probe struct {
	name     string // what it tries
	code     string
	emulated string
}

// inner marks a probe as harmless in a sandbox with a kernel of its own.
func (p probe) inner(why string) probe {
	p.emulated = why
	return p
}

// probes is the table of what is tried in every sandbox.
// Those of the network are tried apart, while the host listens.
var probes = slices.Concat(kernelProbes, namespaceProbes, fileProbes, rightsProbes)

// probeRunner is the Python that probes are run with.
//
//go:embed probe.py
var probeRunner string

// WithOwnKernel says that the sandboxes have a kernel of their own, which emulates
// the host's: a probe that is harmless there may succeed.
func WithOwnKernel() Option { return func(s *suite) { s.ownKernel = true } }

// tryAll runs the probes in one sandbox and tests the answer of each.
func (s *suite) tryAll(t *testing.T, probes []probe) {
	t.Helper()
	answers := s.answers(t, probes)
	for _, p := range probes {
		t.Run(strings.ReplaceAll(p.name, " ", "_"), func(t *testing.T) {
			got, ok := answers[p.name]
			if !ok {
				t.Fatal("it took the sandbox down, or one before it did")
			}
			if !s.held(p, got) {
				t.Errorf("the code %s", got)
			}
		})
	}
}

// held reports whether an answer is one of a sandbox that holds.
func (s *suite) held(p probe, answer string) bool {
	kind, _, _ := strings.Cut(answer, ":")
	switch kind {
	case "held":
		return true
	case "got", "reached":
		return s.ownKernel && p.emulated != "" && !slices.ContainsFunc(hostFacts(), func(fact string) bool {
			return strings.Contains(answer, fact)
		})
	default:
		return false
	}
}

// hostFacts are texts that nobody but this host knows.
func hostFacts() (facts []string) {
	for _, file := range []string{"/proc/sys/kernel/random/boot_id", "/etc/machine-id", "/proc/cmdline"} {
		if text, err := os.ReadFile(file); err == nil && len(text) > 20 {
			facts = append(facts, strings.TrimSpace(string(text))[:20])
		}
	}
	return facts
}

// answers are what the probes say, by name. Those are missing that come after one
// that took the sandbox down.
func (s *suite) answers(t *testing.T, probes []probe) map[string]string {
	t.Helper()
	type pair [2]string
	var table []pair
	for _, p := range probes {
		table = append(table, pair{p.name, p.code})
	}
	text, err := json.Marshal(table)
	if err != nil {
		t.Fatal(err)
	}
	h := &host{}
	sb := s.open(t, sandbox.Limits{Deadline: 3 * time.Minute})
	o := s.execIn(t, sb, probeRunner+`
import json
for name, said in attempts(json.loads(`+strconv.QuoteToASCII(string(text))+`)):
    await echo(name=name, answer=said)
`, h.call)
	if o.Error != "" {
		t.Errorf("the probes ended early: %+v", o)
	}
	answers := map[string]string{}
	for _, c := range h.seen() {
		said, _ := c.Args.(map[string]any)
		name, _ := said["name"].(string)
		answers[name], _ = said["answer"].(string)
	}
	return answers
}
