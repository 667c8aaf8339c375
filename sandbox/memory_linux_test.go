package sandbox

import "testing"

func TestAvailableMemoryIsThatOfThisMachine(t *testing.T) {
	if n := availableMemory(); n < 1<<20 || n > 1<<50 {
		t.Errorf("%d bytes", n)
	}
}

func TestWhatTheKernelDoesNotSayIsUnknown(t *testing.T) {
	for text, want := range map[string]int64{
		"MemTotal:       24 kB\nMemAvailable:   12 kB\n": 12 << 10,
		"MemTotal:       24 kB\n":                        0,
		"MemAvailable:   many kB\n":                      0,
		"MemAvailable:   9223372036854775807 kB\n":       0,
		"": 0,
	} {
		if got := meminfo([]byte(text), "MemAvailable:"); got != want {
			t.Errorf("%q: %d bytes, want %d", text, got, want)
		}
	}
}
