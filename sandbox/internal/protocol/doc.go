// Package protocol defines the messages between the host and the runner in a sandbox,
// one JSON object on each line, and how lines are read and written.
//
// Everything from the runner is hostile. A line is decoded once: policies see the
// decoded value, and upstreams are sent the encoding of the same value.
package protocol
