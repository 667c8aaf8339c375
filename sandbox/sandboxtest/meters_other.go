//go:build !linux

package sandboxtest

import "errors"

// meters can be read on Linux only.
type meters struct {
	tasks, files int
	ticks        int64
	kernel       int64
	sockets      int64
}

func (m meters) total() int64         { return 0 }
func (m meters) uncounted() int64     { return 0 }
func (m meters) since(meters) meters  { return m }
func (m meters) most(meters) meters   { return m }
func (m meters) String() string       { return "nothing measured" }
func readMeters([]int) meters         { return meters{} }
func measurable([]int) error          { return errors.ErrUnsupported }
func alone() (func(), error)          { return nil, errors.ErrUnsupported }
func inotifyWorks() error             { return errors.ErrUnsupported }
func hypervisorPortFree(uint32) error { return errors.ErrUnsupported }
func identities([]int) map[int]string { return nil }
func stillThere(map[int]string) int   { return 0 }
