package docker

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/docker/docker/api/types"
	"github.com/docker/docker/api/types/system"
	"github.com/docker/docker/client"
	"golang.org/x/sync/errgroup"

	"github.com/mcp-code-mode/mcp-code-mode/internal/hint"
)

const (
	probeTimeout    = 2 * time.Second // of looking for an engine, all in all
	endpointTimeout = time.Second     // of one of several places where it may be
)

// Engine is what Probe finds out about the engine in use.
type Engine struct {
	Endpoint   string   // its address, as in DOCKER_HOST
	Source     string   // where it was found: DOCKER_HOST, context "colima", default socket, socket of Podman
	Product    string   // how it calls itself, such as "Docker Engine - Community"; may be empty
	Version    string   // of the engine
	APIVersion string   // the one spoken with it
	OS, Arch   string   // of the containers, in Go's words: linux, amd64
	Runtimes   []string // names --runtime knows, sorted
	Runtime    string   // the one used by default
	Rootless   bool     // it runs as an ordinary user
	Security   []string // what it confines containers with: seccomp, apparmor, rootless…
	GVisor     bool     // the default runtime is gVisor's, which filters nothing and answers system calls itself
	NoFilter   error    // why containers cannot have our seccomp profile, a *NoFilterError; nil: they can
	FirstUser  int      // each sandbox has a user id of its own; this is the lowest
	LastUser   int      // and this is the highest
	Mapped     bool     // these ids are those of a user namespace; on the host they are others
}

// Probe looks for an engine where the docker command looks: DOCKER_HOST, else
// DOCKER_CONTEXT or the current context, else the default socket; and then at
// the usual sockets of rootless Docker, Docker Desktop, Rancher Desktop, Colima,
// OrbStack and Podman. It takes 2 seconds at most; an engine that needs longer
// to describe itself is returned without description. The error names every place
// that was tried.
func Probe(ctx context.Context) (Engine, error) {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	en, ping, err := connect(ctx)
	if err != nil {
		return Engine{}, err
	}
	defer en.close()
	found := Engine{
		Endpoint: en.host, Source: en.source,
		APIVersion: en.ClientVersion(), OS: ping.OSType,
	}
	version, info, err := en.describe(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		return found, nil // it answered, so it can be used
	}
	if err != nil {
		return found, err
	}
	found.Product, found.Version = version.Platform.Name, version.Version
	found.OS, found.Arch = version.Os, version.Arch
	found.Runtime, found.Runtimes = info.DefaultRuntime, slices.Sorted(maps.Keys(info.Runtimes))
	found.GVisor = isRuntime(info, info.DefaultRuntime, "runsc")
	found.Security = securityOf(info)
	_, found.NoFilter = en.filterFor(version, info)
	found.Rootless = slices.Contains(found.Security, "rootless")
	ids := idsOf(version, info)
	found.Mapped = isMapped(info)
	found.FirstUser, found.LastUser = ids.first, ids.first+ids.count-1
	return found, nil
}

// connect returns the first engine that answers.
func connect(ctx context.Context) (*engine, types.Ping, error) {
	list, err := endpoints()
	if err != nil {
		return nil, types.Ping{}, fmt.Errorf("finding a Docker engine: %w", err)
	}
	var tried []string
	var denied bool
	for i, ep := range list {
		if i > 0 && ep.absent() {
			continue // not mentioned either: no machine has all these products
		}
		timeout := endpointTimeout
		if len(list) == 1 {
			timeout = probeTimeout
		}
		en, ping, err := ep.connect(ctx, timeout)
		if err == nil {
			return en, ping, nil
		}
		denied = denied || errors.Is(err, fs.ErrPermission)
		tried = append(tried, fmt.Sprintf("%s (%s): %v", ep.host, ep.source, rootCause(err)))
	}
	next := "start the engine, or set DOCKER_HOST; on Linux, --sandbox gvisor needs none"
	if denied {
		next = "add yourself to the group that owns the socket (usually: docker), or use --sandbox gvisor"
	}
	return nil, types.Ping{}, hint.Error(fmt.Errorf("finding a Docker engine: none answers at %s", strings.Join(tried, "; ")), next)
}

// connect asks one endpoint, and settles the API version.
func (e endpoint) connect(ctx context.Context, timeout time.Duration) (*engine, types.Ping, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	en, err := e.open()
	if err != nil {
		return nil, types.Ping{}, err
	}
	ping, err := en.Ping(ctx)
	if err != nil {
		if !strings.HasPrefix(e.host, "ssh://") {
			err = en.reason(ctx, err)
		}
		en.close()
		return nil, types.Ping{}, err
	}
	en.NegotiateAPIVersionPing(ping)
	if ping.OSType != "" && ping.OSType != "linux" {
		en.close()
		return nil, types.Ping{}, fmt.Errorf("it runs %s containers, not linux ones", ping.OSType)
	}
	return en, ping, nil
}

// describe asks the engine about itself.
func (en *engine) describe(ctx context.Context) (version types.Version, info system.Info, err error) {
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() (err error) {
		version, err = en.ServerVersion(ctx)
		return err
	})
	group.Go(func() (err error) {
		info, err = en.Info(ctx)
		return err
	})
	if err := group.Wait(); err != nil {
		return version, info, en.explain("asking the engine about itself", err)
	}
	return version, info, nil
}

// isPodman reports whether the engine is Podman, whose API differs in some places.
func isPodman(v types.Version) bool {
	return slices.ContainsFunc(v.Components, func(c types.ComponentVersion) bool { return c.Name == "Podman Engine" })
}

// isRuntime reports whether the engine's runtime of this name is that program.
func isRuntime(info system.Info, name, program string) bool {
	runtime := info.Runtimes[name]
	return slices.ContainsFunc([]string{name, runtime.Path, runtime.Type}, func(s string) bool { return strings.Contains(s, program) })
}

// reason finds out why there is no connection, which the client does not tell.
func (en *engine) reason(ctx context.Context, err error) error {
	conn, dialErr := en.dial(ctx)
	if dialErr != nil {
		return dialErr
	}
	_ = conn.Close()
	return err
}

// explain says what the engine was asked to do when it failed.
func (en *engine) explain(doing string, err error) error {
	if client.IsErrConnectionFailed(err) && strings.HasPrefix(err.Error(), "Cannot connect") {
		err = errors.New("cannot connect: is it running?") // instead of the client's advice
	}
	return fmt.Errorf("%s: Docker engine at %s: %w", doing, en.host, err)
}

// rootCause is the part of an error that differs from place to place.
func rootCause(err error) error {
	for _, reason := range []error{fs.ErrPermission, fs.ErrNotExist, syscall.ECONNREFUSED} {
		if errors.Is(err, reason) {
			return reason
		}
	}
	if errors.Is(err, context.DeadlineExceeded) || client.IsErrConnectionFailed(err) && strings.HasPrefix(err.Error(), "Cannot connect") {
		return errors.New("no answer in time")
	}
	return err
}
