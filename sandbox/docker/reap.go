package docker

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/filters"
)

const (
	labelOwner = "mcp-code-mode.owner" // on containers: HOST/PID/START of the process that uses it

	reapTimeout = time.Minute
	abandoned   = time.Hour // after this time a container that does not run belongs to no process
)

// ownLabels are the labels of the containers of this process.
func ownLabels() map[string]string {
	pid := os.Getpid()
	start, _ := processStart(pid)
	return map[string]string{
		labelOurs:  "1",
		labelOwner: fmt.Sprintf("%s/%d/%s", hostIdentity(), pid, start),
	}
}

// reap removes containers whose owner, a process like ours, is dead. Such a container
// was made and not yet started when the owner died; all others end by themselves.
// Nothing is known about processes on other machines that use the same engine. Their
// containers are removed only if they have not run for the time abandoned.
func (en *engine) reap(log *slog.Logger) {
	ctx, cancel := context.WithTimeout(context.Background(), reapTimeout)
	defer cancel()
	list, err := en.ContainerList(ctx, container.ListOptions{
		All: true, Filters: filters.NewArgs(filters.Arg("label", labelOurs+"=1")),
	})
	if err != nil {
		log.Warn("could not look for sandboxes that were left behind", "error", err)
		return
	}
	for _, c := range list {
		if ctx.Err() != nil || !leftBehind(c) || !en.has(ctx, c.ID) {
			continue
		}
		log.Info("removing a sandbox that was left behind", "container", c.ID, "owner", c.Labels[labelOwner])
		if !en.remove(ctx, c.ID) {
			log.Warn("could not remove a sandbox that was left behind", "container", c.ID)
		}
	}
}

// has reports whether the engine knows a container that it lists. One that was
// removed while the engine started stays in its list, dead and without a name,
// until the engine starts again.
func (en *engine) has(ctx context.Context, id string) bool {
	_, err := en.ContainerInspect(ctx, id)
	return !errdefs.IsNotFound(err)
}

func leftBehind(c container.Summary) bool {
	running := c.State == container.StateRunning || c.State == container.StatePaused
	if !running && time.Since(time.Unix(c.Created, 0)) > abandoned {
		return true
	}
	host, rest, _ := strings.Cut(c.Labels[labelOwner], "/")
	pid, start, _ := strings.Cut(rest, "/")
	number, err := strconv.Atoi(pid)
	if err != nil || number <= 0 || host != hostIdentity() {
		return false
	}
	now, alive := processStart(number)
	// If the start time is unknown, the container stays: it may belong to a living process.
	return !alive || now != "" && now != start
}
