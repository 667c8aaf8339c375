// Package wire holds the messages between a sandbox and the code that answers its calls:
// a Call goes out, and a Reply comes back. Only package sandbox knows how they are
// written as lines.
package wire
