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
	stdout, err := run(context.Background(), "print(open('/proc/net/route').readlines()[1:])\n6 * 7")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(stdout)
	// Output:
	// []
	// 42
}

func run(ctx context.Context, code string) (stdout string, err error) {
	driver, err := docker.New(ctx, docker.Options{})
	if err != nil {
		return "", err
	}
	defer driver.Close()
	s, err := sandbox.Open(ctx, driver)
	if err != nil {
		return "", err
	}
	defer s.Close()
	if err := s.Init(ctx, nil); err != nil {
		return "", err
	}
	outcome, err := s.Exec(ctx, code, nil)
	return outcome.Stdout, err
}
