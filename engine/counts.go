package engine

// Counts says how often each tool was called, by tool id. Its zero value is empty. A copy is
// the same counts, as with a map: what is added to one shows in the other once there is
// anything in it. It is not safe for use while something adds to it.
//
// It is not a map[string]int64 because a session may call thousands of tools: OPA reads this
// form where it lies, and only the entries a policy asks for, so that a decision costs the
// same after any number of calls.
type Counts struct {
	byTool map[string]any // each an int64
}

// CountsOf returns the counts of a map, which it copies.
func CountsOf(byTool map[string]int64) Counts {
	var c Counts
	for tool, n := range byTool {
		c.set(tool, n)
	}
	return c
}

// Add counts one more call of a tool.
func (c *Counts) Add(tool string) { c.set(tool, c.Of(tool)+1) }

// Of returns how often a tool was called.
func (c Counts) Of(tool string) int64 {
	n, _ := c.byTool[tool].(int64)
	return n
}

func (c *Counts) set(tool string, n int64) {
	if c.byTool == nil {
		c.byTool = map[string]any{}
	}
	c.byTool[tool] = n
}

// MarshalJSON writes an object, also for no calls.
func (c Counts) MarshalJSON() ([]byte, error) {
	if c.byTool == nil {
		return []byte("{}"), nil
	}
	return encode(c.byTool)
}

// lazy is the counts as they lie, never nil, not to be changed.
func (c Counts) lazy() map[string]any {
	if c.byTool == nil {
		return map[string]any{}
	}
	return c.byTool
}
