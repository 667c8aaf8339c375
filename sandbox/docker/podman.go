package docker

import (
	"fmt"
	"slices"
	"strings"

	"github.com/docker/docker/api/types/container"
)

// podmanProcesses is how many processes all sandboxes of a user may have together,
// beside the limit of each. Podman asks for a million when nobody names a number,
// which is more than a host may let it have.
const podmanProcesses = 4096

// forPodman keeps the promises where Podman's dialect of the API breaks them:
// a read-only root comes with tmpfs on /run, /var/tmp and /dev/shm that code
// could write to and execute from; a variable without a value is not taken away
// but copied from Podman's own environment; some variables are always set; and
// hidden paths are an option of their own, which must take back the usual ones.
func forPodman(c *container.Config, h *container.HostConfig) {
	h.SecurityOpt = append(h.SecurityOpt, "unmask=ALL", "mask="+strings.Join(h.MaskedPaths, ":"))
	h.MaskedPaths, h.ReadonlyPaths = nil, nil // what is read-only can only be written by root
	if !slices.ContainsFunc(h.Ulimits, func(u *container.Ulimit) bool { return u.Name == "nproc" }) {
		h.Ulimits = append(h.Ulimits, &container.Ulimit{Name: "nproc", Soft: podmanProcesses, Hard: podmanProcesses})
	}
	for _, path := range []string{"/run", "/var/tmp", "/dev/shm"} {
		h.Tmpfs[path] = emptyMount
	}
	c.Env = environment
	if len(c.Entrypoint) > 0 {
		c.Entrypoint = withEnvironment(c.Entrypoint)
	}
}

// isElsewhere says that files of this system are none of Podman's.
func (en *engine) isElsewhere() error {
	return fmt.Errorf("the engine at %s is Podman on another system, and takes a seccomp profile from a file there only", en.host)
}

// withEnvironment is a command that starts another, which must be Python, with
// our environment and nothing else.
func withEnvironment(command []string) []string {
	var pairs []string
	for _, variable := range environment {
		name, value, _ := strings.Cut(variable, "=")
		pairs = append(pairs, fmt.Sprintf("%q: %q", name, value))
	}
	script := fmt.Sprintf("import os, sys; os.execve(sys.argv[1], sys.argv[1:], {%s})", strings.Join(pairs, ", "))
	return append([]string{command[0], "-I", "-S", "-B", "-c", script}, command...)
}
