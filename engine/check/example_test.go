package check_test

import (
	"log"
	"os"

	"github.com/mcp-code-mode/mcp-code-mode/engine/check"
)

// Findings are written as people or as programs read them.
func Example() {
	found := check.New(check.NotRead, nil, "the file is not read", "call it freeze.rego")
	found.File = "codemode/rules/freeze/freeze.REGO"
	if err := check.Write(os.Stdout, "text", "", []check.Finding{found}); err != nil {
		log.Fatal(err)
	}
	// Output:
	// codemode/rules/freeze/freeze.REGO: warning: the file is not read [not_read]
	//   why: the file looks like a part of the policy, but is not read, so what it denies is allowed
	//   fix: call it freeze.rego
}
