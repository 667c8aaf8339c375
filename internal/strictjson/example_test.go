package strictjson_test

import (
	"fmt"

	"github.com/mcp-code-mode/mcp-code-mode/internal/strictjson"
)

func ExampleDecode() {
	_, err := strictjson.Decode([]byte(`{"user": {"id": 1, "id": 2}}`), strictjson.Bounds{})
	fmt.Println(err)
	// Output: duplicate key at "/user/id" (byte 19)
}
