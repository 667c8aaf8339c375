// Package wire is the language spoken between the host and the runner in a
// sandbox, and the one decoder for untrusted JSON: what it returns is what
// policies see and what upstreams are sent.
package wire
