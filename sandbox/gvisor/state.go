//go:build linux && (amd64 || arm64)

package gvisor

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/mcp-code-mode/mcp-code-mode/internal/ourdir"
)

const (
	statePrefix = "driver-"
	lockName    = "lock"
	groupsName  = "groups" // lists the driver's control groups, one directory on a line
)

// stateName is the shape of the names that are removed: statePrefix and an id.
var stateName = regexp.MustCompile(`^` + statePrefix + `[0-9a-f]{16}$`)

// How long to wait until killed processes are gone. For those of a dead driver the wait
// is short, because the next driver tries again.
const (
	closePatience = 5 * time.Second
	reapPatience  = 100 * time.Millisecond
)

// stateDir is the directory of one driver while its process runs. It holds the names of
// control sockets until they are connected, and a lock that is held until the process
// ends. If the lock of a directory is free, the directory's driver is dead, even if a
// process has its process id.
type stateDir struct {
	id   string   // unique; also names the driver's control groups
	dir  *os.File // open directory
	lock *os.File
}

// newStateDir makes a state directory and removes those of dead drivers, with
// their control groups.
func newStateDir(log *slog.Logger) (*stateDir, error) {
	parent, err := stateParent()
	if err != nil {
		return nil, err
	}
	// Held while directories are made and removed. Otherwise a new directory could be
	// taken for a dead driver's before it is locked.
	guard, err := lockFile(filepath.Join(parent, lockName), unix.LOCK_EX)
	if err != nil {
		return nil, fmt.Errorf("locking state directory: %w", err)
	}
	defer guard.Close()
	reapStates(parent, log)

	s := &stateDir{id: newID()}
	path := filepath.Join(parent, statePrefix+s.id)
	if err := os.Mkdir(path, 0o700); err != nil {
		return nil, fmt.Errorf("making state directory: %w", err)
	}
	s.lock, err = lockFile(filepath.Join(path, lockName), unix.LOCK_EX|unix.LOCK_NB)
	if err == nil {
		s.dir, err = os.Open(path)
	}
	if err != nil {
		closeFiles([]*os.File{s.lock})
		return nil, errors.Join(fmt.Errorf("making state directory: %w", err), os.RemoveAll(path))
	}
	return s, nil
}

// stateParent is where state directories are: with the user's run-time files,
// or in the cache where there is no place for those.
func stateParent() (string, error) {
	if base := os.Getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(base) {
		if info, err := os.Stat(base); err == nil && info.IsDir() && ourdir.Owned(info) {
			dir := filepath.Join(base, "mcp-code-mode")
			if err := ourdir.Make(dir, 0o700); err == nil {
				return dir, nil
			}
		}
	}
	base, err := cacheDir()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(base, "state")
	return dir, ourdir.Make(dir, 0o700)
}

// lockFile opens the file and takes a lock on it that ends when the file is
// closed or its process dies.
func lockFile(path string, how int) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, err
	}
	for {
		err = unix.Flock(int(f.Fd()), how)
		if !errors.Is(err, unix.EINTR) {
			break
		}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// reapStates removes what dead drivers left. It does its best: what it cannot
// remove is reported and left to the next.
func reapStates(parent string, log *slog.Logger) {
	entries, err := os.ReadDir(parent)
	if err != nil {
		log.Warn("looking for leftovers of dead processes", "error", err)
		return
	}
	for _, e := range entries {
		if !stateName.MatchString(e.Name()) || !e.IsDir() {
			continue // not ours
		}
		path := filepath.Join(parent, e.Name())
		lock, err := lockFile(filepath.Join(path, lockName), unix.LOCK_EX|unix.LOCK_NB)
		if errors.Is(err, unix.EWOULDBLOCK) {
			continue // alive
		}
		if err != nil { // then it may be alive
			log.Warn("looking whether a process is dead", "error", err)
			continue
		}
		lock.Close()
		if err := removeState(path, reapPatience); err != nil {
			log.Warn("removing what a dead process left", "error", err)
			continue
		}
		log.Info("removed what a dead process left", "state", path)
	}
}

// removeState removes a state directory and the control groups listed in it, which
// have the same id.
func removeState(path string, patience time.Duration) error {
	text, err := os.ReadFile(filepath.Join(path, groupsName))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	group := groupPrefix + strings.TrimPrefix(filepath.Base(path), statePrefix)
	for line := range strings.Lines(string(text)) {
		if dir := strings.TrimSuffix(line, "\n"); filepath.Base(dir) == group {
			err = errors.Join(err, removeGroups(dir, patience))
		}
	}
	if err != nil {
		return err // and keep the list
	}
	return os.RemoveAll(path)
}

// listGroup puts a control group on the list of what has to be removed when this
// process dies. It must be called before the group is made.
func (s *stateDir) listGroup(dir string) error {
	f, err := os.OpenFile(filepath.Join(s.dir.Name(), groupsName), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(dir + "\n")
	return errors.Join(err, f.Close())
}

// close removes the directory. Everything of the driver must have ended.
func (s *stateDir) close() error {
	err := removeState(s.dir.Name(), closePatience)
	s.dir.Close()
	s.lock.Close()
	return err
}
