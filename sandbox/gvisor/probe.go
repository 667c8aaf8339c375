//go:build linux && (amd64 || arm64)

package gvisor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"github.com/mcp-code-mode/mcp-code-mode/sandbox/gvisor/erofs"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox/internal/tinyelf"
)

// probeTimeout bounds Probe.
const probeTimeout = 5 * time.Second

// Probe reports whether sandboxes can be started here, by starting one with a
// program of three instructions in place of Python. It takes about a tenth of a
// second. Its errors say what is missing and, in a method Hint() string, what to
// do about it.
func Probe(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	exe, err := executable("")
	if err != nil {
		return fmt.Errorf("trying gVisor: %w", err)
	}
	root, err := probeImage()
	if err != nil {
		exe.Close()
		return fmt.Errorf("trying gVisor: %w", err)
	}
	d, err := newDriver(Options{}, exe, root, []string{"/probe"})
	if err != nil {
		return fmt.Errorf("trying gVisor: %w", err)
	}
	err = try(ctx, d)
	if err = errors.Join(err, d.Close()); err != nil {
		return fmt.Errorf("trying gVisor: %w", err)
	}
	return nil
}

func try(ctx context.Context, d *Driver) error {
	i, err := d.Start(ctx)
	if err != nil {
		return err
	}
	defer context.AfterFunc(ctx, i.Kill)()
	if exit := i.Wait(); exit.Code != probeStatus {
		err := fmt.Errorf("the test program ended with status %d instead of %d", exit.Code, probeStatus)
		return describe(err, exit.Detail)
	}
	return nil
}

// probeStatus is what the test program exits with.
const probeStatus = 42

// probeImage is a root image, in memory, that holds /probe.
func probeImage() (*os.File, error) {
	dir, err := os.MkdirTemp("", "mcp-code-mode-probe-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if err := os.WriteFile(filepath.Join(dir, "probe"), tinyelf.Exit(probeStatus), 0o700); err != nil {
		return nil, err
	}
	fd, err := unix.MemfdCreate("root", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), "root")
	if err := erofs.Write(f, dir, mountPoints...); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}
