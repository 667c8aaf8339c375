// Package protocol is the language spoken between the host and the runner in a
// sandbox: what each says, one JSON object to a line, and how lines are read and
// written.
//
// Everything from the runner is hostile. A line is decoded once: what comes out of
// that is what policies see and what upstreams are sent.
package protocol
