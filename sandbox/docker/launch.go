package docker

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/container"

	"github.com/mcp-code-mode/mcp-code-mode/internal/hint"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox"
)

const (
	sandboxHome = "/tmp"
	emptyMount  = "ro,noexec,nosuid,nodev,size=4096,mode=0555" // covers a path with an empty directory

	gvisorThreads = 256 // threads that gVisor may have on the host, besides four for each thread of the sandbox

	launchTimeout = 30 * time.Second // of creating and starting one container
	removeTimeout = 10 * time.Second // of removing one
)

// environment is the whole environment of the runner. C is the one locale that needs no
// files; Python reads and writes UTF-8 under it.
var environment = []string{"PATH=/usr/bin", "HOME=" + sandboxHome, "LANG=C"}

// A launch is what one container is made from.
type launch struct {
	claim
	image   sandboxImage
	labels  map[string]string
	ids     userIDs
	runtime string
	gvisor  bool // the runtime is runsc
	crun    bool // the runtime is crun
	podman  bool // the engine is Podman
	filter  filter
	limits  sandbox.Limits
}

func (l launch) config() *container.Config {
	return &container.Config{
		Image:           l.image.ref,
		Entrypoint:      l.image.entrypoint,
		Env:             environment, // image and engine add to it; the first process passes on only this
		User:            l.user(),
		WorkingDir:      sandboxHome,
		Hostname:        "sandbox",
		Labels:          l.label(l.labels),
		NetworkDisabled: true, // beside NetworkMode none, which alone sets up a network stack first
		AttachStdin:     true,
		AttachStdout:    true,
		AttachStderr:    true,
		OpenStdin:       true,
		StdinOnce:       true, // the end of our stream is the end of stdin, and that of the first process
		StopSignal:      "SIGKILL",
	}
}

// hostConfig is the confinement, except for the filter of system calls. Settings that
// are not mentioned keep the engine's default, such as AppArmor; nothing here weakens a
// default.
func (l launch) hostConfig() *container.HostConfig {
	limits := l.limits.WithDefaults()
	noInit, pids := false, int64(limits.Pids)+1 // the first process is one more
	ulimits := []*container.Ulimit{
		{Name: "nofile", Soft: int64(limits.Files), Hard: int64(limits.Files)},
		// 1 and not 0: the kernel then does not even start the host's core dump
		// handler (see core(5)).
		{Name: "core", Soft: 1, Hard: 1},
	}
	if l.gvisor || l.podman {
		// Without this Podman would set a number of its own, which some hosts refuse.
		ulimits = append(ulimits, &container.Ulimit{Name: "nproc", Soft: pids, Hard: pids})
	}
	if l.gvisor { // the cgroup counts gVisor's own threads, and nproc the sandbox's
		pids = 4*pids + gvisorThreads
	}
	return &container.HostConfig{
		NetworkMode:    "none",
		IpcMode:        "none", // no /dev/shm, which would be another place to write
		CgroupnsMode:   container.CgroupnsModePrivate,
		ReadonlyRootfs: true,
		Tmpfs: map[string]string{
			sandboxHome: fmt.Sprintf("rw,noexec,nosuid,nodev,size=%d,mode=1777", limits.TmpBytes),
			// In place of the engine's own mount, where everybody may write.
			"/dev/mqueue": emptyMount,
		},
		CapDrop:       []string{"ALL"},
		SecurityOpt:   []string{"no-new-privileges"},
		MaskedPaths:   maskedPaths(l.crun, limits.Files),
		ReadonlyPaths: readOnlyPaths,
		LogConfig:     container.LogConfig{Type: "none"},
		AutoRemove:    true,
		Init:          &noInit,
		Runtime:       l.runtime,
		OomScoreAdj:   500, // when the host runs out of memory, sandboxes go first
		Resources: container.Resources{
			Memory:     limits.Memory,
			MemorySwap: limits.Memory, // memory and swap together: no swap
			NanoCPUs:   int64(limits.CPUs * 1e9),
			PidsLimit:  &pids,
			Ulimits:    ulimits,
		},
	}
}

// confined is the whole confinement, in the words of this engine.
func (l launch) confined() (*container.HostConfig, error) {
	host := l.hostConfig()
	if l.podman {
		forPodman(host)
	}
	option, err := l.filter.option()
	if option != "" {
		host.SecurityOpt = append(host.SecurityOpt, option)
	}
	return host, err
}

// create makes the container, under a user id that it claims.
func (en *engine) create(ctx context.Context, l *launch) (id string, err error) {
	var warnings []string
	err = l.claimFrom(l.ids, func() error {
		host, err := l.confined()
		if err != nil {
			return err
		}
		created, err := en.ContainerCreate(ctx, l.config(), host, nil, nil, l.name())
		id, warnings = created.ID, created.Warnings
		return err
	})
	if err != nil {
		return "", err
	}
	return id, checkWarnings(warnings)
}

// checkWarnings returns an error if the engine warns that it cannot enforce a limit. A
// warning about swap is ignored: where the kernel cannot limit swap, it still limits
// memory.
func checkWarnings(warnings []string) error {
	for _, warning := range warnings {
		if strings.Contains(warning, "discarded") {
			err := fmt.Errorf("the engine cannot enforce a limit: %s", warning)
			return hint.Error(err, "use --sandbox gvisor, or give the engine the memory, pids and cpu cgroup controllers")
		}
	}
	return nil
}

// start connects the container's streams and then starts it, so that no output is lost.
func (en *engine) start(ctx context.Context, id string) (*stream, *waiter, error) {
	waiting := make(chan *waiter, 1)
	go func() { waiting <- en.wait(ctx, id) }()
	s, err := en.attach(ctx, id)
	w := <-waiting // the engine now waits for the end, before it can come
	if err == nil {
		err = en.ContainerStart(ctx, id, container.StartOptions{})
	}
	if err != nil {
		w.stop()
		if s != nil {
			s.close()
		}
		return nil, nil, err
	}
	return s, w, nil
}

// remove kills and removes a container, whatever state it is in, and reports
// whether it is gone.
func (en *engine) remove(ctx context.Context, nameOrID string) bool {
	err := en.ContainerRemove(ctx, nameOrID, container.RemoveOptions{Force: true, RemoveVolumes: true})
	for errdefs.IsConflict(err) { // "removal is already in progress": wait until it ends
		select {
		case <-ctx.Done():
			return false
		case <-time.After(50 * time.Millisecond):
		}
		if _, err = en.ContainerInspect(ctx, nameOrID); err == nil {
			err = errdefs.ErrConflict
		}
	}
	return err == nil || errdefs.IsNotFound(err)
}
