package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	mb        = 1e6
	idleGoal  = 60.0 // MB
	warmCount = 4
)

var warmMemoryGoal = map[string]float64{docker: 20, gvisor: 32}

// memory is what the program takes of the host when nothing runs, and what each
// waiting sandbox adds to that, all its processes on the host included. It is
// proportional set size, in which a page shared by n processes counts 1/n in each. Of
// processes that share all their memory, as those of gVisor do, one counts.
func (b *bench) memory(ctx context.Context) error {
	idle := b.table.add("memory: the program, idle", "60 MB")
	warm := b.table.add("memory: each warm sandbox", "20 MB docker, 32 MB gvisor")
	return b.each(func(driver string) error {
		own, without, err := b.footprint(ctx, driver, 0)
		if err != nil {
			return err
		}
		_, with, err := b.footprint(ctx, driver, warmCount)
		if err != nil {
			return err
		}
		idle.set(driver, digits(own)+" MB", own <= idleGoal)
		each := (with - without) / warmCount
		warm.set(driver, digits(each)+" MB", each <= warmMemoryGoal[driver])
		return nil
	})
}

// footprint is the memory in MB of the program, and of it and its sandboxes, with
// so many of them warm.
func (b *bench) footprint(ctx context.Context, driver string, warm int) (own, all float64, err error) {
	c, err := b.warmed(ctx, driver, fmt.Sprintf("--warm %d", warm))
	if err != nil {
		return 0, 0, err
	}
	defer c.close()
	select { // what the start left to collect is collected
	case <-ctx.Done():
	case <-time.After(time.Duration(b.n(5, 0)) * time.Second):
	}
	if own, err = pss(c.cmd.Process.Pid); err != nil {
		return 0, 0, err
	}
	all = own
	server, err := filepath.Abs(b.toyserver())
	if err != nil {
		return 0, 0, err
	}
	pids := below(c.cmd.Process.Pid)
	if driver == docker {
		pids = append(pids, containers(ctx, c.cmd.Process.Pid)...)
	}
	for i, pid := range pids {
		if slices.ContainsFunc(pids[:i], func(other int) bool { return shareMemory(pid, other) }) {
			continue
		}
		if exe, _ := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid)); exe == server {
			continue
		}
		if size, err := pss(pid); err == nil { // else it has just ended
			all += size
		}
	}
	return own, all, nil
}

// pss is the proportional set size of a process in MB.
func pss(pid int) (float64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		if kb, ok := strings.CutPrefix(line, "Pss:"); ok {
			n, err := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(kb), " kB"), 64)
			return n * 1024 / mb, err
		}
	}
	return 0, fmt.Errorf("process %d has no Pss", pid)
}

// below are all processes below one.
func below(root int) []int {
	children := map[int][]int{}
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path))); err == nil {
			children[parent(pid)] = append(children[parent(pid)], pid)
		}
	}
	all := slices.Clone(children[root])
	for i := 0; i < len(all); i++ {
		all = append(all, children[all[i]]...)
	}
	return all
}

// parent is the parent of a process, 0 if that has ended.
func parent(pid int) int {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, rest, _ := strings.Cut(string(text), ") ")
	ppid := 0
	_, _ = fmt.Sscanf(rest, "%c %d", new(rune), &ppid)
	return ppid
}

// containers are the processes of the containers of a process of ours, and the
// engine's own process for each.
func containers(ctx context.Context, owner int) (pids []int) {
	list, _ := exec.CommandContext(ctx, "docker", "ps", "--filter", "label=mcp-code-mode=1",
		"--format", `{{.ID}} {{.Label "mcp-code-mode.owner"}}`).Output()
	for line := range strings.Lines(string(list)) {
		id, label, _ := strings.Cut(line, " ")
		if !strings.Contains(label, fmt.Sprintf("/%d/", owner)) {
			continue
		}
		out, _ := exec.CommandContext(ctx, "docker", "inspect", "--format", "{{.State.Pid}}", id).Output()
		if pid, err := strconv.Atoi(strings.TrimSpace(string(out))); err == nil {
			pids = append(append(pids, pid, parent(pid)), below(pid)...)
		}
	}
	return pids
}
