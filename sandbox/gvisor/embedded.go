//go:build embed_runsc && linux && (amd64 || arm64)

package gvisor

import _ "embed"

// embeddedRunsc is ./runsc built for this system and compressed. It is made
// before the program that embeds it:
//
//	CGO_ENABLED=0 go build -trimpath -ldflags='-s -w' -o sandbox/gvisor/embedded/runsc ./sandbox/gvisor/runsc
//	gzip -9nf sandbox/gvisor/embedded/runsc
//	CGO_ENABLED=0 go build -tags embed_runsc …
//
//go:embed embedded/runsc.gz
var embeddedRunsc string
