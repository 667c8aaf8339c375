package bridge

import (
	"fmt"
	"regexp"

	"github.com/mcp-code-mode/mcp-code-mode/engine"
)

// serverName is what a server may be called: it becomes part of tool ids, of
// Python names and of policies.
var serverName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// PolicyError says that the policy does not load.
type PolicyError struct {
	Err error // an *engine.LoadError, or of the context
}

func (e *PolicyError) Error() string { return e.Err.Error() }
func (e *PolicyError) Unwrap() error { return e.Err }

// ServerError says that a server did not start. Err holds the tail of its
// standard error where there is one.
type ServerError struct {
	Server string // its name
	Err    error  // why
}

func (e *ServerError) Error() string { return fmt.Sprintf("starting server %q: %v", e.Server, e.Err) }
func (e *ServerError) Unwrap() error { return e.Err }

// ConfigError says which setting cannot be used, and of which server.
type ConfigError struct {
	Server string // "" for a setting that is not one server's
	Key    string // "name", "command", "allow", "private", "rules", "limits"; "policy", "unprefixed", "max-calls", "max-arguments"
	Reason string // one line, without the setting's name
	Hint   string // the next step; empty when there is none
}

func (e *ConfigError) Error() string {
	if e.Server == "" && e.Key != "name" {
		return fmt.Sprintf("key %q: %s", e.Key, e.Reason)
	}
	return fmt.Sprintf("server %q, key %q: %s", e.Server, e.Key, e.Reason)
}

// check refuses what can be refused before anything is started.
func (o Options) check() error {
	if o.Policy != nil && o.PolicyBundle != "" {
		return &ConfigError{Key: "policy", Reason: "both a tree and a bundle are given"}
	}
	if o.Unprefixed && len(o.Servers) > 1 {
		return &ConfigError{Key: "unprefixed", Reason: fmt.Sprintf("%d servers need prefixed names", len(o.Servers))}
	}
	if o.CallsPerRun < 0 {
		return &ConfigError{Key: "max-calls", Reason: "it is negative"}
	}
	if err := o.checkLimits(); err != nil {
		return err
	}
	seen := map[string]bool{}
	for _, s := range o.Servers {
		switch {
		case !serverName.MatchString(s.Name):
			return &ConfigError{Server: s.Name, Key: "name", Reason: "a server's name is 1 to 64 letters, digits, \"_\" or \"-\""}
		case seen[s.Name]:
			return &ConfigError{Server: s.Name, Key: "name", Reason: "two servers have this name"}
		case (s.Command == nil) == (s.Transport == nil):
			return &ConfigError{Server: s.Name, Key: "command", Reason: "a server has either a command or a transport"}
		}
		seen[s.Name] = true
	}
	return nil
}

// PolicyConfig is the document policies read as data.codemode.config. It is
// known before any server has started.
func PolicyConfig(o Options) engine.Config {
	config := engine.Config{
		Servers: make(map[string]engine.ServerConfig, len(o.Servers)),
		Limits:  engine.Limits{CallsPerRun: o.CallsPerRun, ArgumentBytes: o.MaxArguments, CallLimits: o.Limits.withDefaults().config()},
	}
	for _, s := range o.Servers {
		allow := engine.SomeTools(s.Allow...)
		if s.Allow == nil {
			allow = engine.AllTools()
		}
		private := engine.SomeTools(s.Private.Tools...)
		if s.Private.All {
			private = engine.AllTools()
		}
		config.Servers[s.Name] = engine.ServerConfig{Allow: allow, Private: private, Rules: s.Rules, Limits: s.configLimits()}
	}
	return config
}
