//go:build !linux

package rawio

// Conn reads and writes a file.
type Conn struct{ File }

// New returns a Conn on f.
func New(f File) *Conn { return &Conn{f} }

// TryWrite would write all of p if it could do so at once; here that is not known.
func (*Conn) TryWrite([]byte) bool { return false }
