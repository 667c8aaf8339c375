// Package keeper ends everything that a wrapped server started, also what the server
// forked away into sessions of its own (a daemon), and also when this process is
// killed.
//
// A keeper is a process between us and one server: this program, executed a second
// time under another name. It is the subreaper of all that comes of the server, so
// the kernel makes it the parent of every orphan among them. When the server ends,
// or the pipe that only we hold does, the keeper kills all of them, until it has no
// child left, and ends.
//
// What a keeper does is in package keep, which needs no call from main: this works in
// every program that holds the package.
package keeper
