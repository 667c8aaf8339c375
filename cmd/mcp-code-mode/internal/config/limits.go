package config

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/docker/go-units"

	"github.com/mcp-code-mode/mcp-code-mode/internal/nearest"
	"github.com/mcp-code-mode/mcp-code-mode/internal/strictjson"
)

// Limits bound the calls of a server's tools, or of one tool. Zero is what holds around.
type Limits struct {
	Result  int           // bytes of the largest result
	Timeout time.Duration // of a call
	Restart bool          // Timeout begins again when the server reports progress
}

// Bounds on limits, the same as on the options.
const (
	minResult, maxResult   = 1 << 10, 64 << 20
	minTimeout, maxTimeout = 100 * time.Millisecond, time.Hour
)

// The keys of limits; a server's have "tools" too.
var limitKeys = []string{"result", "timeout", "timeout_restarts_on_progress"}

const limitsForm = `the form is "limits": {"result": "4MiB", "timeout": "120s", "tools": {"TOOL": {"timeout": "10m"}}}`

// limits reads the limits of a server and of its tools.
func (r *reader) limits(s *Server, n node) error {
	keys := append(slices.Clone(limitKeys), "tools")
	var err error
	if s.Limits, err = r.limitsAt(s.Name, "limits", keys, n); err != nil {
		return err
	}
	tools := n.Get("tools")
	if tools == nil {
		return nil
	}
	if tools.Kind != strictjson.Object {
		return r.errorf(tools.Offset, s.Name, "limits.tools", limitsForm, "is %s, want an object", shown(tools))
	}
	s.ToolLimits = make(map[string]Limits, len(tools.Members))
	for _, m := range tools.Members {
		if s.ToolLimits[m.Key], err = r.limitsAt(s.Name, "limits.tools."+m.Key, limitKeys, m.Value); err != nil {
			return err
		}
	}
	return nil
}

// limitsAt reads one object of limits, which may have these keys.
func (r *reader) limitsAt(entry, at string, keys []string, n node) (l Limits, err error) {
	if n.Kind != strictjson.Object {
		return l, r.errorf(n.Offset, entry, at, limitsForm, "is %s, want an object", shown(n))
	}
	for _, m := range n.Members {
		key := at + "." + m.Key
		switch {
		case !slices.Contains(keys, m.Key):
			hint := "the keys of limits are " + strings.Join(keys, ", ")
			if near := nearest.Of(m.Key, keys); near != "" {
				hint = fmt.Sprintf("did you mean %q?", near)
			}
			return l, r.errorf(m.Offset, entry, key, hint, "is unknown")
		case m.Key == "result":
			l.Result, err = r.size(entry, key, m.Value)
		case m.Key == "timeout":
			l.Timeout, err = r.duration(entry, key, m.Value)
		case m.Key == "timeout_restarts_on_progress":
			if m.Value.Kind != strictjson.Truth {
				return l, r.errorf(m.Value.Offset, entry, key, "", "is %s, want true or false", shown(m.Value))
			}
			l.Restart = m.Value.IsTrue()
		}
		if err != nil {
			return l, err
		}
	}
	return l, nil
}

func (r *reader) size(entry, key string, n node) (int, error) {
	size, err := int64(0), error(nil)
	if n.Kind == strictjson.String || n.Kind == strictjson.Number {
		size, err = units.RAMInBytes(n.Text)
	}
	if err != nil || size < minResult || size > maxResult {
		return 0, r.errorf(n.Offset, entry, key, "", "is %s, want a size from 1KiB to 64MiB, such as \"4MiB\"", shown(n))
	}
	return int(size), nil
}

// duration reads a time with a unit, or a number of seconds.
func (r *reader) duration(entry, key string, n node) (d time.Duration, err error) {
	switch n.Kind {
	case strictjson.String:
		d, err = time.ParseDuration(n.Text)
	case strictjson.Number:
		var seconds float64
		if seconds, err = strconv.ParseFloat(n.Text, 64); err == nil && seconds <= maxTimeout.Seconds() {
			d = time.Duration(seconds * float64(time.Second))
		}
	}
	if err != nil || d < minTimeout || d > maxTimeout {
		return 0, r.errorf(n.Offset, entry, key, "", "is %s, want a time from 0.1s to 1h, such as \"120s\"", shown(n))
	}
	return d, nil
}
