//go:build linux && (amd64 || arm64)

package gvisor

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"gvisor.dev/gvisor/pkg/sentry/control"
	"gvisor.dev/gvisor/runsc/boot"

	"github.com/mcp-code-mode/mcp-code-mode/internal/ourdir"
)

// A snapshot is the state of a sandbox whose runner has started and waits for its first
// line: gVisor's checkpoint, and the output that the runner had written by then. A
// sandbox that is restored from it is in the state of a new one that has finished its
// imports. A snapshot is made before any foreign code has run.
type snapshot struct {
	dir      string
	files    []*os.File // in the order of snapshotNames
	preamble []byte     // what the runner had written
}

// snapshotNames are the files of a snapshot: kernel state, page metadata and
// pages, under the names that gVisor needs, and the preamble, which is written last.
var snapshotNames = [...]string{"state", "metadata", "pages", "preamble"}

// gvisorFiles is how many of them are gVisor's.
const gvisorFiles = 3

// maxPreamble bounds the line the runner writes when it is up.
const maxPreamble = 4 << 10

// takeSnapshot starts a sandbox, waits for its runner's first line and writes its
// state to files in dir.
func (d *Driver) takeSnapshot(ctx context.Context, dir string) error {
	i, m, err := d.launch(ctx, nil)
	if err != nil {
		return err
	}
	defer m.release()
	defer i.Wait()
	defer i.Kill()
	defer context.AfterFunc(ctx, i.Kill)()

	preamble, err := bufio.NewReaderSize(i, maxPreamble).ReadSlice('\n')
	if err != nil {
		return fmt.Errorf("waiting for the runner: %w", err)
	}
	var files []*os.File
	defer func() { closeFiles(files) }()
	for _, name := range snapshotNames {
		f, err := os.OpenFile(filepath.Join(dir, name), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return err
		}
		files = append(files, f)
	}
	opts := &control.SaveOpts{
		Metadata:      map[string]string{"compression": "none"},
		HavePagesFile: true,
	}
	if _, err := m.control.call(boot.ContMgrCheckpoint, opts, nil, files[:gvisorFiles]...); err != nil {
		return err
	}
	if _, err := files[gvisorFiles].Write(preamble); err != nil {
		return err
	}
	for _, f := range files {
		if err := f.Sync(); err != nil {
			return err
		}
	}
	return nil
}

// openSnapshot opens the snapshot in dir.
func openSnapshot(dir string) (*snapshot, error) {
	s := &snapshot{dir: dir}
	for _, name := range snapshotNames {
		f, err := ourdir.Open(filepath.Join(dir, name))
		if err != nil {
			s.close()
			return nil, err
		}
		s.files = append(s.files, f)
	}
	var err error
	s.preamble, err = io.ReadAll(io.LimitReader(s.files[gvisorFiles], maxPreamble))
	if err == nil && len(s.preamble) == 0 {
		err = errors.New("preamble is empty")
	}
	if err != nil {
		s.close()
		return nil, fmt.Errorf("reading snapshot: %w", err)
	}
	return s, nil
}

func (s *snapshot) close() { closeFiles(s.files) }

// restore brings a sentry that has been started, but not its root process, to
// the state of the snapshot.
func (s *snapshot) restore(c *controlSocket) error {
	var files []*os.File
	defer func() { closeFiles(files) }()
	for _, f := range s.files[:gvisorFiles] {
		// Opened again for each sentry: sentries must not share a position in the file.
		again, err := os.Open("/proc/self/fd/" + strconv.Itoa(int(f.Fd())))
		if err != nil {
			return fmt.Errorf("opening snapshot: %w", err)
		}
		files = append(files, again)
	}
	// Not in the background, or a damaged snapshot would show only later.
	opts := &boot.RestoreOpts{HavePagesFile: true}
	_, err := c.call(boot.ContMgrRestore, opts, nil, files...)
	return err
}
