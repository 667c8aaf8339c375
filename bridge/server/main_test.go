package server_test

import (
	"os"
	"testing"

	"github.com/mcp-code-mode/mcp-code-mode/sandbox/gvisor"
)

// TestMain lets the test binary serve as the runsc of the gVisor driver.
func TestMain(m *testing.M) {
	gvisor.Main()
	os.Exit(m.Run())
}
