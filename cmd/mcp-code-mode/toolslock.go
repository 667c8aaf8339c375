package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"github.com/mcp-code-mode/mcp-code-mode/bridge"
	"github.com/mcp-code-mode/mcp-code-mode/bridge/upstream"
	"github.com/mcp-code-mode/mcp-code-mode/engine"
	finding "github.com/mcp-code-mode/mcp-code-mode/engine/check"
	"github.com/mcp-code-mode/mcp-code-mode/internal/strictjson"
)

const (
	lockVersion = 1
	lockFile    = "tools.lock.json"
	maxLock     = 64 << 20 // bytes of a file that is read
	maxLockVals = 4 << 20  // values in it
)

// toolsLock is which tools there are, for those who check a policy where no server can be started.
type toolsLock struct {
	Version int          `json:"version"`
	Tools   []lockedTool `json:"tools"` // by id
}

// lockedTool is one tool as its server defined it.
type lockedTool struct {
	Server      string          `json:"server"`
	Name        string          `json:"name"`
	SHA256      string          `json:"definition_sha256"` // the same as input.tool.definition_sha256
	Annotations map[string]bool `json:"annotations"`
	InputSchema json.RawMessage `json:"input_schema"`
}

func newTools(u *ui) *cobra.Command {
	cmd := &cobra.Command{
		Use:                   "tools",
		Short:                 "Write down which tools the servers have",
		Example:               `  mcp-code-mode tools lock --config servers.json`,
		DisableFlagsInUseLine: true,
	}
	cmd.AddCommand(newToolsLock(u))
	needCommand(cmd)
	return cmd
}

func newToolsLock(u *ui) *cobra.Command {
	o := newOptions()
	out := lockFile
	cmd := &cobra.Command{
		Use:   "lock [options] (--config FILE | [--] COMMAND [ARG]...)",
		Short: "Write the tools of the servers, their schemas and digests to a file for policy check",
		Example: `  mcp-code-mode tools lock --config servers.json
  mcp-code-mode policy check --tools tools.lock.json policies`,
		Long: `The servers are started, asked for their tools, and ended. Every tool is written, those that
are not allowed too. Keep the file with the policy: then a policy is checked against the tools
it was written for, without a server, and a change of a tool is seen as a change of the file.`,
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			command := serverOf(cmd, args)
			if o.config == "" && command == nil {
				return usagef("mcp-code-mode tools lock --config FILE", "tools lock needs a server to ask")
			}
			opts, err := o.bridgeOptions(command, u.logger(o.logLevel))
			if err != nil {
				return err
			}
			lock, err := o.lockTools(cmd.Context(), opts)
			if err != nil {
				return o.explain(cmd.Context(), err)
			}
			text, err := json.MarshalIndent(lock, "", "  ")
			if err != nil {
				return err
			}
			if out == "-" {
				return u.output(string(text) + "\n")
			}
			if err := os.WriteFile(out, append(text, '\n'), 0o644); err != nil {
				return usagef("", "-o %q: %w", out, cause(err))
			}
			u.notef("wrote %d tools to %s", len(lock.Tools), out)
			return nil
		},
	}
	takesServer(cmd)
	o.addSource(cmd)
	letterVar(cmd.Flags(), &out, "out", "o", "FILE", "the file, - for stdout")
	o.addStartup(cmd)
	o.addLogLevel(cmd)
	return cmd
}

// lockTools starts the servers, asks for their tools and ends them.
func (o *options) lockTools(ctx context.Context, opts bridge.Options) (*toolsLock, error) {
	ctx, cancel := context.WithTimeout(ctx, o.startup)
	defer cancel()
	lists := make([][]lockedTool, len(opts.Servers))
	group, groupCtx := errgroup.WithContext(ctx)
	for i, server := range opts.Servers {
		group.Go(func() (err error) {
			lists[i], err = toolsOf(groupCtx, server, opts)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	lock := &toolsLock{Version: lockVersion, Tools: slices.Concat(lists...)}
	slices.SortFunc(lock.Tools, func(a, b lockedTool) int {
		return cmp.Or(cmp.Compare(a.Server, b.Server), cmp.Compare(a.Name, b.Name))
	})
	return lock, nil
}

func toolsOf(ctx context.Context, server bridge.Server, opts bridge.Options) ([]lockedTool, error) {
	up, err := upstream.Start(ctx, upstream.Options{Name: server.Name, Command: server.Command, Transport: server.Transport, Logger: opts.Logger})
	if err != nil {
		return nil, &bridge.ServerError{Server: server.Name, Err: cmp.Or(errors.Unwrap(err), err)}
	}
	tools := []lockedTool{}
	for _, t := range up.Tools() {
		annotations := t.Annotations
		if annotations == nil {
			annotations = map[string]bool{}
		}
		tools = append(tools, lockedTool{server.Name, t.Name, t.SHA256, annotations, t.InputSchema})
	}
	return tools, up.Close()
}

// readLock reads a file that tools lock has written.
func readLock(path string) (*toolsLock, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, usagef("mcp-code-mode tools lock writes one", "--tools %q: %w", path, cause(err))
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxLock+1)) // not by its size, which a device does not tell
	if err != nil {
		return nil, usagef("", "--tools %q: %w", path, cause(err))
	}
	if len(data) > maxLock {
		return nil, usagef("", "--tools %q: larger than %d bytes", path, maxLock)
	}
	bounds := strictjson.Bounds{Bytes: maxLock, Depth: 128 + 4, Values: maxLockVals}
	if _, err := strictjson.Decode(data, bounds); err != nil {
		return nil, usagef("mcp-code-mode tools lock writes such a file", "--tools %q: %w", path, err)
	}
	var lock toolsLock
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&lock); err != nil || lock.Version != lockVersion {
		return nil, usagef("mcp-code-mode tools lock writes such a file", "--tools %q: want a list of tools of version %d", path, lockVersion)
	}
	return &lock, nil
}

// known is what a policy is checked against.
func (l *toolsLock) known(servers []string) *finding.Known {
	k := &finding.Known{Servers: servers, Tools: map[string]*finding.Tool{}}
	for _, t := range l.Tools {
		var schema map[string]any
		_ = json.Unmarshal(t.InputSchema, &schema) // no object: nothing is known of the arguments
		k.Tools[t.Server+"/"+t.Name] = finding.NewTool(t.Server, t.Name, schema)
		k.Servers = append(k.Servers, t.Server)
	}
	slices.Sort(k.Servers)
	k.Servers = slices.Compact(k.Servers)
	return k
}

// know fills in what the options say of the installation.
func (o *options) know(ctx context.Context, u *ui, tools string, to *engine.CheckOptions) error {
	var lock *toolsLock
	var err error
	if tools != "" {
		if lock, err = readLock(tools); err != nil {
			return err
		}
	}
	var servers []string
	if o.config != "" {
		o.offline = tools != "" // the file says what there is
		opts, err := o.bridgeOptions(nil, u.logger(o.logLevel))
		if err != nil {
			return err
		}
		to.Config = o.policyConfig(opts)
		for _, s := range opts.Servers {
			servers = append(servers, s.Name)
		}
		if lock == nil {
			if lock, err = o.lockTools(ctx, opts); err != nil {
				return o.explain(ctx, fmt.Errorf("asking the servers for their tools: %w", err))
			}
		}
	}
	if lock != nil {
		to.Known = lock.known(servers)
	}
	return nil
}
