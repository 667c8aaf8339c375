//go:build linux && (amd64 || arm64)

package gvisor

import (
	"os"
	"path/filepath"
	"strings"

	"gvisor.dev/gvisor/runsc/cli"
	"gvisor.dev/gvisor/runsc/cmd"
	"gvisor.dev/gvisor/runsc/cmd/sentry/sentrycmd"
	"gvisor.dev/gvisor/runsc/cmd/util"
)

// Main turns this process into runsc when it was started to be that: under the
// name /proc/self/exe, as gVisor re-executes itself, or under a name that starts
// with "runsc". Then it does not return. It must be the first thing main does.
//
// The commands are those that start and run containers, so that a link to the
// program named runsc also serves as a Docker runtime.
func Main() {
	if arg := os.Args[0]; arg == selfExe || strings.HasPrefix(filepath.Base(arg), "runsc") {
		cli.Run(nil, commands(), nil)
	}
}

const selfExe = "/proc/self/exe"

// commands is the table of maincli without the development tools, and without
// its embedded second binary for checkpoints in cloud storage (47 MB).
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
