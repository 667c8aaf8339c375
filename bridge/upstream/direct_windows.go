package upstream

import "os"

// writeNow is not possible here: to write to a pipe is to wait.
func writeNow(*os.File, []byte) bool { return false }
