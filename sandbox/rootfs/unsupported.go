//go:build !linux || (!amd64 && !arm64)

package rootfs

import (
	"context"
	"fmt"
	"runtime"
)

// Tree fails with ErrUnsupported: this build embeds no Python.
func Tree(context.Context, []byte, func(string)) (dir, digest string, err error) {
	err = fmt.Errorf("%w: %s/%s has none", ErrUnsupported, runtime.GOOS, runtime.GOARCH)
	return "", "", &hinted{err, baseHint}
}
