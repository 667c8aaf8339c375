//go:build linux

package sandboxtest_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcp-code-mode/mcp-code-mode/sandbox"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox/rootfs"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox/sandboxtest"
)

// python is the Python that sandboxes hold, or this machine's.
var python string

func TestMain(m *testing.M) {
	if python = os.Getenv("RUNNER_PYTHON"); python != "" { // make test tries the oldest one too
		os.Exit(m.Run())
	}
	dir, _, err := rootfs.Tree(context.Background(), sandbox.RunnerSource, nil)
	switch {
	case err == nil:
		python = filepath.Join(dir, "usr/bin/python3")
	case !errors.Is(err, rootfs.ErrUnsupported):
		log.Fatal(err)
	}
	os.Exit(m.Run())
}

func start(t *testing.T) (*sandboxtest.Process, sandbox.Instance) {
	t.Helper()
	d, err := sandboxtest.NewProcess(python)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	inst, err := d.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return d, inst
}

func TestAKilledProcessIsGoneAndUnblocksItsReader(t *testing.T) {
	d, inst := start(t)
	read := make(chan error)
	go func() {
		_, err := io.Copy(io.Discard, inst)
		read <- err
	}()
	inst.Kill()
	inst.Kill()
	<-read
	if exit := inst.Wait(); exit.Code != 137 || d.Live() != 0 {
		t.Errorf("got %+v, %d live", exit, d.Live())
	}
	if _, err := inst.Write([]byte("x")); err == nil {
		t.Error("wrote to a dead process")
	}
}

func TestARunnerThatFailsSaysWhyToTheOperator(t *testing.T) {
	_, inst := start(t)
	if _, err := inst.Write([]byte("garbage\n")); err != nil {
		t.Fatal(err)
	}
	if exit := inst.Wait(); exit.Code != 71 || !strings.Contains(exit.Detail, "JSONDecodeError") && !strings.Contains(exit.Detail, "StopIteration") {
		t.Errorf("got %+v", exit)
	}
}

func TestClosingTheDriverEndsItsProcesses(t *testing.T) {
	d, inst := start(t)
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	inst.Wait()
	if _, err := d.Start(t.Context()); err == nil || d.Live() != 0 {
		t.Errorf("a closed driver started a process: %v, %d live", err, d.Live())
	}
}

// A test of what is built on sandboxes needs no isolation, only a driver.
func ExampleNewProcess() {
	driver, err := sandboxtest.NewProcess(python)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(product(driver))
	fmt.Println(driver.Live(), driver.Close())
	// Output:
	// 42
	//  <nil>
	// 0 <nil>
}

func product(driver sandbox.Driver) (string, error) {
	box, err := sandbox.Open(context.Background(), driver)
	if err != nil {
		return "", err
	}
	defer box.Close()
	outcome, err := box.Exec(context.Background(), "6 * 7", nil)
	return outcome.Stdout, err
}
