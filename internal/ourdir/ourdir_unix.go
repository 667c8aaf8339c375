//go:build unix

package ourdir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

const (
	maxLinks = 40    // on one way, as many as Linux follows
	others   = 0o022 // may write: group and everybody
	everyone = 0o002 // may write
	ownBits  = 0o700 // what of a mode concerns its owner alone
	madeWith = 0o700 // mode of what is made on the way
	ours     = "give a path of yours"
)

// Make makes the directory with the mode given (less the umask), and what is
// missing on the way to it. One that is there must have been possible to be made
// so: it must belong to us, be no link, and allow others no more than mode does.
func Make(dir string, mode fs.FileMode) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return fmt.Errorf("making %q: %w", dir, err)
	}
	w := walk{make: true, mode: mode}
	if err := w.to(dir); err != nil {
		return err
	}
	return check(dir, mode)
}

// check refuses a directory that Make would not have made.
func check(dir string, mode fs.FileMode) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return fmt.Errorf("checking directory: %w", err)
	}
	switch beyond := info.Mode().Perm() &^ (mode | ownBits); {
	case info.Mode()&fs.ModeSymlink != 0:
		return refuse(dir, "give the directory itself", "it is a link")
	case !info.IsDir():
		return refuse(dir, ours, "it is not a directory")
	case !Owned(info):
		return refuse(dir, ours, "it belongs to user %d, not to us (%d)", owner(info), os.Geteuid())
	case beyond&others != 0:
		return refuse(dir, "chmod go-w "+strconv.Quote(dir), "it can be written by others (mode %04o)", info.Mode().Perm())
	case beyond != 0:
		return refuse(dir, "chmod go= "+strconv.Quote(dir), "it can be entered by others (mode %04o)", info.Mode().Perm())
	}
	return nil
}

// Follow reports whether the way to path can be followed: nothing on it, path
// left out, was laid where everybody may write by somebody other than us or root.
func Follow(path string) error {
	path, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	var w walk
	return w.to(filepath.Dir(path))
}

// Open opens for reading a file that belongs to us and that nobody else can write
// to. It follows no link.
func Open(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && (!info.Mode().IsRegular() || !Owned(info) || info.Mode().Perm()&others != 0) {
		err = refuse(path, "remove it", "it is not a file that only we can write")
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// Owned reports whether a file or directory belongs to us.
func Owned(info fs.FileInfo) bool { return owner(info) == os.Geteuid() }

// Trusted reports whether a file or directory belongs to us or to root. Where
// root's own files are shown as somebody else's, as in a user namespace without
// root, whoever owns the top directory is taken for root.
func Trusted(info fs.FileInfo) bool {
	if uid := owner(info); uid == 0 || uid == os.Geteuid() {
		return true
	}
	top, err := os.Lstat("/")
	return err == nil && owner(top) == owner(info)
}

func owner(info fs.FileInfo) int { return int(info.Sys().(*syscall.Stat_t).Uid) }

// walk goes down a path, one component at a time, and follows links itself.
type walk struct {
	make bool        // what is missing, instead of ending there
	mode fs.FileMode // of the last component, if it is made

	at    string // where it has come to: no link is in this path
	links int
}

func (w *walk) to(path string) error {
	w.at = string(filepath.Separator)
	for rest := components(path); len(rest) > 0; {
		link, err := w.step(rest[0], len(rest) == 1)
		switch {
		case errors.Is(err, fs.ErrNotExist) && !w.make:
			return nil // nothing is there to be followed
		case err != nil:
			return err
		case link != "" && w.make && len(rest) == 1:
			return nil // check refuses it
		}
		rest = rest[1:]
		if link != "" {
			if w.links++; w.links > maxLinks {
				return fmt.Errorf("following %q: %w", path, syscall.ELOOP)
			}
			rest = append(components(link), rest...)
		}
	}
	return nil
}

func components(path string) []string {
	return strings.FieldsFunc(path, func(r rune) bool { return r == filepath.Separator })
}

// step goes to the entry of that name, and returns where a link leads.
func (w *walk) step(name string, last bool) (link string, err error) {
	next := filepath.Join(w.at, name)
	info, err := os.Lstat(next)
	if errors.Is(err, fs.ErrNotExist) && w.make {
		mode := fs.FileMode(madeWith)
		if last {
			mode = w.mode
		}
		if err = os.Mkdir(next, mode); err == nil || errors.Is(err, fs.ErrExist) {
			info, err = os.Lstat(next) // also when another was faster
		}
	}
	if err != nil {
		return "", fmt.Errorf("making directory: %w", err)
	}
	if err := w.allowed(next, info); err != nil {
		return "", err
	}
	if info.Mode()&fs.ModeSymlink == 0 {
		w.at = next
		return "", nil
	}
	if link, err = os.Readlink(next); filepath.IsAbs(link) {
		w.at = string(filepath.Separator)
	}
	return link, err
}

// allowed refuses an entry that a stranger may have laid. (Where the sticky bit is
// missing too, as in the volumes of Kubernetes that are for one pod, he could also
// take ours away later: whoever shares such a directory cannot be helped here.)
func (w *walk) allowed(next string, info fs.FileInfo) error {
	parent, err := os.Lstat(w.at)
	if err != nil {
		return fmt.Errorf("checking directory: %w", err)
	}
	if parent.Mode().Perm()&everyone != 0 && !Trusted(info) {
		return refuse(next, ours, "it belongs to user %d, and everybody can make one in %q", owner(info), w.at)
	}
	return nil
}
