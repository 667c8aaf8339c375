package docker

import (
	"context"
	"net"
	"strings"

	"github.com/Microsoft/go-winio"
)

// usualSockets lists where other products put their engine's pipe.
func usualSockets() []endpoint {
	return []endpoint{
		{host: "npipe:////./pipe/dockerDesktopLinuxEngine", source: "pipe of Docker Desktop"},
		{host: "npipe:////./pipe/podman-machine-default", source: "pipe of Podman"},
	}
}

func dialPipe(ctx context.Context, address string) (net.Conn, error) {
	return winio.DialPipeContext(ctx, strings.ReplaceAll(address, "/", `\`))
}
