package rawio_test

import (
	"fmt"
	"log"
	"os"

	"github.com/mcp-code-mode/mcp-code-mode/sandbox/rawio"
)

// Send a line through a pipe.
func Example() {
	r, w, err := os.Pipe()
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	if _, err := rawio.New(w).Write([]byte("a line\n")); err != nil {
		log.Print(err)
	}
	buf := make([]byte, 64)
	n, err := rawio.New(r).Read(buf)
	fmt.Printf("%q %v\n", buf[:n], err)
	// Output: "a line\n" <nil>
}
