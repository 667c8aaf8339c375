// Package searchpath finds a program by its name, as a shell with a given PATH
// would, so that one that is not there is reported before it is to be started.
package searchpath

import (
	"fmt"
	"os/exec"
	"path/filepath"
)

// IsPath reports whether name says where a program is, so that no PATH is asked.
func IsPath(name string) bool { return filepath.Base(name) != name }

// Find returns the absolute path of a program that is called name in the first
// directory of a PATH that holds one. Directories that are not absolute are left
// out: whoever can write to the working directory must not choose the program.
func Find(name, path string) (string, error) {
	for _, dir := range filepath.SplitList(path) {
		if !filepath.IsAbs(dir) {
			continue
		}
		if found, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
			return found, nil
		}
	}
	return "", fmt.Errorf("%q is not in PATH", name)
}
