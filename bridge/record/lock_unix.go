//go:build unix

package record

import (
	"os"
	"syscall"
)

// lockFile waits until no other process holds the file, and holds it.
func lockFile(file *os.File) (unlock func(), err error) {
	fd := int(file.Fd())
	if err := syscall.Flock(fd, syscall.LOCK_EX); err != nil {
		return nil, err
	}
	return func() { _ = syscall.Flock(fd, syscall.LOCK_UN) }, nil
}

// holdFile holds the file until it is closed, unless another process holds it.
func holdFile(file *os.File) error {
	return syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
}
