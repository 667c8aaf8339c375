//go:build !embed_runsc && linux && (amd64 || arm64)

package gvisor

// embeddedRunsc is empty: sandboxes are started from the program itself. Built
// with the tag embed_runsc they start faster; see embedded_amd64.go.
var embeddedRunsc string
