// Package hint carries the operator's next step beside an error: what the program
// prints as a line "hint: …" below it.
package hint

import "errors"

// hinted is an error that knows the next step.
type hinted struct {
	error
	next string
}

func (e *hinted) Unwrap() error { return e.error }
func (e *hinted) Hint() string  { return e.next }

// Error returns err with a next step. Its text is err's alone, and errors.Is and
// errors.As find all that err wraps.
func Error(err error, next string) error { return &hinted{err, next} }

// Of returns the next step of the outermost error in err's tree that has a method
// Hint() string, or "".
func Of(err error) string {
	var h interface{ Hint() string }
	if errors.As(err, &h) {
		return h.Hint()
	}
	return ""
}
