package bridge

import (
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/mcp-code-mode/mcp-code-mode/engine"
	"github.com/mcp-code-mode/mcp-code-mode/internal/cut"
)

// mask does to the event what the rules say, given the event as decoded JSON, and returns what
// was taken away, for the texts that may repeat it.
//
// As in OPA, a rule whose path leads nowhere does nothing. Unlike there a part of a path may be
// escaped as in a URL or as in a JSON pointer: OPA finds no key with a space or a slash in it.
func (e *logEntry) mask(event map[string]any, rules []engine.MaskRule) hidden {
	var h hidden
	for _, rule := range rules {
		old, done := replaceAt(event, rule.Path, rule)
		if !done {
			continue
		}
		h.add(old)
		if rule.Upsert {
			e.Masked = append(e.Masked, rule.Text)
		} else {
			e.Erased = append(e.Erased, rule.Text)
		}
	}
	if len(e.Masked)+len(e.Erased) == 0 || len(rules) == 0 {
		return h
	}
	h.inDenials(event["result"])
	e.Input, e.Result = event["input"], event["result"]
	if e.Error != nil {
		e.Error.Message = h.text(e.Error.Message)
	}
	e.toolID = ""
	if input, ok := e.Input.(map[string]any); ok {
		if tool, ok := input["tool"].(map[string]any); ok {
			e.toolID, _ = tool["id"].(string)
		}
	}
	return h
}

// replaceAt takes away what lies at the end of a path below node, or puts the rule's value there,
// and returns what was there before. An element of a list is replaced by null, and not taken out: the
// places of the others, and the paths of further rules, stay as they are.
func replaceAt(node any, path []string, rule engine.MaskRule) (old any, done bool) {
	last := len(path) == 1
	switch node := node.(type) {
	case map[string]any:
		key, has := memberOf(node, path[0])
		switch old = node[key]; {
		case !has && !rule.Upsert:
			return nil, false
		case last && rule.Upsert:
			node[key] = rule.Value
		case last:
			delete(node, key)
		case !has:
			child := map[string]any{}
			node[key] = child
			return replaceAt(child, path[1:], rule)
		default:
			return replaceAt(old, path[1:], rule)
		}
		return old, true
	case []any:
		i, err := strconv.Atoi(path[0])
		switch {
		case err != nil || i < 0 || i >= len(node):
			return nil, false
		case !last:
			return replaceAt(node[i], path[1:], rule)
		}
		old, node[i] = node[i], rule.Value // nil unless it is an upsert
		return old, true
	}
	return nil, false
}

var pointer = strings.NewReplacer("~1", "/", "~0", "~")

// memberOf finds the key that a part of a path means.
func memberOf(node map[string]any, part string) (key string, has bool) {
	unescaped, err := url.PathUnescape(part)
	if err != nil {
		unescaped = part
	}
	for _, key := range []string{part, unescaped, pointer.Replace(part), pointer.Replace(unescaped)} {
		if _, has := node[key]; has {
			return key, true
		}
	}
	return part, false
}

// hidden is what the decision log must not show of one call. Texts about the call, in the log and
// for the operator, may repeat it: an error of a builtin quotes its operand, a denial names what
// it objects to.
type hidden struct {
	all   bool // everything, because masking failed
	texts []string
}

const (
	hiddenMark = "[masked]"
	hiddenPart = 8    // so many bytes of a hidden text give it away, or all of a shorter one
	hiddenSure = 4    // a shorter text hides all of a text that it occurs in
	maxShown   = 1000 // characters of a text that is looked at; the rest is left out
)

// add hides every text and number in a value.
func (h *hidden) add(value any) {
	switch value := value.(type) {
	case string:
		if value != "" {
			h.texts = append(h.texts, value)
			if quoted := strconv.Quote(value); quoted[1:len(quoted)-1] != value {
				h.texts = append(h.texts, quoted[1:len(quoted)-1])
			}
		}
	case json.Number:
		h.texts = append(h.texts, string(value))
	case []any:
		for _, v := range value {
			h.add(v)
		}
	case map[string]any:
		for k, v := range value {
			h.add(k)
			h.add(v)
		}
	}
}

// inDenials hides in the messages of a decision.
func (h *hidden) inDenials(result any) {
	decision, _ := result.(map[string]any)
	denials, _ := decision["denials"].([]any)
	for _, one := range denials {
		denial, _ := one.(map[string]any)
		if message, ok := denial["message"].(string); ok {
			denial["message"] = h.text(message)
		}
	}
}

// text returns s without what is hidden.
func (h *hidden) text(s string) string {
	switch {
	case s == "" || !h.all && len(h.texts) == 0:
		return s
	case h.all:
		return hiddenMark
	}
	s = cut.Characters(s, maxShown)
	at := map[string][]int{} // where the parts of s are
	for i := range s {
		if i+hiddenPart <= len(s) {
			at[s[i:i+hiddenPart]] = append(at[s[i:i+hiddenPart]], i)
		}
	}
	cover := make([]bool, len(s))
	for _, secret := range h.texts {
		if len(secret) >= hiddenPart {
			for i := range len(secret) - hiddenPart + 1 {
				for _, j := range at[secret[i:i+hiddenPart]] {
					fill(cover[j : j+hiddenPart])
				}
			}
			continue
		}
		for from := 0; ; from++ {
			i := strings.Index(s[from:], secret)
			if i < 0 {
				break
			}
			if len(secret) < hiddenSure {
				return hiddenMark
			}
			from += i
			fill(cover[from : from+len(secret)])
		}
	}
	return covered(s, cover)
}

func fill(cover []bool) {
	for i := range cover {
		cover[i] = true
	}
}

// covered puts a mark where bytes are covered.
func covered(s string, cover []bool) string {
	if !slices.Contains(cover, true) {
		return s
	}
	var b strings.Builder
	for i := range len(s) {
		switch {
		case !cover[i]:
			b.WriteByte(s[i])
		case i == 0 || !cover[i-1]:
			b.WriteString(hiddenMark)
		}
	}
	return strings.ToValidUTF8(b.String(), "\uFFFD")
}
