//go:build linux && (amd64 || arm64)

package runsc

import (
	"os"
	_ "unsafe" // for go:linkname

	"gvisor.dev/gvisor/pkg/seccomp/precompiledseccomp"
	"gvisor.dev/gvisor/runsc/boot/filter"
)

// registered is where gVisor looks for filters that need no compiling. Its own build puts
// them there; what is published as a Go module leaves the map empty.
//
//go:linkname registered gvisor.dev/gvisor/runsc/boot/filter.precompiledPrograms
var registered map[string]precompiledseccomp.Program

// sentryPID is the process id of a sentry, which is the first process of its namespace. The
// filter allows some system calls for that process only.
const sentryPID = 1

// useCompiledFilter lets gVisor install the filter of host system calls that it would
// compile, and that is the same for every sentry of ours, as it was compiled before. Where
// something about the sentry is different it is looked up in vain, and compiled. See
// docs/decisions/052-compiled-filter.md.
func useCompiledFilter() {
	if compiled.Name == "" || os.Getpid() != sentryPID {
		return
	}
	filter.ListPrecompiled() // makes the map, once and for all
	registered[compiled.Name] = compiled
}
