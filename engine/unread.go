package engine

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/mcp-code-mode/mcp-code-mode/engine/check"
	"github.com/mcp-code-mode/mcp-code-mode/internal/strictjson"
)

// Bounds on what is looked at in files and links that are not part of a policy as they are.
const (
	maxGlance = 64 << 10 // bytes of a file that is not read
	maxLinks  = 40       // links that lead to one file
)

var (
	familyPackage = regexp.MustCompile(`(?m)^package\s+codemode\b`)
	notPolicy     = []string{".md", ".rego", ".json", ".yaml", ".yml", casesSuffix}
)

// looksLikePolicy reports whether a file or a directory that is not read was meant to be.
func looksLikePolicy(fsys fs.FS, name string, d fs.DirEntry) bool {
	base := path.Base(name)
	lower := strings.ToLower(base)
	switch {
	case isPolicyFile(name) || name == "." || strings.HasPrefix(base, ".."):
		return false
	case d.IsDir():
		return hidden(name) && strings.HasPrefix(name, "codemode/")
	case hidden(path.Dir(name)):
		return false
	case strings.HasSuffix(lower, ".rego") || strings.Contains(lower, ".rego."):
		return true
	case base != lower && isData(path.Join(path.Dir(name), lower)) && !isSchema(name):
		return true
	}
	for _, ext := range notPolicy {
		if strings.HasSuffix(base, ext) {
			return false
		}
	}
	return strings.HasPrefix(name, "codemode/") && d.Type().IsRegular() && hasPackage(fsys, name)
}

func hasPackage(fsys fs.FS, name string) bool {
	f, err := fsys.Open(name)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }()
	start, _ := io.ReadAll(io.LimitReader(f, maxGlance))
	return familyPackage.Match(start)
}

func (s Source) notRead(name string) check.Finding {
	f := check.New(check.NotRead, nil, "the file is not read", "rules are in files that end in .rego, data in .json, .yaml and .yml, and no name begins with a dot")
	f.File = path.Join(s.prefix(), name)
	return f
}

// staysInside makes sure that a link leads to a file of the policy itself. What lies outside can
// change without anybody looking at the policy.
func staysInside(fsys fs.FS, name string) error {
	at, rest := ".", name
	for steps := 0; rest != ""; {
		part, after, _ := strings.Cut(rest, "/")
		next := path.Join(at, part)
		target, err := fs.ReadLink(fsys, next)
		if err != nil { // no link, or a tree that has none
			at, rest = next, after
			continue
		}
		if steps++; steps > maxLinks {
			return fmt.Errorf("%q leads through more than %d links", name, maxLinks)
		}
		outside := filepath.IsAbs(target)
		target = path.Join(at, filepath.ToSlash(target))
		if outside || !fs.ValidPath(target) {
			return fmt.Errorf("%q is a link to a file outside of the policy: put the file itself there", name)
		}
		at, rest = ".", path.Join(target, after)
	}
	return nil
}

// repeatedKeys finds data in which one key stands twice. The last would win.
func (t tree) repeatedKeys(src Source) []check.Finding {
	var findings []check.Finding
	for _, name := range t.names() {
		if !isData(name) {
			continue
		}
		if line, text := repeatedKey(name, t[name]); text != "" {
			f := check.New(check.DuplicateKey, nil, text, "take one of the two out")
			f.File, f.Line = path.Join(src.prefix(), name), line
			findings = append(findings, f)
		}
	}
	return findings
}

func repeatedKey(name string, data []byte) (line int, text string) {
	if path.Ext(name) != ".json" {
		var v any
		if err := yaml.Unmarshal(data, &v); err != nil && strings.Contains(err.Error(), "already defined") {
			return 0, strings.TrimPrefix(err.Error(), "yaml: ")
		}
		return 0, ""
	}
	bounds := strictjson.Bounds{Bytes: maxPolicyFile, Depth: 1000, Values: maxPolicyFile}
	_, err := strictjson.Decode(data, bounds)
	var problem *strictjson.Error
	if errors.As(err, &problem) && problem.Problem == strictjson.ProblemDuplicate {
		return bytes.Count(data[:problem.Offset], []byte("\n")) + 1, problem.Error()
	}
	return 0, ""
}
