//go:build !linux || (!amd64 && !arm64)

package rootfs

import (
	"context"
	"fmt"
	"runtime"

	"github.com/mcp-code-mode/mcp-code-mode/internal/hint"
)

// Tree fails with ErrUnsupported: this build embeds no Python.
func Tree(context.Context, []byte, func(string)) (dir, digest string, err error) {
	err = fmt.Errorf("%w: %s/%s has none", ErrUnsupported, runtime.GOOS, runtime.GOARCH)
	return "", "", hint.Error(err, baseHint)
}
