package check

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// Formats are the forms in which findings are written.
var Formats = []string{"text", "json", "sarif", "github"}

// maxShown bounds how many findings are written.
const maxShown = 200

// Write writes the findings in one of the Formats.
func Write(w io.Writer, format, version string, findings []Finding) error {
	shown := findings[:min(len(findings), maxShown)]
	switch format {
	case "text":
		return writeText(w, shown, len(findings)-len(shown))
	case "json":
		return writeJSON(w, report{Findings: append([]Finding{}, shown...), Left: len(findings) - len(shown)})
	case "sarif":
		return writeJSON(w, sarifOf(version, shown))
	case "github":
		return writeGitHub(w, shown)
	}
	return fmt.Errorf("no format %q", format)
}

type report struct {
	Findings []Finding `json:"findings"`
	Left     int       `json:"left_off"` // findings that are not shown
}

func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

func writeText(w io.Writer, findings []Finding, left int) error {
	var b strings.Builder
	for _, f := range findings {
		if place := f.Place(); place != "" {
			b.WriteString(place + ": ")
		}
		fmt.Fprintf(&b, "%s: %s [%s]\n  why: %s\n", f.Severity, f.Text, f.Code, f.Why)
		if f.Fix != "" {
			fmt.Fprintf(&b, "  fix: %s\n", f.Fix)
		}
	}
	if left > 0 {
		fmt.Fprintf(&b, "and %d more\n", left)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// writeGitHub writes the commands that make GitHub Actions show findings beside the lines.
func writeGitHub(w io.Writer, findings []Finding) error {
	value := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	property := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
	var b strings.Builder
	for _, f := range findings {
		text := f.Text + ". " + f.Why
		if f.Fix != "" {
			text += ". " + f.Fix
		}
		fmt.Fprintf(&b, "::%s file=%s,line=%d,col=%d,title=%s::%s\n",
			f.Severity, property.Replace(f.File), max(f.Line, 1), max(f.Column, 1), property.Replace(f.Code), value.Replace(text))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// The parts of SARIF 2.1.0 that code scanning reads.
type (
	sarif struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool struct {
			Driver sarifDriver `json:"driver"`
		} `json:"tool"`
		Results []sarifResult `json:"results"`
	}
	sarifDriver struct {
		Name    string      `json:"name"`
		Version string      `json:"version,omitempty"`
		Rules   []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID    string    `json:"id"`
		Short sarifText `json:"shortDescription"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		RuleID    string          `json:"ruleId"`
		Level     Severity        `json:"level"`
		Message   sarifText       `json:"message"`
		Locations []sarifLocation `json:"locations,omitempty"`
	}
	sarifLocation struct {
		Physical struct {
			Artifact struct {
				URI string `json:"uri"`
			} `json:"artifactLocation"`
			Region *sarifRegion `json:"region,omitempty"`
		} `json:"physicalLocation"`
	}
	sarifRegion struct {
		Line   int `json:"startLine"`
		Column int `json:"startColumn,omitempty"`
	}
)

func sarifOf(version string, findings []Finding) sarif {
	run := sarifRun{Results: []sarifResult{}}
	run.Tool.Driver = sarifDriver{Name: "mcp-code-mode", Version: version}
	for _, code := range Kinds() {
		_, why := Describe(code)
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{ID: code, Short: sarifText{why}})
	}
	for _, f := range findings {
		text := f.Text
		if f.Fix != "" {
			text += ". " + f.Fix
		}
		result := sarifResult{RuleID: f.Code, Level: f.Severity, Message: sarifText{text}}
		if f.File != "" {
			var at sarifLocation
			at.Physical.Artifact.URI = f.File
			if f.Line > 0 {
				at.Physical.Region = &sarifRegion{f.Line, f.Column}
			}
			result.Locations = []sarifLocation{at}
		}
		run.Results = append(run.Results, result)
	}
	return sarif{Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0", Runs: []sarifRun{run}}
}
