package main

import (
	"log/slog"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcp-code-mode/mcp-code-mode/bridge"
	"github.com/mcp-code-mode/mcp-code-mode/engine"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox"
)

// options are what the commands have in common. A command adds those it has.
type options struct {
	// source
	config         string
	allow, private []string
	env            []string
	startup        time.Duration
	offline        bool // the servers are not started, so they need not be installed

	// policy
	policy   string
	maxCalls int
	log      logOptions

	// calls
	maxArguments int
	call         bridge.CallLimits

	// sandbox
	sandbox, runtime, image string
	allowNoSeccomp          bool
	limits                  sandbox.Limits
	ahead                   int // sentries of gVisor that are kept started

	describe string // how much of the tools the description shows

	logLevel slog.Level
}

func newOptions() *options {
	return &options{
		startup:  30 * time.Second,
		maxCalls: engine.DefaultCallsPerRun,

		maxArguments: engine.DefaultArgumentBytes,
		call:         bridge.CallLimits{Result: bridge.DefaultResult, Timeout: bridge.DefaultTimeout},

		sandbox:  "auto",
		describe: string(bridge.DetailAuto),
		limits:   sandbox.Limits{}.WithDefaults(),
	}
}

func (o *options) addSource(cmd *cobra.Command) {
	fs := cmd.Flags()
	textVar(fs, &o.config, "config", "FILE", "wrap the servers of a file in the mcpServers shape")
	fs.Var(&listVar{&o.allow, "TOOL"}, "allow", "let this tool of the single server be called; repeat (default every tool)")
	fs.Var(&listVar{&o.private, "TOOL"}, "private", "this tool of the single server may return private data; repeat")
	fs.Var(&listVar{&o.env, "NAME"}, "env", "pass this variable on to the single server; repeat")
}

func (o *options) addStartup(cmd *cobra.Command) {
	secondsVar(cmd.Flags(), &o.startup, "startup-timeout", minStartup, maxStartup, "how long the servers may take to start")
}

func (o *options) addPolicy(cmd *cobra.Command) {
	textVar(cmd.Flags(), &o.policy, "policy", "PATH", "directory or bundle (.tar.gz) instead of the built-in policies")
}

func (o *options) addMaxCalls(cmd *cobra.Command) {
	intVar(cmd.Flags(), &o.maxCalls, "max-calls", 1, maxCalls, "calls that one run may make")
}

func (o *options) addMaxParallel(cmd *cobra.Command) {
	intVar(cmd.Flags(), &o.limits.InFlight, "max-parallel", 1, sandbox.MaxInFlight, "calls of one run at the same time")
}

// addCallLimits adds the limits of a call. The sandbox has to let through the arguments
// that the gate takes.
func (o *options) addCallLimits(cmd *cobra.Command) {
	fs := cmd.Flags()
	bytesVar(fs, &o.call.Result, "max-result", minBytes, bridge.MaxResult, "result of one call")
	bytesVar(fs, &o.maxArguments, "max-arguments", minBytes, bridge.MaxArguments, "arguments of one call")
	secondsVar(fs, &o.call.Timeout, "call-timeout", minCall, maxCall, "how long a server may take to answer a call, within the deadline")
}

func (o *options) addSandbox(cmd *cobra.Command) {
	fs := cmd.Flags()
	oneOfVar(fs, &o.sandbox, "sandbox", []string{"auto", "docker", "gvisor"}, "auto takes Docker when its engine answers, else the embedded gVisor")
	textVar(fs, &o.runtime, "runtime", "NAME", "runtime of the Docker engine, such as runsc or crun (default the engine's own)")
	textVar(fs, &o.image, "image", "REF", "Docker image (default built when it is missing)")
	fs.BoolVar(&o.allowNoSeccomp, "allow-no-seccomp", false, "take a Docker engine that cannot filter system calls, too")
	secondsVar(fs, &o.limits.Deadline, "deadline", minDeadline, maxDeadline, "wall clock of one run, a hard limit")
	bytesVar(fs, &o.limits.Memory, "memory", minMemory, maxMemory, "memory of a sandbox")
	bytesVar(fs, &o.limits.OutputKept, "max-output", minBytes, maxOutput, "output that is returned, head and tail")
	intVar(fs, &o.limits.Pids, "pids", minPids, maxPids, "processes and threads of a sandbox")
	floatVar(fs, &o.limits.CPUs, "cpus", minCPUs, maxCPUs, "processors of a sandbox")
}

func (o *options) addDescribe(cmd *cobra.Command) {
	oneOfVar(cmd.Flags(), &o.describe, "describe", []string{"auto", "full", "lines", "search"},
		"what the description shows of the tools: what fits, every stub, one line each, or the servers alone")
}

func (o *options) addLogLevel(cmd *cobra.Command) { logLevelVar(cmd.Flags(), &o.logLevel) }
