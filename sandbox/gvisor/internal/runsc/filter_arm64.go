//go:build linux

package runsc

import "gvisor.dev/gvisor/pkg/seccomp/precompiledseccomp"

// compiled is none: it can only be made on such a machine, by
// go test -run TestTheFilter -update.
var compiled precompiledseccomp.Program
