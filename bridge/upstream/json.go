package upstream

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/mcp-code-mode/mcp-code-mode/internal/strictjson"
)

// What servers send is cut into slices and not decoded into values. So numbers, the
// order of members, and unknown members stay exactly as they were sent. Keys are
// compared with their case (encoding/json would take "Content" for "content").

// Why an answer is not read. None of these texts holds data of the server, which may
// be private.
var (
	errSyntax    = errors.New("invalid JSON")
	errDuplicate = errors.New("a member occurs twice")
	errDeep      = fmt.Errorf("nested more than %d levels", maxDepth)
)

// read lets f walk over data, JSON of a server that nests at most that deep. A repeated
// member is an error only if it is one that is asked for: two readers could disagree on
// which one counts.
func read(data []byte, depth int, f func(r *strictjson.Reader) error) error {
	err := strictjson.Read(data, strictjson.Bounds{Bytes: max(len(data), 1), Depth: depth, Values: max(len(data), 1), Repeats: true}, f)
	var e *strictjson.Error
	switch {
	case !errors.As(err, &e):
		return err
	case e.Problem == strictjson.ProblemDepth:
		return errDeep
	}
	return errSyntax
}

// isJSON reports whether data is one JSON value.
func isJSON(data []byte) bool {
	return read(data, strictjson.MaxDepth, func(*strictjson.Reader) error { return nil }) == nil
}

// fields checks the JSON object data, all of it, and returns the values of the
// named members (at most 8), nil for one that is absent or null. With an error, it also
// returns the values that came before the error.
func fields(data []byte, names ...string) (vals [8]json.RawMessage, err error) {
	err = read(data, strictjson.MaxDepth, func(r *strictjson.Reader) error {
		return take(r, &vals, names, func(string) ([]byte, error) { return r.Raw() })
	})
	return vals, err
}

// take reads an object and puts the named members in their places; value reads one.
func take(r *strictjson.Reader, vals *[8]json.RawMessage, names []string, value func(name string) ([]byte, error)) error {
	var seen [8]bool
	return r.Object(func(key string) error {
		i := slices.Index(names, key)
		if i < 0 {
			return nil
		}
		if seen[i] {
			return errDuplicate
		}
		seen[i] = true
		val, err := value(key)
		if string(val) != "null" {
			vals[i] = val
		}
		return err
	})
}

// members checks the JSON object data, all of it, and gives f each member.
func members(data []byte, f func(key string, val []byte) error) error {
	return read(data, strictjson.MaxDepth, func(r *strictjson.Reader) error {
		return r.Object(func(key string) error {
			val, err := r.Raw()
			if err != nil {
				return err
			}
			return f(key, val)
		})
	})
}

// elements checks the JSON array data, all of it, and gives f each element.
func elements(data []byte, f func(val []byte) error) error {
	return read(data, strictjson.MaxDepth, func(r *strictjson.Reader) error {
		return r.Array(func() error {
			val, err := r.Raw()
			if err != nil {
				return err
			}
			return f(val)
		})
	})
}

// text returns the string that a JSON value is, if it is one.
func text(raw []byte) (s string, ok bool) { return strictjson.Unquote(raw) }

// isObject reports whether the checked JSON value raw is an object.
func isObject(raw []byte) bool { return len(raw) > 0 && raw[0] == '{' }
