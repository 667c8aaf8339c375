package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
)

// stamped is the version the Makefile builds with; empty in other builds, which
// then say what the module system knows.
var stamped string

func version() string {
	if stamped != "" {
		return stamped
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}

// parts are the modules whose versions matter when something is reported.
var parts = []struct{ name, module string }{
	{"MCP go-sdk", "github.com/modelcontextprotocol/go-sdk"},
	{"OPA", "github.com/open-policy-agent/opa"},
	{"CEL", "github.com/google/cel-go"},
	{"Docker client", "github.com/docker/docker"},
	{"gVisor", "gvisor.dev/gvisor"},
	{"CPython", "github.com/kluctl/go-embed-python"},
}

func newVersion(u *ui) *cobra.Command {
	return &cobra.Command{
		Use:                   "version",
		Short:                 "The versions of this program and of what it is built from",
		Args:                  noArgs,
		DisableFlagsInUseLine: true,
		RunE: func(*cobra.Command, []string) error {
			return u.output(versions())
		},
	}
}

// versions is one aligned line for each part.
func versions() string {
	var b strings.Builder
	line := func(name, version string) { fmt.Fprintf(&b, "%-14s %s\n", name, version) }
	line(program, version())
	line("go", fmt.Sprintf("%s %s/%s", strings.TrimPrefix(runtime.Version(), "go"), runtime.GOOS, runtime.GOARCH))
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b.String()
	}
	built := make(map[string]string, len(info.Deps))
	for _, dep := range info.Deps {
		built[dep.Path] = dep.Version
	}
	for _, p := range parts {
		v, ok := built[p.module]
		if !ok {
			continue // not in the build for this system
		}
		if p.name == "CPython" {
			v = pythonVersion(v)
		}
		line(p.name, strings.TrimSuffix(v, "+incompatible"))
	}
	return b.String()
}

// pythonVersion finds the version of CPython in the version of the module that
// carries it: v0.0.0-3.14.6-20260610-1.
func pythonVersion(module string) string {
	_, rest, ok := strings.Cut(module, "-")
	if !ok {
		return module
	}
	python, _, _ := strings.Cut(rest, "-")
	return python
}
