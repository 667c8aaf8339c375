package server_test

import (
	"log"
	"os"
	"testing"

	"github.com/mcp-code-mode/mcp-code-mode/sandbox/gvisor"
)

// TestMain lets the test binary serve as the runsc of the gVisor driver, and as a
// host whose processor time is measured.
func TestMain(m *testing.M) {
	gvisor.Main()
	if os.Getenv(floodEnv) != "" {
		if err := flood(); err != nil {
			log.Fatal(err)
		}
		return
	}
	os.Exit(m.Run())
}
