package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcp-code-mode/mcp-code-mode/bridge"
	"github.com/mcp-code-mode/mcp-code-mode/bridge/upstream"
	"github.com/mcp-code-mode/mcp-code-mode/cmd/mcp-code-mode/internal/config"
	"github.com/mcp-code-mode/mcp-code-mode/internal/searchpath"
)

// singleServer is the server half of tool ids when one server is wrapped.
const singleServer = "server"

// bridgeOptions turns the source and policy options into what a bridge needs.
// Nothing is started. No source is no server.
func (o *options) bridgeOptions(command []string, log *slog.Logger) (bridge.Options, error) {
	opts := bridge.Options{CallsPerRun: o.maxCalls, MaxArguments: o.maxArguments, Limits: o.call, Logger: log}
	if err := o.checkSource(command); err != nil {
		return opts, err
	}
	var err error
	switch {
	case o.config != "":
		var warnings []string
		opts.Servers, warnings, err = o.configured()
		for _, w := range warnings {
			log.Warn(w)
		}
	case command != nil:
		opts.Unprefixed = true
		opts.Servers, err = o.single(command)
	}
	if err != nil {
		return opts, err
	}
	opts.Policy, opts.PolicyBundle, err = policySource(o.policy)
	return opts, err
}

// bridge starts the wrapped servers.
func (o *options) bridge(opts bridge.Options) func(context.Context) (*bridge.Bridge, error) {
	return func(ctx context.Context) (*bridge.Bridge, error) {
		b, err := bridge.New(ctx, opts)
		return b, o.explain(ctx, err)
	}
}

// checkSource refuses combinations that mean nothing or two things.
func (o *options) checkSource(command []string) error {
	switch {
	case o.config != "" && command != nil:
		return usagef("add the server to the file, or leave --config out", "--config and a server's command are two sources, want one")
	case command != nil && len(command) == 0:
		return usagef("give the command that starts the server", "no command after --")
	case command != nil && command[0] == "":
		return usagef("give the command that starts the server", "the server's command is empty")
	}
	for _, f := range []struct {
		name   string
		values []string
	}{{"allow", o.allow}, {"private", o.private}, {"env", o.env}} {
		switch {
		case len(f.values) == 0:
		case o.config != "":
			return usagef(fmt.Sprintf("write it as the key %q of a server in the file", f.name), "--config and --%s can not be used together", f.name)
		case command == nil:
			return usagef("put the server's command last", "--%s needs a single server", f.name)
		}
	}
	return nil
}

// single is the one server of a command line.
func (o *options) single(command []string) ([]bridge.Server, error) {
	path, err := o.find(command[0], os.Getenv("PATH"))
	if err != nil {
		return nil, usagef(commandHint(command), "the server's command: %v", err)
	}
	env := upstream.DefaultEnv()
	for _, name := range o.env {
		if key, _, ok := strings.Cut(name, "="); ok {
			return nil, usagef(fmt.Sprintf("set the variable first, then name it: %s=… %s … --env %[1]s", key, program), "--env %q: want the name of a variable", name)
		}
		v, ok := os.LookupEnv(name)
		if !ok {
			return nil, usagef("set it, or leave the option out", "--env %q: the variable is not set", name)
		}
		env = setEnv(env, name, v)
	}
	return []bridge.Server{{
		Name:    singleServer,
		Command: &upstream.Command{Path: path, Args: command[1:], Env: env},
		Allow:   o.allow,
		Private: bridge.Private{Tools: o.private},
	}}, nil
}

// configured are the servers of the config file.
func (o *options) configured() (servers []bridge.Server, warnings []string, err error) {
	file, err := config.Read(o.config)
	if err != nil {
		return nil, nil, configFailure(err)
	}
	for _, s := range file.Servers {
		command, err := o.command(s)
		if err != nil {
			return nil, nil, configFailure(&config.Error{
				File: o.config, Entry: s.Name, Key: "command", Problem: "cannot be used: " + err.Error(), Hint: notFoundHint,
			})
		}
		servers = append(servers, bridge.Server{
			Name:    s.Name,
			Command: command,
			Allow:   s.Allow,
			Private: bridge.Private{All: s.PrivateAll, Tools: s.Private},
			Rules:   s.Rules,
			Limits:  bridge.CallLimits{Result: s.Limits.Result, Timeout: s.Limits.Timeout, RestartOnProgress: s.Limits.Restart}, ToolLimits: toolLimits(s.ToolLimits),
		})
	}
	return servers, file.Warnings, nil
}

func toolLimits(limits map[string]config.Limits) map[string]bridge.CallLimits {
	all := make(map[string]bridge.CallLimits, len(limits))
	for tool, l := range limits {
		all[tool] = bridge.CallLimits{Result: l.Result, Timeout: l.Timeout, RestartOnProgress: l.Restart}
	}
	return all
}

// command is how a server of the config file is started: with the default
// environment and its own variables, and found in its own PATH if it has one.
func (o *options) command(s config.Server) (*upstream.Command, error) {
	env := upstream.DefaultEnv()
	search := os.Getenv("PATH")
	for _, v := range s.Env {
		name, val, _ := strings.Cut(v, "=")
		env = setEnv(env, name, val)
		if name == "PATH" {
			search = val
		}
	}
	path, err := o.find(s.Command, search)
	if err != nil {
		return nil, err
	}
	return &upstream.Command{Path: path, Args: s.Args, Env: env}, nil
}

func configFailure(err error) error {
	f := &failure{code: exitUsage, err: err}
	var ce *config.Error
	if errors.As(err, &ce) {
		f.hint = ce.Hint
	}
	return f
}

// setEnv sets one variable in a list of NAME=value.
func setEnv(env []string, name, value string) []string {
	env = slices.DeleteFunc(env, func(v string) bool { return strings.HasPrefix(v, name+"=") })
	return append(env, name+"="+value)
}

// commandHint is what to do about a server's command that is not found.
func commandHint(command []string) string {
	if strings.HasSuffix(command[0], ".json") {
		return fmt.Sprintf("for a file of servers write --config %s", command[0])
	}
	return notFoundHint
}

const notFoundHint = "give the full path of the program, or see that it is installed"

// find returns the full path of a server's program, so that one that is not there is
// reported before anything has started. Where none will be started, name is enough.
func (o *options) find(name, search string) (string, error) {
	switch {
	case o.offline:
		return name, nil
	case !searchpath.IsPath(name):
		return searchpath.Find(name, search)
	}
	path, err := exec.LookPath(name) // relative to where we are
	if err != nil {
		return "", fmt.Errorf("%q: %w", name, cause(err))
	}
	return filepath.Abs(path)
}

// cause is what lies at the bottom of an error about a path, without the path.
func cause(err error) error {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err
		}
		err = inner
	}
}

// policySource opens what --policy names: a directory or a bundle.
func policySource(path string) (tree fs.FS, bundle string, err error) {
	if path == "" {
		return nil, "", nil
	}
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, "", &failure{code: exitPolicy, err: fmt.Errorf("--policy %q: %w", path, cause(err))}
	case info.IsDir():
		return os.DirFS(path), "", nil
	case strings.HasSuffix(path, ".tar.gz"):
		return nil, path, nil
	}
	return nil, "", &failure{code: exitPolicy, err: fmt.Errorf("--policy %q: want a directory or a bundle (.tar.gz)", path), hint: "give the directory that the .rego file is in"}
}
