package wire

import "encoding/json"

// MaxTool is the length of the longest tool id that a call can carry, in bytes.
const MaxTool = 1024

// Tool is what the runner is told about one tool.
type Tool struct {
	Name    string // what the code calls it, a Python identifier
	ID      string // tool id, "server/tool", at most MaxTool bytes
	Stub    string // what TOOLS shows
	Summary string // one line that stands for the stub in lists
	Facts
}

// Server is what the runner is told about one server.
type Server struct {
	Name  string // the server half of tool ids
	Words string // what it says of itself, made safe to read
}

// Seen is what calls of a tool have returned, where no schema says it.
type Seen struct {
	Tool  string // what the code calls it
	Shape string // names and types, as a stub writes them
}

// Facts are what the runner needs to know of a tool's schemas: enough to read
// a call as it is meant and to give its result the type that the stub says.
type Facts struct {
	Params  []Param         // that have a name, in the order of the stub
	Open    bool            // other arguments may be given too
	Returns Returns         // what a result is
	Schemas json.RawMessage // {"input":…,"output":…} as the server sent them, or nil
}

// Param is one parameter of a tool.
type Param struct {
	Name     string // as the schema spells it
	Required bool   // a call without it does not fit the schema
	Nullable bool   // null is a value that it may have
	Integer  bool   // a number that it may have must be whole
	Line     string // how the stub shows it, as "count?: int = 10"
}

// Returns says what a result is in Python.
type Returns struct {
	// Kind is "text" or "" where nothing is known of the structured content, and else
	// what the value is: "object", "array", "string", "number", "boolean" or "any".
	Kind string
	// Field is the member of the structured content that is the value, where the
	// object around it says no more; "" where the value is all of it.
	Field string
}

// Call is one tool call as it left the sandbox, decoded once.
type Call struct {
	ID   int64  // chosen by the runner, unique in its sandbox
	Tool string // tool id, "server/tool"
	// Args is what the arguments are: nil, bool, string, json.Number, []any or
	// map[string]any. It is not yet known to be an object.
	Args any
}

// Reply is the host's answer to one Call. With Err set the other fields are
// empty.
type Reply struct {
	Text       string          // the text blocks and embedded texts, joined by newlines
	Structured bool            // Text, read as JSON, is the structured content
	Data       json.RawMessage // the structured content where Text is not; nil: there is none
	Content    json.RawMessage // the content blocks, a JSON array; nil: one text block holding Text
	Err        *CallError      // the call was refused, or failed; nil when it did not
}

// CallError becomes a ToolError in the code. Nothing in it comes from an error
// of ours: Message is written for the model.
type CallError struct {
	Tool    string   // tool id
	Code    string   // the first of Codes
	Codes   []string // stable codes, see the policy pack
	Message string   // at most 2,500 characters
	Partial string   // the text of a result that is too large, up to the limit
}
