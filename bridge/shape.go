package bridge

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/mcp-code-mode/mcp-code-mode/internal/strictjson"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox/wire"
)

// Bounds of what is learned from results. The shape of a result is names and types,
// never a value; keys that look like data are not taken for names.
const (
	maxSeenTools   = 200      // tools of which a session keeps a shape
	maxSeenResults = 16       // results of one tool that are looked at
	maxSeenBytes   = 64 << 10 // of a result that is looked at
	maxSeenValues  = 10_000   // in it
	maxSeenDepth   = 5        // levels shown
	maxSeenKeys    = 20       // of an object; one with more is a map
	maxSeenItems   = 50       // of a list that are looked at
	maxSeenKey     = 64       // bytes of a name
	maxSeenText    = 600      // bytes of a shape as it is shown
)

// seen is what the calls of a session have returned. Its methods may be called from
// any goroutine.
type seen struct {
	mu     sync.Mutex
	shapes map[string]*resultShape // by Python name
	order  []string                // of the names, as they were first seen
}

// resultShape is what the results of one tool had in common.
type resultShape struct {
	results int
	plain   bool // one was a text that is not the JSON of an object or a list
	data    *shape
	text    string // as it is shown
}

// learn looks at the result of a tool whose server does not say what it returns.
// Of private tools nothing is learned.
func (s *seen) learn(t *tool, reply wire.Reply) {
	if reply.Err != nil || t.facts.Private || len(t.describe.Output) > 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	known := s.shapes[t.python]
	switch {
	case known == nil && len(s.shapes) == maxSeenTools:
		return
	case known == nil:
		if s.shapes == nil {
			s.shapes = map[string]*resultShape{}
		}
		known = &resultShape{}
		s.shapes[t.python] = known
		s.order = append(s.order, t.python)
	case known.results == maxSeenResults:
		return
	}
	known.results++
	text := reply.Text
	if reply.Data != nil {
		text = string(reply.Data)
	}
	known.add(text)
}

func (r *resultShape) add(text string) {
	if len(text) > maxSeenBytes {
		return
	}
	n, err := strictjson.Parse([]byte(text), strictjson.Bounds{Bytes: maxSeenBytes, Depth: strictjson.MaxDepth, Values: maxSeenValues, Repeats: true})
	if err != nil || n.Kind != strictjson.Object && n.Kind != strictjson.Array {
		r.plain = true
	} else {
		if r.data == nil {
			r.data = &shape{}
		}
		r.data.add(n, 1)
	}
	r.text = r.show()
}

// show is the shape as a stub writes it: "str; .data: {id: int}".
func (r *resultShape) show() string {
	if r.data == nil {
		return "str"
	}
	about := "str of JSON; .data: "
	if r.plain {
		about = "str, sometimes of JSON; .data: None | "
	}
	for depth := maxSeenDepth; depth > 0; depth-- {
		if text := r.data.show(depth); len(text)+len(about) <= maxSeenText {
			return about + text
		}
	}
	return about + r.data.show(0)
}

// news returns the shapes that differ from those told, and notes them as told.
func (s *seen) news(told map[string]string) (list []wire.Seen) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, name := range s.order {
		if text := s.shapes[name].text; text != "" && told[name] != text {
			told[name] = text
			list = append(list, wire.Seen{Tool: name, Shape: text})
		}
	}
	return list
}

// shape is the types that values had in one place.
type shape struct {
	types   []string // of scalars, as Python calls them, in the order they were seen
	isList  bool
	isDict  bool
	objects int // that were seen
	isMap   bool
	fields  []*member
	item    *shape // of the elements of lists, nil before one was seen
	value   *shape // of the values of a map
}

type member struct {
	name  string
	count int // of the objects that had it
	shape *shape
}

func (s *shape) add(n *strictjson.Node, depth int) {
	switch n.Kind {
	case strictjson.Object:
		s.isDict = true
		s.addObject(n, depth)
	case strictjson.Array:
		s.isList = true
		if depth > maxSeenDepth {
			return
		}
		for _, e := range n.Elements[:min(len(n.Elements), maxSeenItems)] {
			if s.item == nil {
				s.item = &shape{}
			}
			s.item.add(e, depth+1)
		}
	default:
		if name := scalar(n); !slices.Contains(s.types, name) {
			s.types = append(s.types, name)
		}
	}
}

