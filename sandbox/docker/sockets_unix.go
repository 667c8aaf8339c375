//go:build unix

package docker

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strconv"
)

// usualSockets lists where other products put their engine's socket.
func usualSockets() []endpoint {
	var list []endpoint
	add := func(product string, path ...string) {
		if path[0] != "" {
			list = append(list, endpoint{host: "unix://" + filepath.Join(path...), source: "socket of " + product})
		}
	}
	home, _ := os.UserHomeDir()
	runtimeDir := os.Getenv("XDG_RUNTIME_DIR")
	if runtimeDir == "" {
		runtimeDir = "/run/user/" + strconv.Itoa(os.Getuid())
	}
	add("rootless Docker", runtimeDir, "docker.sock")
	add("Docker Desktop", home, ".docker/run/docker.sock")
	add("Docker Desktop", home, ".docker/desktop/docker.sock")
	add("Rancher Desktop", home, ".rd/docker.sock")
	add("Colima", os.Getenv("COLIMA_HOME"), "default/docker.sock")
	add("Colima", home, ".colima/default/docker.sock")
	add("Colima", home, ".config/colima/default/docker.sock")
	add("OrbStack", home, ".orbstack/run/docker.sock")
	add("Podman", runtimeDir, "podman/podman.sock")
	add("Podman", home, ".local/share/containers/podman/machine/podman.sock")
	add("Podman", "/run/podman/podman.sock")
	return list
}

func dialPipe(context.Context, string) (net.Conn, error) {
	return nil, errors.New("named pipes (npipe://) exist on Windows only")
}
