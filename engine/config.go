package engine

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// Defaults of the limits that the built-in pack enforces.
const (
	DefaultCallsPerRun   = 200
	DefaultArgumentBytes = 16 << 10
)

// Config is data.codemode.config: the lists and numbers a policy works with, filled from
// the flags and the config file. The zero value allows no tool.
type Config struct {
	Servers map[string]ServerConfig `json:"servers"` // by name
	Limits  Limits                  `json:"limits"`  // for all servers
}

// ServerConfig is what one wrapped server's tools may do. Names are raw tool names.
type ServerConfig struct {
	Allow   ToolSet             `json:"allow"`   // tools that may be called
	Private ToolSet             `json:"private"` // tools that return private data
	Rules   map[string][]string `json:"rules"`   // CEL rules by tool; each must have a result in Call.Rules
	// Limits are those of its own, which the host enforces; nil is none.
	Limits *ServerLimits `json:"limits,omitempty"`
}

// ServerLimits bound the calls of one server's tools.
type ServerLimits struct {
	CallLimits
	Tools map[string]CallLimits `json:"tools,omitempty"` // by raw tool name
}

// CallLimits are numbers that the host enforces on a call, for a policy to know. A zero
// field says nothing.
type CallLimits struct {
	ResultBytes     int   `json:"result_bytes,omitempty"`                 // size of the largest result
	CallTimeoutMS   int64 `json:"call_timeout_ms,omitempty"`              // how long a server may take
	TimeoutRestarts bool  `json:"timeout_restarts_on_progress,omitempty"` // and again after each report of progress
}

// Limits are numbers the policy enforces. Zero means the default.
type Limits struct {
	CallsPerRun   int `json:"calls_per_run"`  // calls that one run may make
	ArgumentBytes int `json:"argument_bytes"` // size of the arguments of one call, in bytes
	CallLimits        // of every server
}

// ToolSet is every tool of a server, or those it names. The zero value is none. In JSON it is
// "*", or an object with a true for each name, which a policy looks up at the same price for
// ten tools and for ten thousand.
type ToolSet struct {
	All   bool     // every tool; Names then says nothing
	Names []string // raw tool names
}

// AllTools is every tool of a server.
func AllTools() ToolSet { return ToolSet{All: true} }

// SomeTools is the tools with these names.
func SomeTools(names ...string) ToolSet { return ToolSet{Names: names} }

// Has reports whether the tool belongs to the set.
func (s ToolSet) Has(name string) bool {
	return s.All || slices.Contains(s.Names, name)
}

// MarshalJSON writes the form that policies read.
func (s ToolSet) MarshalJSON() ([]byte, error) {
	if s.All {
		return []byte(`"*"`), nil
	}
	set := make(map[string]bool, len(s.Names))
	for _, name := range s.Names {
		set[name] = true
	}
	return json.Marshal(set)
}

// UnmarshalJSON reads the form that policies read.
func (s *ToolSet) UnmarshalJSON(data []byte) error {
	*s = ToolSet{}
	if string(data) == `"*"` {
		s.All = true
		return nil
	}
	var set map[string]bool
	if err := json.Unmarshal(data, &set); err != nil || set == nil {
		return fmt.Errorf(`reading a set of tools: want "*" or an object of booleans`)
	}
	for _, name := range slices.Sorted(maps.Keys(set)) {
		if set[name] {
			s.Names = append(s.Names, name)
		}
	}
	return nil
}

// Document returns the config as a policy sees it, indented, with the defaults filled in.
// It is what `policy data` prints, below {"codemode": {"config": …}}.
func (c Config) Document() ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false) // CEL rules are full of < and >
	enc.SetIndent("", "  ")
	err := enc.Encode(map[string]any{"codemode": map[string]any{"config": c.withDefaults()}})
	return buf.Bytes(), err
}

func (c Config) withDefaults() Config {
	servers := make(map[string]ServerConfig, len(c.Servers))
	for name, s := range c.Servers {
		if s.Rules == nil {
			s.Rules = map[string][]string{}
		}
		servers[name] = s
	}
	c.Servers = servers
	if c.Limits.CallsPerRun == 0 {
		c.Limits.CallsPerRun = DefaultCallsPerRun
	}
	if c.Limits.ArgumentBytes == 0 {
		c.Limits.ArgumentBytes = DefaultArgumentBytes
	}
	return c
}
