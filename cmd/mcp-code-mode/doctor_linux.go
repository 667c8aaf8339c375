package main

import (
	"os"
	"path/filepath"

	"github.com/mcp-code-mode/mcp-code-mode/sandbox/rootfs"
)

// privilege says how the embedded gVisor would run.
func privilege() string {
	if os.Geteuid() == 0 {
		return "as root"
	}
	return "rootless"
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
