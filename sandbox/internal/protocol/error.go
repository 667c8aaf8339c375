package protocol

import (
	"errors"
	"fmt"
)

// ErrViolation is wrapped by every error that means the runner broke the
// protocol. The text after it says how, for the operator.
var ErrViolation = errors.New("protocol violation")

// violation says how the protocol was broken.
func violation(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrViolation, fmt.Sprintf(format, args...))
}
