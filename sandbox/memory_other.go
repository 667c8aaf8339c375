//go:build !linux

package sandbox

// availableMemory is how many bytes of memory can be used without taking them from
// others, 0 when unknown.
func availableMemory() int64 { return 0 }
