//go:build linux && (amd64 || arm64)

package gvisor_test

import (
	"context"
	"fmt"
	"log"

	"github.com/mcp-code-mode/mcp-code-mode/sandbox"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox/gvisor"
)

// One fresh sandbox, one piece of code. The program's main function begins with
// gvisor.Main().
func Example() {
	outcome, err := runOnce(context.Background(), "import os\nprint(os.uname().release, os.getuid())")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(outcome.Stdout)
	// Output: 4.19.0-gvisor 65534
}

func runOnce(ctx context.Context, code string) (sandbox.Outcome, error) {
	driver, err := gvisor.New(ctx, gvisor.Options{})
	if err != nil {
		return sandbox.Outcome{}, err
	}
	defer driver.Close()
	s, err := sandbox.Open(ctx, driver)
	if err != nil {
		return sandbox.Outcome{}, err
	}
	defer s.Close()
	return s.Exec(ctx, code, nil)
}
