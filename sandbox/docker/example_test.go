//go:build linux

package docker_test

import (
	"context"
	"fmt"
	"log"

	"github.com/mcp-code-mode/mcp-code-mode/sandbox"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox/docker"
)

// Run code in a container that is gone afterwards.
func Example() {
	ctx := context.Background()
	driver, err := docker.New(ctx, docker.Options{Runner: sandbox.RunnerSource})
	if err != nil {
		log.Fatal(err)
	}
	defer driver.Close()
	s, err := sandbox.Open(ctx, driver, sandbox.Limits{})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	if err := s.Init(ctx, nil); err != nil {
		log.Fatal(err)
	}
	outcome, err := s.Exec(ctx, "import socket\nprint(socket.if_nameindex())\n6 * 7", nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(outcome.Stdout)
	// Output:
	// [(1, 'lo')]
	// 42
}
