package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/bundle"
	"github.com/open-policy-agent/opa/v1/loader/filter"
	"github.com/open-policy-agent/opa/v1/storage"
	"github.com/open-policy-agent/opa/v1/storage/inmem"
	"github.com/open-policy-agent/opa/v1/util"
)

// The entrypoints every policy must define.
const (
	decisionPath = "data.codemode.decision"
	visiblePath  = "data.codemode.visible"
)

// loadOptions are the differences between serving, checking and testing.
type loadOptions struct {
	config *Config // becomes data.codemode.config; nil leaves what the files say
	tests  bool    // keep _test.rego files
	print  bool    // keep print statements
}

// policy is a policy and its data, ready to be compiled.
type policy struct {
	compiler  *ast.Compiler
	store     storage.Store
	documents documents
	modules   map[string]*ast.Module
	revision  string
	warnings  []string
}

// load reads, compiles and checks a policy that is to be asked. Its errors are for the person
// who wrote the policy: every line names a file.
func load(ctx context.Context, src Source, opts loadOptions) (*policy, error) {
	p, err := parse(ctx, src, opts)
	if err != nil {
		return nil, describe(src.Name, err)
	}
	if err := p.compile(ctx); err != nil {
		return nil, describe(src.Name, err)
	}
	return p, nil
}

// parse does everything but compile.
func parse(ctx context.Context, src Source, opts loadOptions) (*policy, error) {
	files, err := src.read(ctx)
	if err != nil {
		return nil, err
	}
	caps, err := files.capabilities()
	if err != nil {
		return nil, err
	}
	b, err := files.bundle(src, caps, opts.tests)
	if err != nil {
		return nil, err
	}
	p := &policy{modules: map[string]*ast.Module{}}
	for _, m := range b.Modules {
		p.modules[m.Path] = m.Parsed
	}
	if len(p.modules) == 0 {
		return nil, errors.New("no .rego file in it")
	}
	if err := conventions(p.modules, b.Data); err != nil {
		return nil, err
	}
	config, err := p.mergeConfig(b.Data, opts.config)
	if err != nil {
		return nil, err
	}
	p.revision = files.hash(config)
	if b.Manifest.Revision != "" {
		p.revision = b.Manifest.Revision + "@" + p.revision
	}
	value, err := ast.InterfaceToValue(b.Data)
	if err != nil {
		return nil, err
	}
	p.documents = documents{value.(ast.Object)}
	p.store = inmem.NewFromObjectWithOpts(b.Data, inmem.OptReturnASTValuesOnRead(true), inmem.OptRoundTripOnWrite(false))
	schemas, err := files.schemas()
	if err != nil {
		return nil, err
	}
	p.compiler = ast.NewCompiler().
		WithCapabilities(caps).
		WithEnablePrintStatements(opts.print).
		WithUseTypeCheckAnnotations(schemas != nil)
	if schemas != nil {
		p.compiler.WithSchemas(schemas)
	}
	return p, nil
}

// compile compiles strictly and looks for the entrypoints.
func (p *policy) compile(ctx context.Context) error {
	txn, err := p.store.NewTransaction(ctx)
	if err != nil {
		return err
	}
	defer p.store.Abort(ctx, txn)
	p.compiler.WithStrict(true).WithPathConflictsCheck(storage.NonEmpty(ctx, p.store, txn))
	if p.compiler.Compile(p.modules); p.compiler.Failed() {
		return p.compiler.Errors
	}
	// To OPA a misspelt entrypoint is no error, just no result.
	for _, entrypoint := range []string{decisionPath, visiblePath} {
		if len(p.compiler.GetRulesExact(ast.MustParseRef(entrypoint))) == 0 {
			return fmt.Errorf("it does not define the entrypoint %s", entrypoint)
		}
	}
	return nil
}

// bundle hands the files to OPA's own bundle reader, which knows manifests, roots and where
// data belongs.
func (t tree) bundle(src Source, caps *ast.Capabilities, tests bool) (*bundle.Bundle, error) {
	l := &treeLoader{tree: t}
	for _, name := range t.names() {
		if strings.HasSuffix(name, ".rego") && (tests || !isTest(name)) || isData(name) || name == manifestFile {
			l.names = append(l.names, name)
		}
	}
	b, err := bundle.NewCustomReader(l).
		WithBaseDir(src.prefix()).
		WithCapabilities(caps).
		WithProcessAnnotations(true).
		WithRegoVersion(ast.RegoV1).
		WithSkipBundleVerification(true).
		WithSizeLimitBytes(maxPolicyFile + 1).
		Read()
	if err != nil {
		return nil, err
	}
	for _, m := range b.Modules {
		if m.Parsed.RegoVersionSpan().Min() == ast.RegoV0 {
			return nil, fmt.Errorf("%s: written in Rego v0; `opa fmt --rego-v1 -w` rewrites it", m.Path)
		}
	}
	if b.Data == nil {
		b.Data = map[string]any{}
	}
	return &b, nil
}

