//go:build embed_runsc && linux

package gvisor

import _ "embed"

// embeddedRunsc is ./runsc for this processor, compressed: `make runsc` makes it
// before the program that embeds it is built with the tag embed_runsc.
//
//go:embed embedded/runsc-amd64.gz
var embeddedRunsc string
