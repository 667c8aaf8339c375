package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcp-code-mode/mcp-code-mode/bridge"
	"github.com/mcp-code-mode/mcp-code-mode/cmd/mcp-code-mode/internal/config"
	"github.com/mcp-code-mode/mcp-code-mode/engine"
	"github.com/mcp-code-mode/mcp-code-mode/internal/hint"
	"github.com/mcp-code-mode/mcp-code-mode/policies"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox/docker"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox/gvisor"
)

// doctorTime bounds all checks together.
const doctorTime = 3 * time.Second

// A check is one line of doctor's table.
type check struct {
	Name   string `json:"name"`
	Status string `json:"status"` // ok, warn or fail
	Detail string `json:"detail"`
	Hint   string `json:"hint,omitempty"`
}

func ok(name, format string, args ...any) check {
	return check{Name: name, Status: "ok", Detail: fmt.Sprintf(format, args...)}
}

func failed(name, status string, err error) check {
	return check{Name: name, Status: status, Detail: err.Error(), Hint: hint.Of(err)}
}

// A diagnosis is what doctor found; --json prints it.
type diagnosis struct {
	Sandbox string  `json:"sandbox"` // what --sandbox auto would take; "" when none works
	Docker  bool    `json:"docker"`
	GVisor  bool    `json:"gvisor"`
	Checks  []check `json:"checks"`
}

func newDoctor(u *ui) *cobra.Command {
	o := newOptions()
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "doctor [options]",
		Short: "Say what works here: Docker, its runtimes, gVisor, policies, config",
		Example: `  mcp-code-mode doctor
  mcp-code-mode doctor --config servers.json --policy policies`,
		Long: `The exit code is 0 when at least one sandbox works and what --config and --policy
name can be used. Nothing is started, built or unpacked.`,
		Args:                  noArgs,
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			d, code := o.diagnose(cmd.Context())
			if err := d.print(u, asJSON); err != nil {
				return err
			}
			if code != exitOK {
				return told(code)
			}
			return nil
		},
	}
	textVar(cmd.Flags(), &o.config, "config", "FILE", "check this config file too")
	o.addPolicy(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print what was found as JSON")
	return cmd
}

// diagnose makes every check, the slow ones side by side, and says how doctor
// should exit.
func (o *options) diagnose(ctx context.Context) (diagnosis, int) {
	ctx, cancel := context.WithTimeout(ctx, doctorTime)
	defer cancel()
	var d diagnosis
	var inDocker, inGVisor, inPolicy []check
	var policyErr error
	var checks sync.WaitGroup
	checks.Go(func() { inDocker, d.Docker = checkDocker(ctx) })
	checks.Go(func() { inGVisor, d.GVisor = checkGVisor(ctx) })
	checks.Go(func() { inPolicy, policyErr = o.checkPolicy(ctx) })
	inConfig, configErr := o.checkConfig()
	checks.Wait()

	d.Checks = append(d.Checks, inDocker...)
	d.Checks = append(d.Checks, inGVisor...)
	d.Checks = append(d.Checks, checkPython())
	d.Checks = append(d.Checks, inPolicy...)
	d.Checks = append(d.Checks, inConfig...)
	switch {
	case d.Docker:
		d.Sandbox = "docker"
	case d.GVisor:
		d.Sandbox = "gvisor"
	}
	switch {
	case d.Sandbox == "":
		return d, exitFailed
	case configErr != nil:
		return d, exitUsage
	case policyErr != nil:
		return d, exitPolicy
	}
	return d, exitOK
}

func checkDocker(ctx context.Context) ([]check, bool) {
	engine, err := docker.Probe(ctx)
	if err != nil {
		return []check{failed("docker", "warn", err)}, false
	}
	product := strings.TrimSpace(engine.Product + " " + engine.Version)
	runtimes := make([]string, 0, len(engine.Runtimes))
	for _, r := range engine.Runtimes {
		if r == engine.Runtime {
			r += " (default)"
		}
		runtimes = append(runtimes, r)
	}
	filter, usable := checkFilter(engine)
	return []check{
		ok("docker", "%s, API %s, at %s (%s)", product, engine.APIVersion, engine.Endpoint, engine.Source),
		ok("runtimes", "%s", strings.Join(runtimes, ", ")),
		checkUsers(engine),
		filter,
	}, usable
}

