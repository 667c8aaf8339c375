package protocol_test

import (
	"encoding/json"
	"fmt"

	"github.com/mcp-code-mode/mcp-code-mode/sandbox/internal/protocol"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox/wire"
)

func Example() {
	// A line from the sandbox is decoded once …
	m, err := protocol.ParseRunner([]byte(`{"op":"call","id":1,"tool":"toy/add","args":{"b":2,"a":12345678901234567890}}`))
	if err != nil {
		panic(err)
	}
	// … and what was decoded is what goes out.
	args, err := json.Marshal(m.Call.Args)
	if err != nil {
		panic(err)
	}
	fmt.Printf("%s %s\n", m.Call.Tool, args)
	fmt.Printf("%s", protocol.AppendReply(nil, m.Call.ID, wire.Reply{Text: `{"sum":12345678901234567892}`, Structured: true}))
	// Output:
	// toy/add {"a":12345678901234567890,"b":2}
	// {"op":"result","id":1,"text":"{\"sum\":12345678901234567892}","structured":true}
}
