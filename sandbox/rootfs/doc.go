// Package rootfs makes the file tree every sandbox starts from: the CPython
// that the program embeds, the shared libraries of the host that it needs, its
// byte-compiled standard library, the time zones, the runner, and nothing else. There is no
// shell, no package manager and no MCP client in it.
//
//	/usr/bin/python3          the interpreter, one copy
//	/usr/lib/*.so*            libc and the like, found through the interpreter's RPATH
//	/usr/lib/python3.14/      the standard library, with its .pyc files
//	/usr/share/zoneinfo/      the time zones
//	/lib64/ld-linux-….so.2    the loader, at the path in the interpreter's ELF header
//	/runner.py, /runner.pyc   the runner, as source and compiled
//	/dev /proc /sys /tmp      empty directories, over which others are mounted
//
// The tree is unpacked once into the user's cache directory, under the digest
// of its content. Two trees built from the same program on the same host are
// equal byte for byte.
//
// An error with a next step for the operator has a method Hint() string that
// returns it.
package rootfs

import "errors"

const (
	// PythonVersion is the embedded CPython: the version of the module that
	// carries it, without its zero prefix.
	PythonVersion = "3.14.6-20260610-1"

	// RunnerPath is where the runner's source lies in the tree.
	RunnerPath = "/runner.py"
)

// Command starts the runner inside the tree: isolated from environment and
// site packages, writing no bytecode, and without compiling its source again.
func Command() []string {
	return []string{"/usr/bin/python3", "-I", "-S", "-B", "/runner.pyc"}
}

// ErrUnsupported is what Tree fails with, wrapped, where the embedded Python
// cannot run: another operating system, another processor, a host without
// glibc.
var ErrUnsupported = errors.New("the embedded Python does not run on this system")

const baseHint = "build the image on a registry image instead: mcp-code-mode build-image --base IMAGE@sha256:…"
