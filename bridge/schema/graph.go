package schema

import (
	"errors"
	"fmt"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Bounds of what schemas may do at one place of the arguments.
const (
	maxChain        = 128    // schemas applied inside each other
	maxCombinations = 10_000 // schemas applied altogether
)

// node mirrors one compiled subschema with what applying it costs. Only the
// compiled form is looked at, so that a reference can not mean one thing here
// and another in the validator.
type node struct {
	inPlace    []*node // applied to the same value
	properties map[string]*node
	folded     map[string]string // the names of properties by what they fold to
	patterns   []patternNode
	additional []*node // applied to members the schema may not name
	names      *node   // applied to the names of members
	elements   []*node // applied to every element; over-counts tuples
	tuple      []*node // applied to one element each
	pattern    *pattern
	types      typeSet
	unique     bool
	weight     int // fixed cost: what the keywords compare with

	state        int8 // of the search for cycles
	combinations int
	chain        int
}

type patternNode struct {
	pattern *pattern
	node    *node
}

// analyse mirrors what can be reached from root and refuses what could make
// validation run away.
func analyse(root *jsonschema.Schema) (*node, error) {
	g := graph{nodes: map[*jsonschema.Schema]*node{}}
	n := g.mirror(root)
	for len(g.queue) > 0 {
		s := g.queue[0]
		g.queue = g.queue[1:]
		if s.DynamicRef != nil || s.RecursiveRef != nil {
			return nil, errors.New("$dynamicRef and $recursiveRef are not supported")
		}
		g.fill(s, g.nodes[s])
	}
	for _, n := range g.nodes {
		if err := n.measure(); err != nil {
			return nil, err
		}
	}
	return n, nil
}

type graph struct {
	nodes map[*jsonschema.Schema]*node
	queue []*jsonschema.Schema
}

// mirror returns the node of s, which is filled in later.
func (g *graph) mirror(s *jsonschema.Schema) *node {
	if n := g.nodes[s]; n != nil {
		return n
	}
	n := &node{}
	g.nodes[s] = n
	g.queue = append(g.queue, s)
	return n
}

func (g *graph) add(to *[]*node, schemas ...*jsonschema.Schema) {
	for _, s := range schemas {
		if s != nil {
			*to = append(*to, g.mirror(s))
		}
	}
}

// addAny adds a keyword that is a schema, a list of them, or a bool.
func (g *graph) addAny(to *[]*node, keyword any) {
	switch s := keyword.(type) {
	case *jsonschema.Schema:
		g.add(to, s)
	case []*jsonschema.Schema:
		g.add(to, s...)
	}
}

func (g *graph) fill(s *jsonschema.Schema, n *node) {
	for _, same := range inPlace(s) {
		g.add(&n.inPlace, same)
	}
	for name, p := range s.Properties {
		if n.properties == nil {
			n.properties = make(map[string]*node, len(s.Properties))
		}
		n.properties[name] = g.mirror(p)
	}
	n.folded = foldNames(n.properties)
	for re, p := range s.PatternProperties {
		if own, ok := re.(*pattern); ok {
			n.patterns = append(n.patterns, patternNode{own, g.mirror(p)})
		}
	}
	g.addAny(&n.additional, s.AdditionalProperties)
	g.add(&n.additional, s.UnevaluatedProperties)
	if s.PropertyNames != nil {
		n.names = g.mirror(s.PropertyNames)
	}
	if tuple, ok := s.Items.([]*jsonschema.Schema); ok {
		g.add(&n.tuple, tuple...)
	} else {
		g.addAny(&n.elements, s.Items)
	}
	g.add(&n.tuple, s.PrefixItems...)
	g.addAny(&n.elements, s.AdditionalItems)
	g.add(&n.elements, s.Items2020, s.Contains, s.UnevaluatedItems)
	n.pattern, _ = s.Pattern.(*pattern)
	n.types = typesOf(s.Types)
	n.unique = s.UniqueItems
	n.weight = 1 + weigh(s)
}

// weigh counts what the keywords of s compare a value with.
func weigh(s *jsonschema.Schema) int {
	n := len(s.Required)
	for _, names := range s.DependentRequired {
		n += 1 + len(names)
	}
	for _, names := range s.Dependencies {
		if names, ok := names.([]string); ok {
			n += 1 + len(names)
		}
	}
	if s.Enum != nil {
		n += size(s.Enum.Values)
	}
	if s.Const != nil {
		n += size(*s.Const)
	}
	return n
}

// size counts the values in v.
func size(v any) int {
	n := 1
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			n += size(e)
		}
	case map[string]any:
		for _, e := range v {
			n += size(e)
		}
	}
	return n
}

// inPlace lists the schemas that s applies to the very value it is applied to.
func inPlace(s *jsonschema.Schema) []*jsonschema.Schema {
	var list []*jsonschema.Schema
	for _, one := range []*jsonschema.Schema{s.Ref, s.Not, s.If, s.Then, s.Else} {
		if one != nil {
			list = append(list, one)
		}
	}
	list = append(list, s.AllOf...)
	list = append(list, s.AnyOf...)
	list = append(list, s.OneOf...)
	for _, one := range s.DependentSchemas {
		list = append(list, one)
	}
	for _, one := range s.Dependencies {
		if one, ok := one.(*jsonschema.Schema); ok {
			list = append(list, one)
		}
	}
	return list
}

// Stages of a search.
const (
	unseen int8 = iota
	searching
	done
)

// measure counts the schemas that n applies in one place, and how deep they
// nest.
func (n *node) measure() error {
	switch n.state {
	case done:
		return nil
	case searching:
		return errors.New("it refers to itself in place")
	}
	n.state = searching
	n.combinations, n.chain = 1, 1
	for _, same := range n.inPlace {
		if err := same.measure(); err != nil {
			return err
		}
		n.combinations += same.combinations
		n.chain = max(n.chain, same.chain+1)
		if n.combinations > maxCombinations {
			return fmt.Errorf("it combines more than %d schemas in one place", maxCombinations)
		}
	}
	if n.chain > maxChain {
		return fmt.Errorf("it combines schemas more than %d deep", maxChain)
	}
	n.state = done
	return nil
}
