package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/mcp-code-mode/mcp-code-mode/sandbox/gvisor"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox/rootfs"
)

// privilege says how the embedded gVisor would run, and who its sandboxes are on the
// host.
func privilege() string {
	switch {
	case gvisor.OwnUsers():
		return "as root; each sandbox is a user of its own on the host"
	case os.Geteuid() == 0:
		return "as root; sandboxes share user 65534, because too few ids are mapped here"
	}
	return fmt.Sprintf("rootless; every sandbox is user %d on the host, as you are", os.Geteuid())
}

// checkPython says whether the embedded Python has been unpacked already.
func checkPython() check {
	dir, err := rootfs.CacheDir()
	if err != nil {
		return failed("python", "warn", err)
	}
	trees, err := filepath.Glob(filepath.Join(dir, "rootfs", "*", "usr", "bin", "python3"))
	if err != nil || len(trees) == 0 {
		return ok("python", "CPython %s is embedded; the first run unpacks it to %s", rootfs.PythonVersion, dir)
	}
	return ok("python", "CPython %s is embedded and unpacked in %s", rootfs.PythonVersion, dir)
}
