package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/bundle"
	"github.com/open-policy-agent/opa/v1/loader/filter"
	"github.com/open-policy-agent/opa/v1/storage"
	"github.com/open-policy-agent/opa/v1/storage/inmem"
	"github.com/open-policy-agent/opa/v1/util"

	"github.com/mcp-code-mode/mcp-code-mode/engine/check"
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
	known  *check.Known
}

// policy is a policy and its data, ready to be compiled.
type policy struct {
	compiler  *ast.Compiler
	caps      *ast.Capabilities
	schemas   *ast.SchemaSet
	print     bool
	store     storage.Store
	documents documents
	modules   map[string]*ast.Module // as written
	resolved  map[string]*ast.Module // as written, with the names resolved
	tests     map[string]*ast.Module // of files that are not loaded
	log       logPolicy
	families  []string // names
	cases     []caseFile
	revision  string
	findings  []check.Finding
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
	if opts.tests {
		return p, nil // what is served has been looked at
	}
	p.look(opts)
	if err := p.close(ctx); err != nil {
		return nil, describe(src.Name, err)
	}
	p.findings = append(p.findings, p.tryCases(ctx)...)
	if err := p.refused(src.Name); err != nil {
		return nil, err
	}
	return p, nil
}

// refused is the error that the policy's findings make, if one of them is an error.
func (p *policy) refused(name string) error {
	var errs []check.Finding
	for _, f := range p.findings {
		if f.Severity == check.Error {
			errs = append(errs, f)
		}
	}
	if len(errs) == 0 {
		return nil
	}
	return loadError(name, errs)
}

// parse does everything but compile.
func parse(ctx context.Context, src Source, opts loadOptions) (*policy, error) {
	files, unread, err := src.read(ctx)
	if err != nil {
		return nil, err
	}
	p := &policy{modules: map[string]*ast.Module{}, tests: map[string]*ast.Module{}, print: opts.print}
	p.findings = append(p.findings, unread...)
	p.findings = append(p.findings, files.repeatedKeys(src)...)
	if p.caps, err = files.capabilities(); err != nil {
		return nil, err
	}
	b, err := files.bundle(src, p.caps)
	if err != nil {
		return nil, err
	}
	for _, m := range b.Modules {
		if isTest(m.Path) && !opts.tests {
			p.tests[m.Path] = m.Parsed
			continue
		}
		p.modules[m.Path] = m.Parsed
	}
	if len(p.modules) == 0 {
		return nil, errors.New("no .rego file in it")
	}
	p.families = families(p.modules)
	if err := conventions(p.modules, b.Data); err != nil {
		return nil, err
	}
	p.takeLogModules()
	if p.cases, err = files.cases(src); err != nil {
		return nil, err
	}
	if err := p.takeData(b, files, opts.config); err != nil {
		return nil, err
	}
	if p.schemas, err = files.schemas(); err != nil {
		return nil, err
	}
	p.findings = append(p.findings, files.guards(src, p.modules)...)
	p.compiler = p.newCompiler()
	if opts.tests && len(p.log.modules) > 0 { // tests of all of it are compiled together
		maps.Copy(p.modules, p.log.modules)
		p.compiler = p.untyped()
	}
	return p, nil
}

// takeData takes the data of a policy and of its config, and names them by their digest.
func (p *policy) takeData(b *bundle.Bundle, files tree, given *Config) error {
	config, err := p.mergeConfig(b.Data, given)
	if err != nil {
		return err
	}
	p.revision = files.hash(config)
	if b.Manifest.Revision != "" {
		p.revision = b.Manifest.Revision + "@" + p.revision
	}
	value, err := ast.InterfaceToValue(b.Data)
	if err != nil {
		return err
	}
	p.documents = documents{value.(ast.Object)}
	p.store = inmem.NewFromObjectWithOpts(b.Data, inmem.OptReturnASTValuesOnRead(true), inmem.OptRoundTripOnWrite(false))
	return nil
}

// newCompiler is a compiler with everything that guards a policy: what a policy leaves out of its
// own files counts all the same.
func (p *policy) newCompiler() *ast.Compiler {
	return ast.NewCompiler().
		WithCapabilities(p.caps).
		WithEnablePrintStatements(p.print).
		WithUseTypeCheckAnnotations(true).
		WithSchemas(p.schemas)
}

// compile compiles strictly and looks for the entrypoints.
func (p *policy) compile(ctx context.Context) error {
	p.compiler.WithStageAfterID(ast.StageResolveRefs, ast.CompilerStageDefinition{
		Name: "CopyResolved", MetricName: "copy_resolved",
		Stage: func(c *ast.Compiler) *ast.Error {
			p.resolved = copies(c.Modules)
			return nil
		},
	})
	if err := p.compileModules(ctx, p.modules); err != nil {
		return err
	}
	// To OPA a misspelt entrypoint is no error, just no result.
	for _, entrypoint := range []string{decisionPath, visiblePath} {
		if len(p.compiler.GetRulesExact(ast.MustParseRef(entrypoint))) == 0 {
			return fmt.Errorf("it does not define the entrypoint %s", entrypoint)
		}
	}
	return p.compileLog(ctx)
}

func (p *policy) compileModules(ctx context.Context, modules map[string]*ast.Module) error {
	txn, err := p.store.NewTransaction(ctx)
	if err != nil {
		return err
	}
	defer p.store.Abort(ctx, txn)
	p.compiler.WithStrict(true).WithPathConflictsCheck(storage.NonEmpty(ctx, p.store, txn))
	others, err := otherInputs(modules)
	if err != nil {
		return err
	}
	maps.Copy(others, modules)
	if p.compiler.Compile(others); p.compiler.Failed() {
		return p.compiler.Errors
	}
	return nil
}

func copies(modules map[string]*ast.Module) map[string]*ast.Module {
	all := make(map[string]*ast.Module, len(modules))
	for file, m := range modules {
		all[file] = m.Copy()
	}
	return all
}

// bundle hands the files to OPA's own bundle reader, which knows manifests, roots and where
// data belongs.
func (t tree) bundle(src Source, caps *ast.Capabilities) (*bundle.Bundle, error) {
	l := &treeLoader{tree: t}
	for _, name := range t.names() {
		if strings.HasSuffix(name, ".rego") || isData(name) || name == manifestFile {
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
	if own, ok := data["codemode"].(map[string]any); ok && own["config"] != nil {
		p.findings = append(p.findings, check.New(check.ConfigInPolicy, nil,
			"the policy's own data.codemode.config is not used: the flags and the config file decide", ""))
	}
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
	codemode["config"] = doc
	return text, nil
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
	at := name
	if isData(name) { // the reader knows data by its name
		at = path.Join(path.Dir(name), "data"+path.Ext(name))
	}
	return bundle.NewDescriptor(name, at, bytes.NewReader(l.tree[name])), nil
}

func (l *treeLoader) WithFilter(filter.LoaderFilter) bundle.DirectoryLoader   { return l }
func (l *treeLoader) WithPathFormat(bundle.PathFormat) bundle.DirectoryLoader { return l }
func (l *treeLoader) WithSizeLimitBytes(int64) bundle.DirectoryLoader         { return l }
func (l *treeLoader) WithFollowSymlinks(bool) bundle.DirectoryLoader          { return l }
