// Package policies holds the built-in policy pack: Rego that people are meant to read, copy
// and change. Start at codemode/main.rego.
package policies

import "embed"

// FS is the pack as it lies in this directory, tests included: the rules, the schemas of what
// they read, and the capabilities they may use.
//
//go:embed codemode schemas capabilities.json
var FS embed.FS
