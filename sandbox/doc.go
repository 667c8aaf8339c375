// Package sandbox runs hostile Python in a disposable machine and carries its
// tool calls out, one JSON line per call.
package sandbox
