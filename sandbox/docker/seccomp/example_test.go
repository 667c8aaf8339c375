package seccomp_test

import (
	"encoding/json"
	"fmt"
	"log"

	"github.com/mcp-code-mode/mcp-code-mode/sandbox/docker/seccomp"
)

// What becomes of a system call that the profile does not name: ENOSYS, 38.
func Example() {
	text, err := seccomp.Profile("amd64")
	if err != nil {
		log.Fatal(err)
	}
	var profile struct {
		DefaultAction   string
		DefaultErrnoRet int
	}
	if err := json.Unmarshal(text, &profile); err != nil {
		log.Fatal(err)
	}
	fmt.Println(profile.DefaultAction, profile.DefaultErrnoRet)
	// Output: SCMP_ACT_ERRNO 38
}
