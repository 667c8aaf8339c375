package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"github.com/mcp-code-mode/mcp-code-mode/internal/hint"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox/docker"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox/gvisor"
)

// checkSandbox refuses options of one driver given with another.
func (o *options) checkSandbox() error {
	if o.sandbox != "gvisor" {
		return nil
	}
	if o.image != "" {
		return usagef("leave one of them out", "--sandbox gvisor and --image can not be used together: the image is for Docker")
	}
	if o.runtime != "" {
		return usagef("leave one of them out", "--sandbox gvisor and --runtime can not be used together: the runtime is the Docker engine's")
	}
	if o.allowNoSeccomp {
		return usagef("leave one of them out", "--sandbox gvisor and --allow-no-seccomp can not be used together: the filter is the Docker engine's")
	}
	return nil
}

type makeDriver = func(context.Context) (sandbox.Driver, error)

// driver makes the sandbox driver when it is called: looking for an engine,
// building an image and unpacking Python all take time.
func (o *options) driver(u *ui, log *slog.Logger) makeDriver {
	return func(ctx context.Context) (sandbox.Driver, error) {
		name, why, err := o.chooseSandbox(ctx)
		if err != nil {
			return nil, err
		}
		if why != "" {
			u.notef("sandbox %s: %s", name, why)
		}
		p := u.progress()
		defer p.end()
		if name == "gvisor" {
			return gvisor.New(ctx, gvisor.Options{
				Limits: o.sandboxLimits(), Logger: log, Progress: p.step, Ahead: o.ahead,
			})
		}
		return docker.New(ctx, docker.Options{
			Image: o.image, Runtime: o.runtime, AllowNoSeccomp: o.allowNoSeccomp,
			Limits: o.sandboxLimits(), Logger: log, Progress: p.step,
		})
	}
}

// chooseSandbox says which driver is used and, where that was not said by an
// option, why.
func (o *options) chooseSandbox(ctx context.Context) (name, why string, err error) {
	switch {
	case o.sandbox != "auto":
		return o.sandbox, "", nil
	case o.image != "":
		return "docker", "--image is for Docker", nil
	case o.runtime != "":
		return "docker", "--runtime is for Docker", nil
	}
	engine, dockerErr := docker.Probe(ctx)
	if dockerErr == nil && !o.allowNoSeccomp && !engine.GVisor {
		dockerErr = engine.NoFilter
	}
	if dockerErr == nil {
		return "docker", fmt.Sprintf("engine %s answers at %s (%s)", engine.Version, engine.Endpoint, engine.Source), nil
	}
	gvisorErr := gvisor.Probe(ctx)
	if gvisorErr == nil {
		return "gvisor", whyNot(dockerErr), nil
	}
	if ctx.Err() != nil {
		return "", "", ctx.Err()
	}
	hints := []string{hint.Of(dockerErr), hint.Of(gvisorErr), program + " doctor says what is missing"}
	return "", "", &failure{
		code: exitUsage,
		err:  fmt.Errorf("no sandbox works here: docker: %w; gvisor: %w", dockerErr, gvisorErr),
		hint: strings.Join(nonEmpty(hints), "; or "),
	}
}

// whyNot says why Docker is not used.
func whyNot(err error) string {
	if noFilter := (*docker.NoFilterError)(nil); errors.As(err, &noFilter) {
		return err.Error()
	}
	return "no Docker engine answers"
}

func nonEmpty(list []string) []string {
	var kept []string
	for _, s := range list {
		if s != "" {
			kept = append(kept, s)
		}
	}
	return kept
}

// sandboxLimits lets through the arguments that the gate takes.
func (o *options) sandboxLimits() sandbox.Limits {
	limits := o.limits
	limits.Arguments = max(limits.Arguments, o.maxArguments)
	return limits
}
