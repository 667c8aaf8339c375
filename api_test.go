package mcpcodemode_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// public parses the packages that a Go program of others can import, tests
// included, by their directory.
func public(t *testing.T) (map[string][]*ast.File, *token.FileSet) {
	t.Helper()
	packages, positions := map[string][]*ast.File{}, token.NewFileSet()
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != "." && (strings.HasPrefix(d.Name(), ".") || slices.Contains([]string{"internal", "testdata", "cmd"}, d.Name())):
			return filepath.SkipDir
		case !strings.HasSuffix(path, ".go") || filepath.Dir(path) == ".":
			return nil
		}
		file, err := parser.ParseFile(positions, path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err == nil && file.Name.Name != "main" {
			packages[filepath.Dir(path)] = append(packages[filepath.Dir(path)], file)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return packages, positions
}

func TestEveryExportedNameIsDescribed(t *testing.T) {
	packages, positions := public(t)
	for _, files := range packages {
		for _, file := range files {
			if strings.HasSuffix(positions.Position(file.Pos()).Filename, "_test.go") {
				continue
			}
			for _, name := range undescribed(file) {
				t.Errorf("%s: nothing says what %s is", positions.Position(name.Pos()), name.Name)
			}
		}
	}
}

func TestEveryPackageHasAnExample(t *testing.T) {
	packages, _ := public(t)
	for dir, files := range packages {
		if !slices.ContainsFunc(files, func(file *ast.File) bool {
			return slices.ContainsFunc(file.Decls, func(d ast.Decl) bool {
				f, is := d.(*ast.FuncDecl)
				return is && strings.HasPrefix(f.Name.Name, "Example")
			})
		}) {
			t.Errorf("package %s has no example", dir)
		}
	}
}

// undescribed returns the exported names of a file, fields included, that have no
// comment.
func undescribed(file *ast.File) (names []*ast.Ident) {
	check := func(name *ast.Ident, comments ...*ast.CommentGroup) {
		if name.IsExported() && !slices.ContainsFunc(comments, func(c *ast.CommentGroup) bool { return c != nil }) {
			names = append(names, name)
		}
	}
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			// What these three do is known.
			if (d.Recv == nil || receiver(d).IsExported()) && !slices.Contains([]string{"Error", "Unwrap", "String"}, d.Name.Name) {
				check(d.Name, d.Doc)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.ValueSpec:
					for _, name := range spec.Names {
						check(name, d.Doc, spec.Doc, spec.Comment)
					}
				case *ast.TypeSpec:
					check(spec.Name, d.Doc, spec.Doc)
					if s, is := spec.Type.(*ast.StructType); is && spec.Name.IsExported() {
						for _, field := range s.Fields.List {
							for _, name := range field.Names {
								check(name, field.Doc, field.Comment)
							}
						}
					}
				}
			}
		}
	}
	return names
}

// receiver is the type that a method belongs to.
func receiver(f *ast.FuncDecl) *ast.Ident {
	switch t := f.Recv.List[0].Type.(type) {
	case *ast.StarExpr:
		if name, is := t.X.(*ast.Ident); is {
			return name
		}
	case *ast.Ident:
		return t
	}
	return ast.NewIdent("_") // of a generic type; there are none
}
