// Package ourdir makes and checks the directories and files that the program writes. It
// refuses those that another user could have made or could change.
//
// A path is walked one component at a time, and a link is checked before it is followed.
// In a directory where everybody may write, as in /tmp, a component must belong to us or
// to root, because another user could have made it first: a directory, or a link to one. The
// directory at the end must be a real directory and not a link, must belong to us, and must
// be closed to others. Directories on the way may be writable for a group, which is the
// administrator's decision; the directory at the end may not.
//
// Errors have a method Hint() string with the next step for the operator.
//
// On Windows, where the directories of a user are closed to others, only the
// types are checked.
package ourdir

import "fmt"

// Error is a directory or a file that is there and is refused.
type Error struct {
	Path string
	Why  string
	hint string
}

func (e *Error) Error() string { return fmt.Sprintf("using %q: %s", e.Path, e.Why) }

// Hint is the next step, for the operator.
func (e *Error) Hint() string { return e.hint }

func refuse(path, hint, format string, args ...any) error {
	return &Error{Path: path, Why: fmt.Sprintf(format, args...), hint: hint}
}
