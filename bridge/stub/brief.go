package stub

import (
	"strings"

	"github.com/mcp-code-mode/mcp-code-mode/internal/cut"
	"github.com/mcp-code-mode/mcp-code-mode/internal/schemaview"
)

// maxSentence is how much of a description stands in a stub without texts, in bytes.
const maxSentence = 200

// Brief returns the stub of t without its texts: what it takes and returns, and the
// first sentence of the description. It is at most MaxBrief bytes and does not fail.
func Brief(t Tool, name string) string {
	input, _ := parseObject(t.Input)
	return brief(t, name, input)
}

// brief is Brief; input is nil where it can not be read.
func brief(t Tool, name string, input *schemaview.Document) string {
	params := "..."
	if input != nil {
		r := newRenderer(input)
		params = r.line(r.root(), maxBriefParams)
	}
	lines := []string{"params: " + params}
	annotation, returns := returns(t.Output)
	if returns != "" {
		lines = append(lines, "returns: "+returns)
	}
	if text := sentence(t); text != "" {
		lines = append([]string{escape(cut.Marked(text, maxSentence, cutMark))}, lines...)
	}
	return header(name, annotation) + indent + quotes + strings.Join(lines, "\n"+indent) + "\n" + indent + quotes
}

// sentence is the first sentence of the description with the private mark in front.
func sentence(t Tool) string {
	text := unmarked(Foreign(firstSentence(cleanText(t.Description))))
	if t.Private {
		text = strings.TrimRight(privateMark+" "+text, " ")
	}
	return text
}

// Summary returns the one line that stands for t where stubs do not fit, as in
// "create_issue(title: str, body?: str) -> dict [private]: File an issue." (without
// a type the result is a str). It is at most
// MaxSummary bytes and does not fail: a schema that can not be read shows "...".
func Summary(t Tool, name string) string {
	input, _ := parseObject(t.Input)
	return summary(t, name, input)
}

func summary(t Tool, name string, input *schemaview.Document) string {
	const maxArguments = 120 // bytes of MaxSummary that arguments may take
	arguments := "..."
	if input != nil {
		arguments = newRenderer(input).arguments(maxArguments)
	}
	name = cut.Head(name, MaxSummary/3)
	line := name + "(" + arguments + ")"
	if annotation, _ := returns(t.Output); annotation != "str" {
		line += " -> " + annotation
	}
	if t.Private {
		line += " " + privateMark
	}
	if sentence := unmarked(firstSentence(cleanText(t.Description))); sentence != "" {
		line += ": " + sentence
	}
	return cut.Marked(line, MaxSummary, cutMark)
}
