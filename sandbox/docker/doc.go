// Package docker starts sandboxes as containers of a Docker-compatible engine.
//
// A sandbox is one container: no network, no mounts, a read-only root, a small
// /tmp that cannot execute, a user that nobody else is and without capabilities,
// and hard limits on memory, processes, processors and descriptors. System calls are
// filtered by the profile of package seccomp, and paths that show the host are
// hidden. What else the engine applies by default, such as AppArmor, stays on.
//
// The container removes itself when its first process ends. That is a program of
// package pid1: it starts the runner, and ends with it or when the stream to this
// process does, whatever the code then does. So nothing runs that nobody owns. What
// was made and never started is found by its labels and removed at the next start.
//
// The engine is found as the docker command finds it, see Probe. Errors that
// have a next step for the operator carry it in a method Hint() string.
package docker
