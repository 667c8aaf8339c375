//go:build linux && (amd64 || arm64)

package gvisor

import (
	"compress/gzip"
	"crypto/sha256"
	"debug/elf"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/mcp-code-mode/mcp-code-mode/internal/hint"
	"github.com/mcp-code-mode/mcp-code-mode/internal/ourdir"
)

// selfExe is this program. Tests built with cgo put a static one in its place.
var selfExe = "/proc/self/exe"

// executable opens the program that sentries are started from and checks that
// they can be. path is Options.Runsc; "" means the embedded runsc or, without
// one, this program.
//
// The sentry executes it in an empty root, so it must not need a dynamic
// loader. If root starts the sentry, the sentry is already a user of its own when it
// executes the program, so that user must be able to read it.
func executable(path string) (*os.File, error) {
	what := strconv.Quote(path)
	switch {
	case path != "":
	case len(embeddedRunsc) > 0:
		var err error
		if path, err = unpackRunsc(); err != nil {
			return nil, fmt.Errorf("unpacking gVisor: %w", err)
		}
		what = strconv.Quote(path)
	case selfExe == "/proc/self/exe" && !mainCalled.Load():
		return nil, hint.Error(errors.New("gVisor cannot start from this program: it did not call gvisor.Main"),
			"make gvisor.Main() the first line of main (and of TestMain), or set Options.Runsc")
	default:
		path, what = selfExe, "this program"
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("opening gVisor's executable: %w", err)
	}
	if err := checkExecutable(f, what); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// execMargin is more than the number of descriptors that os/exec uses in a child above
// those that the child is given. It moves each of these there, and the pipe that reports
// errors.
const execMargin = 32

// beyond opens an executable once more, at a number that a child which is given these
// files does not use itself before it executes it.
func beyond(files []*os.File, executable *os.File) (*os.File, error) {
	highest := 0
	for _, f := range files {
		highest = max(highest, int(f.Fd()))
	}
	fd, err := unix.FcntlInt(executable.Fd(), unix.F_DUPFD_CLOEXEC, highest+execMargin)
	if err != nil {
		err = fmt.Errorf("opening gVisor's executable as descriptor %d: %w", highest+execMargin, err)
		return nil, hint.Error(err, "allow more open files: ulimit -n 1024")
	}
	return os.NewFile(uintptr(fd), executable.Name()), nil
}

// unpackRunsc returns the path of the embedded runsc in the cache and puts it
// there first if need be.
func unpackRunsc() (string, error) {
	dir, err := cacheDir()
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, runscPrefix+runscID(embeddedRunsc))
	if f, err := ourdir.Open(path); err == nil {
		f.Close()
		touch(path)
		return path, nil
	}
	return path, replaceFile(path, func(f *os.File) error {
		in, err := gzip.NewReader(strings.NewReader(embeddedRunsc))
		if err != nil {
			return err
		}
		if _, err := io.Copy(f, in); err != nil {
			return err
		}
		return f.Chmod(0o555)
	})
}

// runscID tells one compressed runsc from another. It looks at both ends only, since
// all that is read stays in memory, 11 MB: the linker's id, a hash of the program,
// stands near the start of it, and its checksum at the end.
func runscID(compressed string) string {
	const ends = 8 << 10
	n := min(ends, len(compressed))
	sum := sha256.Sum256([]byte(compressed[:n] + compressed[len(compressed)-n:]))
	return hex.EncodeToString(sum[:16])
}

func checkExecutable(f *os.File, what string) error {
	bin, err := elf.NewFile(f)
	if err != nil {
		return fmt.Errorf("reading gVisor's executable: %s: %w", what, err)
	}
	for _, segment := range bin.Progs {
		if segment.Type == elf.PT_INTERP {
			err := fmt.Errorf("%s is linked dynamically (built with cgo), so gVisor cannot run from it", what)
			return hint.Error(err, "build it with CGO_ENABLED=0, as `make build` does, or take a program of a release")
		}
	}
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if os.Geteuid() == 0 && info.Mode().Perm()&0o005 != 0o005 {
		err := fmt.Errorf("%s has mode %04o: the sandbox, which is a user of its own, cannot execute it", what, info.Mode().Perm())
		return hint.Error(err, "chmod o+rx "+f.Name())
	}
	return nil
}

// execPath names an open executable for a child of this process: through the
// descriptor, so that no directory on the way to it has to be open to that user.
func execPath(f *os.File) string {
	return "/proc/self/fd/" + strconv.Itoa(int(f.Fd()))
}

// programID tells one build of an executable from another: by the id the linker
// gave it and, where it gave none, by its place and time.
func programID(f *os.File) (string, error) {
	bin, err := elf.NewFile(f)
	if err != nil {
		return "", err
	}
	if note := bin.Section(".note.go.buildid"); note != nil && note.Size < 4096 {
		if data, err := note.Data(); err == nil {
			return string(data), nil
		}
	}
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%d %d", info.Size(), info.ModTime().UnixNano()), nil
}
