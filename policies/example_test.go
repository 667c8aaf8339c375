package policies_test

import (
	"fmt"
	"io/fs"
	"log"

	"github.com/mcp-code-mode/mcp-code-mode/policies"
)

// The families of rules of the built-in pack.
func Example() {
	families, err := fs.ReadDir(policies.FS, "codemode/rules")
	if err != nil {
		log.Fatal(err)
	}
	for _, family := range families {
		fmt.Println(family.Name())
	}
	// Output:
	// allowlist
	// arguments
	// budget
	// private
}
