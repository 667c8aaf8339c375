// Package ourdir is how the program comes to the directories and files that it
// writes: it makes them, and refuses those that somebody else could have laid
// there or could change.
//
// A path is walked one component at a time, without following a link unseen.
// Where everybody may write, as in /tmp, a component must belong to us or to
// root, for anybody could have made it first: a directory, or a link to one. The
// directory at the end must be one, and no link, must belong to us, and must be
// closed to others. A group that may write is its administrator's decision on the
// way to a directory, and refused at its end.
//
// Errors carry the next step for the operator in a method Hint() string.
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