// checkUsers says who sandboxes are.
func checkUsers(engine docker.Engine) check {
	detail := "each sandbox is a user of its own, from %d to %d"
	switch {
	case engine.GVisor:
		detail += " inside gVisor, which runs as one user on the host"
	case engine.Mapped:
		detail += " in the user namespace of the engine"
	}
	return ok("users", detail, engine.FirstUser, engine.LastUser)
}

// checkFilter says what stands between code in a container and the host's kernel.
func checkFilter(engine docker.Engine) (check, bool) {
	switch {
	case engine.GVisor:
		return ok("seccomp", "%s does not use profiles: gVisor answers the system calls instead", engine.Runtime), true
	case engine.NoFilter != nil:
		return failed("seccomp", "warn", engine.NoFilter), false
	}
	detail := "every container gets the profile of this program"
	if slices.ContainsFunc(engine.Runtimes, func(r string) bool { return strings.Contains(r, "runsc") }) {
		detail += "; with --runtime runsc gVisor answers the system calls instead"
	}
	return ok("seccomp", "%s", detail), true
}

func checkGVisor(ctx context.Context) ([]check, bool) {
	if err := gvisor.Probe(ctx); err != nil {
		return []check{failed("gvisor", "warn", err)}, false
	}
	return []check{ok("gvisor", "embedded, %s", privilege())}, true
}

// checkPolicy loads the policy that --policy names, or the built-in one, with
// what the config file says where there is one that can be read.
func (o *options) checkPolicy(ctx context.Context) ([]check, error) {
	opts := bridge.Options{}
	name := "the built-in pack"
	tree, bundle, err := policySource(o.policy)
	if o.policy != "" {
		name = o.policy
	} else {
		tree = policies.FS
	}
	if err != nil {
		c := failed("policies", "fail", err)
		return []check{c}, err
	}
	e, err := engine.New(ctx, engine.Options{Policy: tree, Bundle: bundle, Name: o.policy, Config: bridge.PolicyConfig(opts)})
	if err != nil {
		return []check{failed("policies", "fail", err)}, err
	}
	return []check{ok("policies", "%s loads, revision %s", name, e.Revision())}, nil
}

// checkConfig reads the config file and looks for every server's program.
func (o *options) checkConfig() ([]check, error) {
	if o.config == "" {
		return nil, nil
	}
	servers, warnings, err := o.configured()
	if err != nil {
		c := failed("config", "fail", err)
		var ce *config.Error
		if errors.As(err, &ce) {
			c.Hint = ce.Hint
		}
		return []check{c}, err
	}
	names := make([]string, len(servers))
	for i, s := range servers {
		names[i] = s.Name
	}
	checks := []check{ok("config", "%s: %s", o.config, strings.Join(names, ", "))}
	for _, w := range warnings {
		checks = append(checks, check{Name: "config", Status: "warn", Detail: w})
	}
	return checks, nil
}

// print writes the table, or the JSON.
func (d diagnosis) print(u *ui, asJSON bool) error {
	if asJSON {
		text, err := json.Marshal(d)
		if err != nil {
			return err
		}
		return u.output(string(text) + "\n")
	}
	var b strings.Builder
	for _, c := range d.Checks {
		detail := strings.ReplaceAll(c.Detail, "\n", "\n"+strings.Repeat(" ", 16))
		fmt.Fprintf(&b, "%-4s  %-9s %s\n", c.Status, c.Name, detail)
		if c.Hint != "" {
			fmt.Fprintf(&b, "%-16shint: %s\n", "", c.Hint)
		}
	}
	if d.Sandbox == "" {
		b.WriteString("fail  sandbox   none works here, so no code can be run\n")
	} else {
		fmt.Fprintf(&b, "ok    sandbox   --sandbox auto takes %s\n", d.Sandbox)
	}
	return u.output(b.String())
}
