//go:build !unix

package record

import "os"

// lockFile holds nothing: a file that is open cannot be renamed here at all.
func lockFile(*os.File) (unlock func(), err error) { return func() {}, nil }

// holdFile holds nothing. A file of another process may be sent twice; it cannot be removed.
func holdFile(*os.File) error { return nil }
