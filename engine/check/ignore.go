package check

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
)

// ignoring is the comment that takes a warning back. It stands on the line of the finding or on
// its own line above, and gives a reason.
var ignoring = regexp.MustCompile(`^\s*mcp-code-mode\s+ignore:\s*([a-z_]*)\s*(.*?)\s*$`)

type ignore struct {
	code, reason string
	at           *ast.Location
	used         bool
}

// Ignore leaves out the warnings that comments of the modules take back, and adds what is wrong
// with those comments. An error cannot be taken back.
func Ignore(findings []Finding, modules map[string]*ast.Module) []Finding {
	ignores := map[string][]*ignore{} // by file
	for _, m := range modules {
		for _, c := range m.Comments {
			if found := ignoring.FindStringSubmatch(string(c.Text)); found != nil {
				ignores[c.Location.File] = append(ignores[c.Location.File], &ignore{code: found[1], reason: found[2], at: c.Location})
			}
		}
	}
	if len(ignores) == 0 {
		return findings
	}
	var kept []Finding
	for _, f := range findings {
		if f.Severity != Warning || !taken(f, ignores[f.File]) {
			kept = append(kept, f)
		}
	}
	for _, list := range ignores {
		for _, i := range list {
			switch {
			case i.reason == "":
				kept = append(kept, New(IgnoreNoReason, i.at, fmt.Sprintf("ignoring %q without a reason", i.code), "write the reason after the code"))
			case !i.used:
				kept = append(kept, New(IgnoreUnused, i.at, fmt.Sprintf("there is no warning %q to ignore here", i.code), unusedHint(i.code)))
			}
		}
	}
	return Sort(kept)
}

func unusedHint(code string) string {
	switch severity, _ := Describe(code); severity {
	case Error:
		return "an error cannot be ignored"
	case Warning:
		return "take the comment out"
	}
	return "the kinds are " + strings.Join(Kinds(), ", ")
}

func taken(f Finding, ignores []*ignore) bool {
	is := false
	for _, i := range ignores {
		if i.code == f.Code && i.reason != "" && (i.at.Row == f.Line || i.at.Row == f.Line-1) {
			i.used, is = true, true
		}
	}
	return is
}
