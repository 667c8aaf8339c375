// Package docker starts sandboxes as containers of a Docker-compatible engine.
//
// A sandbox is one container: no network, no mounts, a read-only root, a small
// /tmp that cannot execute, a user that nobody else is and without capabilities,
// and hard limits on memory, processes, processors and descriptors. System calls are
// filtered by the profile of package seccomp, and paths that show the host are
// hidden. What else the engine applies by default, such as AppArmor, stays on.
//
// The engine removes the container when its first process ends. The first process is a
// program of package pid1. It starts the runner, and ends when the runner ends or when
// the stream to this process ends, whatever the code does. So no container runs longer
// than this process. A container that was made and never started is found by its
// labels and removed at the next start of a driver.
//
// The engine is found as the docker command finds it, see Probe. An error with a next
// step for the operator has a method Hint() string that returns it.
package docker
