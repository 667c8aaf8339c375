package engine

import (
	"bytes"
	"encoding/json"
)

// The hooks at which a policy is asked.
const (
	HookCall    = "call"    // may this call go out? (data.codemode.decision)
	HookVisible = "visible" // does this tool exist for the model? (data.codemode.visible)
)

// Request is one call and everything a policy may know about it. Its JSON form is the
// `input` document of policies/schemas/input.json: every field is always there, and no list or
// object is null.
type Request struct {
	Hook      string    `json:"hook"`      // HookCall or HookVisible
	Tool      Tool      `json:"tool"`      // what is called
	Call      Call      `json:"call"`      // how it is called; for HookVisible empty
	Run       Run       `json:"run"`       // by which program
	Session   Session   `json:"session"`   // of which connection
	Principal Principal `json:"principal"` // by whom, as the client says
	TimeNS    int64     `json:"time_ns"`   // when, in nanoseconds since 1970
}

// Tool is the tool that is called.
type Tool struct {
	ID               string          `json:"id"`                // server/name, both raw
	Server           string          `json:"server"`            // name of the server in the configuration
	Name             string          `json:"name"`              // as the server spells it
	Known            bool            `json:"known"`             // a wrapped server really offers it
	Private          bool            `json:"private"`           // the configuration marks it private
	Labels           []string        `json:"labels"`            // labels that a call of it puts on the session
	Annotations      map[string]bool `json:"annotations"`       // the server's claims
	DefinitionSHA256 string          `json:"definition_sha256"` // of its name, description and schemas, in hexadecimal
}

// Call is the call itself. Args is a JSON value made of nil, bool, string, json.Number,
// []any and map[string]any; the engine reads it and never changes or keeps it.
type Call struct {
	ID         string       `json:"id"`         // a UUID; decision_id in the decision log
	Seq        int64        `json:"seq"`        // number of the call in its session, from 1
	Args       any          `json:"args"`       // nil where they are too large to be looked at
	ArgsBytes  int          `json:"args_bytes"` // size of the arguments as JSON, in bytes
	Violations []Violation  `json:"violations"` // empty when the arguments fit their schema
	Rules      []RuleResult `json:"rules"`      // one for each rule of the tool, in order
}

// Violation is one place where the arguments break the tool's input schema.
type Violation struct {
	Path    string `json:"path"`    // JSON pointer
	Message string `json:"message"` // for the model; holds no value of the arguments
}

// RuleResult says whether one CEL rule of the tool holds.
type RuleResult struct {
	Rule string `json:"rule"` // its text
	OK   bool   `json:"ok"`   // it came to true, without an error
}

// Run is the execution of run_python that makes the call.
type Run struct {
	ID         string `json:"id"`          // a UUID
	CodeSHA256 string `json:"code_sha256"` // of the program, in hexadecimal
	Calls      int64  `json:"calls"`       // this one and refused ones included
	InFlight   int    `json:"in_flight"`   // calls under way, this one included
	ElapsedMS  int64  `json:"elapsed_ms"`  // since the run began, in milliseconds
}

// Session is the client connection the run belongs to.
type Session struct {
	ID           string            `json:"id"`            // a UUID
	Labels       []string          `json:"labels"`        // in the order in which they were added
	LabelSources map[string]string `json:"label_sources"` // label -> id of the tool that added it first
	Calls        int64             `json:"calls"`         // this one and refused ones included
	CallsByTool  map[string]int64  `json:"calls_by_tool"` // of the tools that were called; where a policy rule looks at it, a decision pays about 80 ns for each
}

// Principal is who the MCP client says it is.
type Principal struct {
	Client  string `json:"client"`  // name
	Version string `json:"version"` // version of the client
}

// MarshalJSON writes the request exactly as the policy sees it, so that a logged input
// replays to the same decision. It writes empty lists and objects where Go has nil.
func (r Request) MarshalJSON() ([]byte, error) {
	type fields Request // without this method
	f := fields(r)
	f.Tool.Labels = emptyNotNil(f.Tool.Labels)
	f.Call.Violations = emptyNotNil(f.Call.Violations)
	f.Call.Rules = emptyNotNil(f.Call.Rules)
	f.Session.Labels = emptyNotNil(f.Session.Labels)
	if f.Tool.Annotations == nil {
		f.Tool.Annotations = map[string]bool{}
	}
	if f.Session.LabelSources == nil {
		f.Session.LabelSources = map[string]string{}
	}
	if f.Session.CallsByTool == nil {
		f.Session.CallsByTool = map[string]int64{}
	}
	return encode(f)
}

// encode writes JSON as people read it, "a <= b" and not "a \u003c= b".
func encode(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return buf.Bytes(), err
}

func emptyNotNil[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}
