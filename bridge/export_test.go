package bridge

import "time"

// SetCallTimeout shortens the time an upstream has for one call. It must not
// run next to a call.
func SetCallTimeout(b *Bridge, d time.Duration) { b.callTimeout = d }
