//go:build unix

package sandboxtest_test

import (
	"testing"

	"github.com/mcp-code-mode/mcp-code-mode/sandbox"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox/sandboxtest"
)

func TestProcessKeepsWhatItCan(t *testing.T) {
	newDriver := func(t *testing.T, _ sandbox.Limits) sandbox.Driver {
		d, err := sandboxtest.NewProcess("")
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	sandboxtest.Conformance(t, newDriver, sandboxtest.WithoutIsolation())
}