// prefix is what file names start with in errors.
func (s Source) prefix() string {
	if s.Bundle != "" {
		return ""
	}
	return s.Name
}

// mergeConfig puts the config where policies look for it. What the flags and the config file
// say wins over a document that the policy's own files bring: those serve `opa eval`.
func (p *policy) mergeConfig(data map[string]any, config *Config) ([]byte, error) {
	if config == nil {
		return nil, nil
	}
	text, err := json.Marshal(config.withDefaults())
	if err != nil {
		return nil, err
	}
	var doc any
	if err := util.UnmarshalJSON(text, &doc); err != nil {
		return nil, err
	}
	codemode, ok := data["codemode"].(map[string]any)
	if !ok {
		codemode = map[string]any{}
		data["codemode"] = codemode
	}
	if _, ok := codemode["config"]; ok {
		p.warnings = append(p.warnings, "the policy's own data.codemode.config is not used: the flags and the config file decide")
	}
	codemode["config"] = doc
	return text, nil
}

// schemas are the policy's own JSON Schemas, which the METADATA of its packages name. A
// bundle has none: OPA builds it without, and checks types before.
func (t tree) schemas() (*ast.SchemaSet, error) {
	var set *ast.SchemaSet
	for _, name := range t.names() {
		if !isSchema(name) {
			continue
		}
		var schema any
		if err := util.UnmarshalJSON(t[name], &schema); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		ref := ast.Ref{ast.SchemaRootDocument}
		for part := range strings.SplitSeq(strings.TrimSuffix(strings.TrimPrefix(name, schemaDir+"/"), ".json"), "/") {
			ref = append(ref, ast.StringTerm(part))
		}
		if set == nil {
			set = ast.NewSchemaSet()
		}
		set.Put(ref, schema)
	}
	return set, nil
}

// LoadError says why a policy does not load, one problem a line.
type LoadError struct {
	Policy   string   // the directory or bundle; may be empty
	Problems []string // each with file and line where there is one
}

func (e *LoadError) Error() string {
	what := "loading the policy"
	if e.Policy != "" {
		what = fmt.Sprintf("loading the policy %q", e.Policy)
	}
	if len(e.Problems) == 1 {
		return what + ": " + e.Problems[0]
	}
	return what + ":\n  " + strings.Join(e.Problems, "\n  ")
}

// describe flattens lists of errors, OPA's and ours.
func describe(name string, err error) error {
	e := &LoadError{Policy: name, Problems: flatten(err)}
	slices.Sort(e.Problems)
	return e
}

func flatten(err error) []string {
	var lines []string
	switch list := err.(type) { //nolint:errorlint // the lists are looked for in what load returns itself, unwrapped
	case ast.Errors:
		for _, one := range list {
			lines = append(lines, one.Error())
		}
	case interface{ Unwrap() []error }:
		for _, one := range list.Unwrap() {
			lines = append(lines, flatten(one)...)
		}
	default:
		lines = []string{err.Error()}
	}
	return lines
}

// treeLoader feeds a tree to OPA's bundle reader.
type treeLoader struct {
	tree  tree
	names []string
}

func (l *treeLoader) NextFile() (*bundle.Descriptor, error) {
	if len(l.names) == 0 {
		return nil, io.EOF
	}
	name := l.names[0]
	l.names = l.names[1:]
	return bundle.NewDescriptor(path.Clean(name), name, bytes.NewReader(l.tree[name])), nil
}

func (l *treeLoader) WithFilter(filter.LoaderFilter) bundle.DirectoryLoader   { return l }
func (l *treeLoader) WithPathFormat(bundle.PathFormat) bundle.DirectoryLoader { return l }
func (l *treeLoader) WithSizeLimitBytes(int64) bundle.DirectoryLoader         { return l }
func (l *treeLoader) WithFollowSymlinks(bool) bundle.DirectoryLoader          { return l }
