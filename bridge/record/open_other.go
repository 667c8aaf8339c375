//go:build !unix

package record

import (
	"errors"
	"os"
)

// openAppend refuses a link at the end of path.
func openAppend(path string) (*os.File, error) {
	if info, err := os.Lstat(path); err == nil && info.Mode()&os.ModeSymlink != 0 {
		return nil, errors.New("it is a symbolic link")
	}
	return os.OpenFile(path, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o600)
}