func scalar(n *strictjson.Node) string {
	switch n.Kind {
	case strictjson.String:
		return "str"
	case strictjson.Truth:
		return "bool"
	case strictjson.Number:
		if strings.ContainsAny(n.Text, ".eE") {
			return "float"
		}
		return "int"
	}
	return "None"
}

var identifier = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

func (s *shape) addObject(n *strictjson.Node, depth int) {
	if depth > maxSeenDepth {
		return
	}
	s.objects++
	for _, m := range n.Members {
		if len(m.Key) > maxSeenKey || !identifier.MatchString(m.Key) {
			s.isMap = true
		}
	}
	if s.isMap = s.isMap || len(n.Members) > maxSeenKeys; s.isMap {
		s.merge()
	}
	for _, m := range n.Members[:min(len(n.Members), maxSeenItems)] {
		s.member(m.Key).add(m.Value, depth+1)
	}
	if !s.isMap && len(s.fields) > maxSeenKeys {
		s.isMap = true
		s.merge()
	}
}

// member is where the value of a key goes.
func (s *shape) member(key string) *shape {
	if s.isMap {
		if s.value == nil {
			s.value = &shape{}
		}
		return s.value
	}
	for _, f := range s.fields {
		if f.name == key {
			f.count++
			return f.shape
		}
	}
	f := &member{name: key, count: 1, shape: &shape{}}
	s.fields = append(s.fields, f)
	return f.shape
}

// merge makes one shape of those of all fields, whose names are data.
func (s *shape) merge() {
	for _, f := range s.fields {
		if s.value == nil {
			s.value = &shape{}
		}
		s.value.union(f.shape)
	}
	s.fields = nil
}

func (s *shape) union(o *shape) {
	for _, name := range o.types {
		if !slices.Contains(s.types, name) {
			s.types = append(s.types, name)
		}
	}
	s.isList, s.isDict = s.isList || o.isList, s.isDict || o.isDict
	s.item, s.value = united(s.item, o.item), united(s.value, o.value)
	if s.isMap || o.isMap || len(s.fields)+len(o.fields) > maxSeenKeys {
		s.isMap = true
		s.merge()
		o.merge()
		s.value = united(s.value, o.value)
		return
	}
	for _, f := range o.fields {
		s.member(f.name).union(f.shape)
	}
	for _, f := range s.fields { // whether all had it is not known any more
		f.count = 0
	}
	s.objects += o.objects
}

func united(a, b *shape) *shape {
	if a == nil || b == nil {
		if a == nil {
			return b
		}
		return a
	}
	a.union(b)
	return a
}

// show writes the shape with so many levels.
func (s *shape) show(levels int) string {
	parts := slices.Clone(s.types)
	if s.isDict {
		parts = append(parts, s.showDict(levels))
	}
	if s.isList {
		item := ""
		if levels > 0 && s.item != nil {
			item = s.item.show(levels - 1)
		}
		if item == "" {
			parts = append(parts, "list")
		} else {
			parts = append(parts, "list["+item+"]")
		}
	}
	if i := slices.Index(parts, "None"); i >= 0 { // comes last, as in annotations
		parts = append(slices.Delete(parts, i, i+1), "None")
	}
	return strings.Join(parts, " | ")
}

func (s *shape) showDict(levels int) string {
	switch {
	case levels == 0:
		return "dict"
	case s.isMap:
		value := ""
		if s.value != nil {
			value = s.value.show(levels - 1)
		}
		if value == "" {
			return "dict"
		}
		return "dict[str, " + value + "]"
	case len(s.fields) == 0:
		return "dict"
	}
	fields := make([]string, len(s.fields))
	for i, f := range s.fields {
		mark := ": "
		if f.count < s.objects {
			mark = "?: "
		}
		text := f.shape.show(levels - 1)
		if text == "" {
			text = "Any"
		}
		fields[i] = f.name + mark + text
	}
	return "{" + strings.Join(fields, ", ") + "}"
}
