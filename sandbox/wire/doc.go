// Package wire is the language spoken between the host and the runner in a
// sandbox. A line from the runner is decoded once: what comes out of that is what
// policies see and what upstreams are sent.
package wire
