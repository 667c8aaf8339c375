package stub

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/mcp-code-mode/mcp-code-mode/internal/strictjson"
)

const (
	maxReference = 512 // bytes of a $ref
	maxAnchors   = 256 // definitions searched for an anchor
)

// node is one value of a schema document.
type node = strictjson.Node

// parse reads a document of at most MaxSchema bytes.
func parse(raw []byte) (*node, error) {
	if len(raw) > MaxSchema {
		return nil, fmt.Errorf("it is larger than %d bytes", MaxSchema)
	}
	return strictjson.Parse(raw, strictjson.Limits{Bytes: MaxSchema, Depth: strictjson.MaxDepth, Values: MaxSchema, Repeats: true})
}

// resolve follows a reference into this very document: "#", a JSON pointer, or
// the name of an anchor at the top level of its definitions. It returns nil for
// anything else; nothing outside the document is ever looked at.
func resolve(n *node, ref string) *node {
	fragment, ok := strings.CutPrefix(ref, "#")
	if !ok || len(fragment) > maxReference {
		return nil
	}
	if fragment == "" {
		return n
	}
	if fragment[0] != '/' {
		return anchor(n, fragment)
	}
	for _, token := range strings.Split(fragment[1:], "/") {
		token = unescape(token)
		switch {
		case n == nil:
			return nil
		case n.Kind == strictjson.Array:
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(n.Elements) {
				return nil
			}
			n = n.Elements[i]
		default:
			n = n.Get(token)
		}
	}
	return n
}

func anchor(n *node, name string) *node {
	for _, definitions := range []string{"$defs", "definitions"} {
		all := members(n.Get(definitions))
		for _, d := range all[:min(len(all), maxAnchors)] {
			if a := d.Value.Get("$anchor"); a.Is(strictjson.String) && a.Text == name {
				return d.Value
			}
		}
	}
	return nil
}

// members returns what is in an object, nil for anything else.
func members(n *node) []strictjson.Member {
	if n == nil {
		return nil
	}
	return n.Members
}

// referenceUnits is what resolving a reference takes, in units of work.
func referenceUnits(ref string) int {
	if strings.HasPrefix(ref, "#") && !strings.HasPrefix(ref, "#/") && len(ref) > 1 {
		return anchorUnits
	}
	return min(len(ref), maxReference) / 8 // a step for each two bytes at most
}

var pointerEscapes = strings.NewReplacer("~1", "/", "~0", "~")

// unescape undoes the escapes of a URI fragment and of a JSON pointer.
func unescape(token string) string {
	if plain, err := url.PathUnescape(token); err == nil {
		token = plain
	}
	return pointerEscapes.Replace(token)
}
