package docker

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/docker/docker/api/types/system"

	"github.com/mcp-code-mode/mcp-code-mode/sandbox/rootfs"
)

// readsOurFiles makes sure that a file written here is one that Podman can read.
// Its API takes the name of a file where Docker's takes a seccomp profile itself.
func (en *engine) readsOurFiles(info system.Info) error {
	here, err := os.Hostname()
	if err != nil || info.Name != here || !strings.HasPrefix(en.host, "unix://") {
		return en.isElsewhere()
	}
	return nil
}

// profileFile is a file in the cache directory, where nobody else can write, that
// holds the profile. It is named by its contents, and stays for every process.
func profileFile(profile []byte) (string, error) {
	dir, err := rootfs.CachePart("seccomp")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, digestOf(profile)+".json")
	if have, err := os.ReadFile(path); err == nil && bytes.Equal(have, profile) {
		return path, nil
	}
	temp, err := os.CreateTemp(dir, "new-*")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.Remove(temp.Name()) }() // fails if it was renamed, as it should be
	_, err = temp.Write(profile)
	if err := errors.Join(err, temp.Close()); err != nil {
		return "", err
	}
	return path, os.Rename(temp.Name(), path)
}
