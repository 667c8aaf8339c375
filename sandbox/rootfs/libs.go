//go:build linux && (amd64 || arm64)

package rootfs

import (
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/mcp-code-mode/mcp-code-mode/internal/hint"
)

// library is a file of the host that the tree holds a copy of.
type library struct {
	Host string `json:"host"` // where it was found
	Tree string `json:"tree"` // where it goes, relative to the tree
	// Size, MTime (ns) and Inode tell whether the host has replaced it since.
	Size  int64  `json:"size"`
	MTime int64  `json:"mtime"`
	Inode uint64 `json:"inode"`
}

// maxLibraries bounds the search; the embedded Python needs seven.
const maxLibraries = 64

// libraries finds the loader and all shared libraries that the program needs,
// by reading ELF headers: nothing of the host is executed and its ld.so.cache
// is not believed.
func libraries(program string) ([]library, error) {
	loader, needed, err := elfNeeds(program)
	if err != nil {
		return nil, err
	}
	if loader == "" {
		return nil, nil
	}
	found, err := describe(loader, strings.TrimPrefix(loader, "/"))
	if err != nil {
		err = fmt.Errorf("%w: no glibc loader: %w", ErrUnsupported, err)
		return nil, hint.Error(err, baseHint)
	}
	libs := []library{found}
	dirs := searchDirs(loader)
	seen := map[string]bool{filepath.Base(loader): true}
	for len(needed) > 0 {
		name := needed[0]
		needed = needed[1:]
		if seen[name] {
			continue
		}
		seen[name] = true
		lib, more, err := findLibrary(name, dirs)
		if err != nil {
			return nil, err
		}
		libs = append(libs, lib)
		needed = append(needed, more...)
		if len(libs) > maxLibraries {
			return nil, fmt.Errorf("finding shared libraries of %q: more than %d", program, maxLibraries)
		}
	}
	return libs, nil
}

// searchDirs lists where shared libraries usually are. The directory of the
// loader itself comes first: loader and libc must be of one build.
func searchDirs(loader string) []string {
	triplet := map[string]string{"amd64": "x86_64-linux-gnu", "arm64": "aarch64-linux-gnu"}[runtime.GOARCH]
	dirs := []string{
		"/lib/" + triplet, "/usr/lib/" + triplet,
		"/lib64", "/usr/lib64", "/lib", "/usr/lib", "/usr/local/lib",
	}
	if real, err := filepath.EvalSymlinks(loader); err == nil {
		dirs = append([]string{filepath.Dir(real)}, dirs...)
	}
	return dirs
}

// findLibrary returns the library and the names it needs in turn. Libraries of
// another architecture that lie in the same directories are passed over.
func findLibrary(name string, dirs []string) (library, []string, error) {
	if name != filepath.Base(name) {
		return library{}, nil, fmt.Errorf("finding shared libraries: strange name %q", name)
	}
	for _, dir := range dirs {
		path := filepath.Join(dir, name)
		_, needed, err := elfNeeds(path)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, errOtherMachine) {
			continue
		}
		if err != nil {
			return library{}, nil, err
		}
		lib, err := describe(path, "usr/lib/"+name)
		return lib, needed, err
	}
	err := fmt.Errorf("%w: shared library %q is in none of %s", ErrUnsupported, name, strings.Join(dirs, ", "))
	return library{}, nil, hint.Error(err, "install the C library (glibc), or "+baseHint)
}

var errOtherMachine = errors.New("is for another machine")

// elfNeeds reads the loader (PT_INTERP) and the needed libraries (DT_NEEDED).
func elfNeeds(path string) (loader string, needed []string, err error) {
	file, err := os.Open(path)
	if err != nil {
		return "", nil, err
	}
	defer file.Close()
	f, err := elf.NewFile(file)
	if err != nil {
		var format *elf.FormatError
		if errors.As(err, &format) { // a linker script such as libc.so
			err = errOtherMachine
		}
		return "", nil, fmt.Errorf("reading ELF header of %q: %w", path, err)
	}
	machine := map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64}[runtime.GOARCH]
	if f.Class != elf.ELFCLASS64 || f.Machine != machine {
		return "", nil, fmt.Errorf("reading ELF header of %q: %w", path, errOtherMachine)
	}
	for _, p := range f.Progs {
		if p.Type != elf.PT_INTERP {
			continue
		}
		text, err := io.ReadAll(io.LimitReader(p.Open(), 4096))
		if err != nil {
			return "", nil, fmt.Errorf("reading ELF header of %q: %w", path, err)
		}
		loader = filepath.Clean("/" + strings.TrimRight(string(text), "\x00"))
	}
	needed, err = f.ImportedLibraries()
	if err != nil {
		return "", nil, fmt.Errorf("reading ELF header of %q: %w", path, err)
	}
	return loader, needed, nil
}

func describe(host, tree string) (library, error) {
	info, err := os.Stat(host)
	if err != nil {
		return library{}, err
	}
	st := statOf(info)
	return library{Host: host, Tree: tree, Size: info.Size(), MTime: st.Mtim.Nano(), Inode: st.Ino}, nil
}

// unchanged reports whether the host still has the file the tree was built
// with.
func (l library) unchanged() bool {
	now, err := describe(l.Host, l.Tree)
	return err == nil && now == l
}
