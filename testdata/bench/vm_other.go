//go:build !linux

package main

// shareMemory reports whether two processes have one address space.
func shareMemory(int, int) bool { return false }
