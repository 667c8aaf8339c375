package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
)

// machine says in one line where the numbers come from.
func machine(ctx context.Context) string {
	said := []string{fmt.Sprintf("%d × %s", runtime.NumCPU(), processor()), runtime.GOOS + "/" + runtime.GOARCH}
	if release, err := os.ReadFile("/proc/sys/kernel/osrelease"); err == nil {
		said = append(said, "kernel "+strings.TrimSpace(string(release)))
	}
	if version, err := exec.CommandContext(ctx, "docker", "version", "--format", "{{.Server.Version}}").Output(); err == nil {
		said = append(said, "Docker engine "+strings.TrimSpace(string(version)))
	}
	if load, err := os.ReadFile("/proc/loadavg"); err == nil {
		said = append(said, "load "+strings.Fields(string(load))[0])
	}
	return strings.Join(said, ", ")
}

func processor() string {
	info, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(info)) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == "model name" {
			return strings.Join(strings.Fields(value), " ")
		}
	}
	return "processors"
}
