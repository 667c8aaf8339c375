package stub_test

import (
	"encoding/json"
	"fmt"

	"github.com/mcp-code-mode/mcp-code-mode/bridge/stub"
)

func Example() {
	tools := []stub.Tool{{
		Server: "toy", Name: "add-numbers", Description: "Add two integers.",
		Input: json.RawMessage(`{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"integer","default":1}},"required":["a"]}`),
	}}
	names, _, err := stub.Names(tools, true)
	if err != nil {
		fmt.Println(err)
		return
	}
	text, err := stub.Render(tools[0], names[0])
	if err != nil {
		fmt.Println("the tool can not be offered:", err)
		return
	}
	fmt.Println(text)
	fmt.Println(stub.Summary(tools[0], names[0]))
	// Output:
	// async def toy__add_numbers(params: dict) -> str:
	//     """
	//     Add two integers.
	//
	//     params: a: int, b?: int = 1
	//     """
	// toy__add_numbers(a: int, b?: int = 1): Add two integers.
}
