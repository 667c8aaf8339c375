package engine

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/types"
	"github.com/open-policy-agent/opa/v1/util"

	"github.com/mcp-code-mode/mcp-code-mode/engine/check"
	"github.com/mcp-code-mode/mcp-code-mode/policies"
)

// The schemas that the host keeps to, whatever a policy brings: these are its own words.
var (
	inputSchemaFile  = schemaDir + "/input.json"
	configSchemaFile = schemaDir + "/codemode/config.json"
)

// ownSchemas are the built-in schemas, by file, and the types that they describe.
var ownSchemas = sync.OnceValues(func() (map[string]any, map[string]types.Type) {
	schemas, typed := map[string]any{}, map[string]types.Type{}
	for _, name := range []string{inputSchemaFile, configSchemaFile} {
		data, err := fs.ReadFile(policies.FS, name)
		if err != nil {
			panic(err) // embedded
		}
		var schema any
		if err := util.UnmarshalJSON(data, &schema); err != nil {
			panic(err)
		}
		set := ast.NewSchemaSet()
		set.Put(ast.SchemaRootRef, schema)
		compiler := ast.NewCompiler().WithSchemas(set).WithCapabilities(capabilities())
		compiler.Compile(nil)
		schemas[name], typed[name] = schema, compiler.TypeEnv.GetByRef(ast.InputRootRef)
	}
	return schemas, typed
})

// schemas are the JSON Schemas that the METADATA of packages name: the policy's own, and those
// of the host in any case. The input has its type everywhere, METADATA or not.
func (t tree) schemas() (*ast.SchemaSet, error) {
	set := ast.NewSchemaSet()
	for _, name := range t.names() {
		if !isSchema(name) {
			continue
		}
		var schema any
		if err := util.UnmarshalJSON(t[name], &schema); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		set.Put(schemaRef(name), schema)
	}
	own, _ := ownSchemas()
	for name, schema := range own {
		set.Put(schemaRef(name), schema)
	}
	set.Put(ast.SchemaRootRef, own[inputSchemaFile])
	return set, nil
}

func schemaRef(name string) ast.Ref {
	ref := ast.Ref{ast.SchemaRootDocument}
	for part := range strings.SplitSeq(strings.TrimSuffix(strings.TrimPrefix(name, schemaDir+"/"), ".json"), "/") {
		ref = append(ref, ast.StringTerm(part))
	}
	return ref
}

// guards finds what a policy lacks that guards it, and puts back what METADATA takes away.
func (t tree) guards(src Source, modules map[string]*ast.Module) []check.Finding {
	var findings []check.Finding
	own, _ := ownSchemas()
	for _, name := range []string{inputSchemaFile, configSchemaFile} {
		var theirs any
		if data, ok := t[name]; ok && (util.UnmarshalJSON(data, &theirs) != nil || !sameJSON(theirs, own[name])) {
			f := check.New(check.SchemaReplaced, nil, "the schema is not the built-in one, which is used instead", "copy it again with `policy init`")
			f.File = path.Join(src.prefix(), name)
			findings = append(findings, f)
		}
	}
	if src.FS != nil {
		findings = append(findings, t.missing(src, modules)...)
	}
	for _, m := range modules {
		if m.Package.Path.HasPrefix(systemPackage) {
			continue // its input is no call
		}
		for _, a := range m.Annotations {
			a.Schemas = slices.DeleteFunc(a.Schemas, func(s *ast.SchemaAnnotation) bool {
				if !loosens(s) {
					return false
				}
				findings = append(findings, check.New(check.SchemaReplaced, a.Location, fmt.Sprintf("METADATA gives %s a schema of its own, which is not used", s.Path), "take the line out"))
				return true
			})
		}
	}
	return findings
}

// systemPackage is where OPA itself looks for rules, of the decision log for one. Their input is
// another document than a call.
var systemPackage = ast.MustParseRef("data.system")

// otherInputs are modules that say, for packages whose input is no call, that it may be anything.
func otherInputs(modules map[string]*ast.Module) (map[string]*ast.Module, error) {
	others := map[string]*ast.Module{}
	said := map[string]bool{}
	for _, m := range modules {
		if pkg := m.Package.Path; pkg.HasPrefix(systemPackage) {
			for _, a := range m.Annotations {
				if a.Scope == "package" {
					said[pkg.String()] = true
					takeAnyInput(a)
				}
			}
		}
	}
	for _, m := range modules {
		pkg := m.Package.Path
		if !pkg.HasPrefix(systemPackage) || said[pkg.String()] {
			continue
		}
		text := "# METADATA\n# scope: package\n# schemas:\n#   - input: {}\n" + m.Package.String() + "\n"
		other, err := ast.ParseModuleWithOpts("the input of "+pkg.String(), text, ast.ParserOptions{ProcessAnnotation: true})
		if err != nil {
			return nil, err
		}
		others["the input of "+pkg.String()] = other
	}
	return others, nil
}

// takeAnyInput makes METADATA say that the input may be anything, unless it says something itself.
func takeAnyInput(a *ast.Annotations) {
	if slices.ContainsFunc(a.Schemas, func(s *ast.SchemaAnnotation) bool { return s.Path.HasPrefix(ast.InputRootRef) }) {
		return
	}
	var anything any = map[string]any{}
	a.Schemas = append(a.Schemas, &ast.SchemaAnnotation{Path: ast.InputRootRef, Definition: &anything})
}

// missing finds what a whole copy of the pack has lost. A directory that only adds families has
// never had it.
func (t tree) missing(src Source, modules map[string]*ast.Module) []check.Finding {
	dispatcher := modules[path.Join(src.prefix(), "codemode/main.rego")]
	if dispatcher == nil {
		return nil
	}
	var findings []check.Finding
	for _, name := range []string{capabilitiesFile, inputSchemaFile, configSchemaFile} {
		if _, ok := t[name]; !ok {
			f := check.New(check.GuardMissing, nil, "the file is missing", "copy it again with `policy init`")
			f.File = path.Join(src.prefix(), name)
			findings = append(findings, f)
		}
	}
	if !slices.ContainsFunc(dispatcher.Annotations, func(a *ast.Annotations) bool { return len(a.Schemas) > 0 }) {
		findings = append(findings, check.New(check.GuardMissing, dispatcher.Package.Location, "METADATA names no schemas", "copy its first lines again from `policy init`"))
	}
	return findings
}

// loosens reports whether METADATA puts another schema where the host's own holds. The arguments
// of a call have none, so a schema for those is an addition.
func loosens(s *ast.SchemaAnnotation) bool {
	switch {
	case s.Path.HasPrefix(argsRef):
		return false
	case s.Path.HasPrefix(ast.InputRootRef):
		return len(s.Path) > 1 || !s.Schema.Equal(schemaRef(inputSchemaFile))
	case s.Path.HasPrefix(configPackage) || configPackage.HasPrefix(s.Path):
		return !s.Path.Equal(configPackage) || !s.Schema.Equal(schemaRef(configSchemaFile))
	}
	return false
}

func sameJSON(a, b any) bool {
	x, err1 := json.Marshal(a)
	y, err2 := json.Marshal(b)
	return err1 == nil && err2 == nil && bytes.Equal(x, y)
}
