// Package sandbox runs hostile Python in a machine that is used once, and passes its
// tool calls to the host, one JSON line per call.
//
//	Driver     starts machines: CPython, runner.py, nothing else (docker, gvisor)
//	Sandbox    one machine whose runner is ready: Open, Init, Exec, Kill
//	Pool       sandboxes started ahead, each used once
//	wire       the lines between host and runner
//
// A Pool follows the load. It keeps as many sandboxes ready as the largest burst of
// the last minutes took, within bounds, so that a second burst of that size finds
// enough of them; without runs it shrinks again. While sandboxes are ready, no
// replacement is started beside a short run. When none is ready, replacements are
// started at once, on all processors, and the first that is ready goes to the Take
// that has waited longest.
//
// Whatever comes out of a machine is hostile. The host reads it line by line,
// each of at most 1 MiB, and knows four kinds of line. Anything else ends the
// machine: text that is not strict JSON, an unknown op or key, a call id that does
// not grow, more calls at once than allowed, more output than allowed, a line at a
// time when none is expected. The limits on time, output and calls are
// enforced here; those on memory, processes, files and the network by the
// driver. runner.py, the other end, is a convenience for honest code: nothing
// here relies on what it does.
//
// The code learns what tools return and the fixed texts of this package. What
// went wrong on the host is in errors and in Outcome.Detail, for the operator.
package sandbox
