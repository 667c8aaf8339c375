package docker

import (
	"fmt"
	"strings"

	"github.com/docker/docker/api/types/container"
)

// forPodman changes what Podman's version of the API needs to keep the promises. Its
// read-only root comes with tmpfs on /run, /var/tmp and /dev/shm, which code could
// write to and execute from. And it takes hidden paths as an option of its own, which
// must first remove Podman's list.
func forPodman(h *container.HostConfig) {
	h.SecurityOpt = append(h.SecurityOpt, "unmask=ALL", "mask="+strings.Join(h.MaskedPaths, ":"))
	h.MaskedPaths, h.ReadonlyPaths = nil, nil // only root can write to the read-only paths
	for _, path := range []string{"/run", "/var/tmp", "/dev/shm"} {
		h.Tmpfs[path] = emptyMount
	}
}

// isElsewhere says that Podman cannot read files of this system.
func (en *engine) isElsewhere() error {
	return fmt.Errorf("the engine at %s is Podman on another system, and takes a seccomp profile from a file there only", en.host)
}
