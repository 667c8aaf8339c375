package docker

import (
	"fmt"
	"slices"
	"strings"

	"github.com/docker/docker/api/types"
	"github.com/docker/docker/api/types/system"

	"github.com/mcp-code-mode/mcp-code-mode/sandbox/docker/seccomp"
)

// A NoFilterError says why an engine cannot give containers the seccomp profile.
type NoFilterError struct {
	reason error
}

func (e *NoFilterError) Error() string { return "filtering system calls: " + e.reason.Error() }
func (e *NoFilterError) Unwrap() error { return e.reason }

// Hint is the next step, for the operator.
func (e *NoFilterError) Hint() string {
	return "use --sandbox gvisor, or an engine with seccomp; --allow-no-seccomp goes without, and leaves the host's kernel open to the code"
}

// filterFor makes sure that the engine can give containers our seccomp profile.
// What it returns is nil or a *NoFilterError.
func (en *engine) filterFor(version types.Version, info system.Info) (filter, error) {
	if !slices.Contains(securityOf(info), "seccomp") {
		return filter{}, &NoFilterError{fmt.Errorf("the engine at %s has no seccomp", en.host)}
	}
	profile, err := seccomp.Profile(version.Arch)
	if err == nil && isPodman(version) {
		err = en.readsOurFiles(info)
	}
	if err != nil {
		return filter{}, &NoFilterError{err}
	}
	return filter{profile: profile, podman: isPodman(version)}, nil
}

// securityOf is what an engine confines containers with: seccomp, apparmor,
// rootless and the like. The engine says name=seccomp,profile=default.
func securityOf(info system.Info) []string {
	var names []string
	for _, option := range info.SecurityOptions {
		name, _, _ := strings.Cut(strings.TrimPrefix(option, "name="), ",")
		names = append(names, name)
	}
	return names
}

// A filter is the seccomp profile for one engine. The zero filter leaves the
// engine's own in force.
type filter struct {
	profile []byte
	podman  bool
}

// option is the profile as an engine takes it; "" for the zero filter.
func (f filter) option() (string, error) {
	switch {
	case f.profile == nil:
		return "", nil
	case !f.podman:
		return "seccomp=" + string(f.profile), nil
	}
	path, err := profileFile(f.profile)
	if err != nil {
		return "", fmt.Errorf("writing the seccomp profile: %w", err)
	}
	return "seccomp=" + path, nil
}
