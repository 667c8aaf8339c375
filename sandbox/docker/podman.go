package docker

import (
	"fmt"
	"strings"

	"github.com/docker/docker/api/types/container"
)

// forPodman keeps the promises where Podman's dialect of the API breaks them:
// a read-only root comes with tmpfs on /run, /var/tmp and /dev/shm that code
// could write to and execute from; a variable without a value is not taken away
// but copied from Podman's own environment; and some variables are always set.
func forPodman(c *container.Config, h *container.HostConfig) {
	for _, path := range []string{"/run", "/var/tmp", "/dev/shm"} {
		h.Tmpfs[path] = emptyMount
	}
	c.Env = environment
	if len(c.Entrypoint) > 0 {
		c.Entrypoint = withEnvironment(c.Entrypoint)
	}
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
