// Package wire holds the messages that pass between a sandbox and those who answer
// its calls: a Call goes out, and a Reply comes back. How they are written as lines
// is a matter of package sandbox alone.
package wire
