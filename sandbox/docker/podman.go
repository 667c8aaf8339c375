package docker

import (
	"fmt"
	"strings"

	"github.com/docker/docker/api/types/container"
)

// forPodman keeps the promises where Podman's dialect of the API breaks them:
// a read-only root comes with tmpfs on /run, /var/tmp and /dev/shm that code
// could write to and execute from; and hidden paths are an option of their own,
// which must take back the usual ones.
func forPodman(h *container.HostConfig) {
	h.SecurityOpt = append(h.SecurityOpt, "unmask=ALL", "mask="+strings.Join(h.MaskedPaths, ":"))
	h.MaskedPaths, h.ReadonlyPaths = nil, nil // what is read-only can only be written by root
	for _, path := range []string{"/run", "/var/tmp", "/dev/shm"} {
		h.Tmpfs[path] = emptyMount
	}
}

// isElsewhere says that files of this system are none of Podman's.
func (en *engine) isElsewhere() error {
	return fmt.Errorf("the engine at %s is Podman on another system, and takes a seccomp profile from a file there only", en.host)
}
