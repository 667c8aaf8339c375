package bridge

import "strings"

// trace is the place in a trace from which a run was asked for.
type trace struct{ trace, span string }

// parseTrace reads a traceparent as W3C Trace Context has it. What is none gives no trace.
func parseTrace(parent string) trace {
	const zeros = "00000000000000000000000000000000"
	parts := strings.Split(parent, "-")
	if len(parts) < 4 || parts[0] == "00" && len(parts) > 4 || parts[0] == "ff" ||
		!isHex(parts[0], 2) || !isHex(parts[1], 32) || !isHex(parts[2], 16) || !isHex(parts[3], 2) ||
		parts[1] == zeros || parts[2] == zeros[:16] {
		return trace{}
	}
	return trace{parts[1], parts[2]}
}

func isHex(s string, size int) bool {
	return len(s) == size && strings.Trim(s, "0123456789abcdef") == ""
}
