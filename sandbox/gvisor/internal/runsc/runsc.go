//go:build linux && (amd64 || arm64)

// Package runsc is gVisor's command line program: what a process becomes when it
// is started to be a sandbox. Nothing else of this module is linked with it, so
// that a program of its own can be made of it that starts fast.
package runsc

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"time"

	"gvisor.dev/gvisor/runsc/cli"
	"gvisor.dev/gvisor/runsc/cmd"
	"gvisor.dev/gvisor/runsc/cmd/sentry/sentrycmd"
	"gvisor.dev/gvisor/runsc/cmd/util"
)

// Sentry is the name sentries of sandboxes are started under.
const Sentry = "runsc-sentry"

// settled is how long after its start, or after the start of what it runs, a sentry gives
// back the memory that this took. Most that run a program at once are gone by then; those
// that wait are not.
const settled = time.Second

// startAllocates is less than what restoring a snapshot allocates, in bytes: some 8 MB.
const startAllocates = 4 << 20

// giveBack gives memory back now, and once more when as much has been allocated
// since as a start takes.
func giveBack() {
	allocs := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	debug.FreeOSMemory()
	metrics.Read(allocs)
	before := allocs[0].Value.Uint64()
	for range time.Tick(settled) {
		metrics.Read(allocs)
		if allocs[0].Value.Uint64()-before >= startAllocates {
			debug.FreeOSMemory()
			return
		}
	}
}

// Main turns this process into runsc when it was started to be that: under the
// name /proc/self/exe, as gVisor re-executes itself, or under a name that starts
// with "runsc". Then it does not return.
//
// The commands are those that start and run containers, so that a link to the
// program named runsc also serves as a Docker runtime.
func Main() {
	name := filepath.Base(os.Args[0])
	if os.Args[0] != "/proc/self/exe" && !strings.HasPrefix(name, "runsc") {
		return
	}
	if name == Sentry {
		// Lists of processes would show it as a number. It is of no other use.
		_ = os.WriteFile("/proc/self/comm", []byte(name), 0)
		useSmallUmounter()
		useCompiledFilter()
		time.AfterFunc(settled, giveBack)
	}
	cli.Run(nil, commands(), nil)
}

// commands is the table of gVisor's maincli without the development tools, and
// without its embedded second binary for checkpoints in cloud storage (47 MB).
func commands() map[util.SubCommand]string {
	table := make(map[util.SubCommand]string)
	for group, list := range map[string][]util.SubCommand{
		"": {
			new(cmd.Checkpoint), new(cmd.Create), new(cmd.Delete), new(cmd.Events), new(cmd.Exec),
			new(cmd.Features), new(cmd.Kill), new(cmd.List), new(cmd.PS), new(cmd.Pause), new(cmd.Restore),
			new(cmd.Resume), new(cmd.Run), new(cmd.Spec), new(cmd.Start), new(cmd.State), new(cmd.Update), new(cmd.Wait),
		},
		"internal use only": {new(sentrycmd.Boot), new(sentrycmd.Umount), new(cmd.Gofer)},
	} {
		for _, c := range list {
			table[c] = group
		}
	}
	return table
}
