package engine

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mcp-code-mode/mcp-code-mode/policies"
)

func TestPoliciesThatDoNotLoadSayWhere(t *testing.T) {
	const ok = "package codemode\ndecision := {}\nvisible := true\n"
	for _, c := range []struct {
		name   string
		policy fs.FS
		want   []string
	}{
		{"nothing in it", files(), []string{"no .rego file in it"}},
		{"only tests", files("a_test.rego", "package a_test"), []string{"no .rego file in it"}},
		{"no entrypoints", files("a.rego", "package codemode\nallow := true"), []string{"does not define the entrypoint data.codemode.decision"}},
		{"one entrypoint", files("a.rego", "package codemode\ndecision := {}"), []string{"does not define the entrypoint data.codemode.visible"}},
		{"misspelt entrypoint", files("a.rego", "package codemode\nverdict := {}\nvisible := true"), []string{"data.codemode.decision"}},
		{"syntax", files("a.rego", ok, "b/c.rego", "package b\n\nx := ["), []string{"mine/b/c.rego:3: rego_parse_error"}},
		{"Rego v0", files("a.rego", "package codemode\ndecision = {}\nvisible { true }"), []string{"mine/a.rego:3: rego_parse_error", "`if` keyword is required"}},
		{"Rego v0 by manifest", files(".manifest", `{"rego_version": 0}`, "a.rego", "package codemode\ndecision = {}\nvisible = true"), []string{"a.rego: written in Rego v0"}},
		{"two errors", files("a.rego", ok+"x := nada(1)\nz := nope(1)"), []string{"loading the policy \"mine\":\n  mine/a.rego:4: rego_type_error: undefined function nada\n  mine/a.rego:5: rego_type_error: undefined function nope"}},
		{"strict", files("a.rego", ok+"f(x) if { y := 1 }"), []string{"mine/a.rego:4: rego_compile_error: assigned var y unused"}},
		{"http.send", files("a.rego", ok+`x := http.send({"method": "get", "url": "http://localhost"})`), []string{"mine/a.rego:4: rego_type_error: undefined function http.send"}},
		{"opa.runtime", files("a.rego", ok+`x := opa.runtime().env`), []string{"undefined function opa.runtime"}},
		{"the clock", files("a.rego", ok+`x := time.now_ns()`), []string{"undefined function time.now_ns"}},
		{"two packages meet", files("a.rego", ok, "b.rego", "package codemode.decision\nx := 1"), []string{"conflicts with"}},
		{"data meets a rule", files("a.rego", ok, "codemode/data.json", `{"visible": true}`), []string{"conflicting rule for data path codemode/visible"}},
		{"data that is no JSON", files("a.rego", ok, "x/data.json", `{`), []string{"x/data.json"}},
		{"data twice", files("a.rego", ok, "x/data.json", `{"a": 1}`, "x/data.yaml", `a: 2`), []string{"x/data.yaml"}},
		{"a root that is left", files(".manifest", `{"roots": ["other"]}`, "a.rego", ok), []string{"manifest roots [other] do not permit"}},
		{"rules for the config", files("a.rego", ok, "b.rego", "package codemode.config\nlimits := {}"), []string{"mine/b.rego:2", "data.codemode.config comes from the flags"}},
		{"a rule named config", files("a.rego", ok+`config := {"limits": {"calls_per_run": 1000000}}`), []string{"mine/a.rego:4", "data.codemode.config comes from the flags"}},
		{"a rule below config", files("a.rego", ok+`config.limits.calls_per_run := 1000000`), []string{"mine/a.rego:4", "data.codemode.config comes from the flags"}},
		{"a family from outside", files("a.rego", ok+`rules.mine.grant := true`), []string{"mine/a.rego:4: a family's rules are in a package of its own"}},
		{"a misspelt deny", files("a.rego", ok, "b.rego", "package codemode.rules.mine\n\ndenny contains {} if true"), []string{`mine/b.rego:3: rule "denny": a family says deny, grant, labels_add, visible; start the name with _ if it is your own`}},
		{"a deny that is no set", files("a.rego", ok, "b.rego", "package codemode.rules.mine\n\ndeny if true"), []string{"mine/b.rego:3: rule \"deny\": write it as `deny contains … if …`"}},
		{"a deny that is an object", files("a.rego", ok, "b.rego", "package codemode.rules.mine\n\ndeny[\"x\"] := 1 if true"), []string{"write it as `deny contains … if …`"}},
		{"a deny below deny", files("a.rego", ok, "b.rego", "package codemode.rules.mine\n\ndeny.x contains 1"), []string{"write it as `deny contains … if …`"}},
		{"a grant that is a set", files("a.rego", ok, "b.rego", "package codemode.rules.mine\n\ngrant contains true"), []string{"write it as `grant if …`"}},
		{"a grant that is a function", files("a.rego", ok, "b.rego", "package codemode.rules.mine\n\ngrant(x) if x"), []string{"write it as `grant if …`"}},
		{"a family too deep", files("a.rego", ok, "b.rego", "package codemode.rules.team.mine\n\ndeny contains 1"), []string{"mine/b.rego:1", "one level below codemode.rules"}},
		{"a family that is misspelt", files("a.rego", ok, "b.rego", "package codemode.rule.freeze\n\ndeny contains 1"), []string{`mine/b.rego:3: rule "deny": nothing asks it in package codemode.rule.freeze`}},
		{"a family beside codemode", files("a.rego", ok, "b.rego", "package rules.freeze\n\nlabels_add contains 1"), []string{`mine/b.rego:3: rule "labels_add": nothing asks it in package rules.freeze`}},
		{"a grant beside the dispatcher", files("a.rego", ok+"grant if true"), []string{`mine/a.rego:4: rule "grant": nothing asks it in package codemode`}},
		{"a family's visible elsewhere", files("a.rego", ok, "b.rego", "package mine\n\nvisible if true"), []string{`mine/b.rego:3: rule "visible": nothing asks it in package mine`}},
		{"a family too high", files("a.rego", ok, "b.rego", "package codemode.rules\n\ndeny contains 1"), []string{"one level below codemode.rules"}},
		{"data that grants", files("a.rego", ok, "codemode/rules/mine/data.json", `{"grant": true}`), []string{"data.codemode.rules.mine.grant: data can not say grant"}},
		{"a family that is data", files("a.rego", ok, "codemode/rules/data.json", `{"mine": 5}`), []string{"data.codemode.rules.mine"}},
		{"a schema that is none", files("a.rego", ok, "schemas/input.json", `{`), []string{"schemas/input.json"}},
		{"a field the schema has not", packWith(t, "codemode/rules/mine/mine.rego", "package codemode.rules.mine\n\ngrant if input.tool.nmae == \"x\""), []string{"mine/codemode/rules/mine/mine.rego:3: rego_type_error: undefined ref: input.tool.nmae"}},
		{"a limit the config has not", packWith(t, "codemode/rules/mine/mine.rego", "package codemode.rules.mine\n\ngrant if data.codemode.config.limits.calls > 1"), []string{"undefined ref: data.codemode.config.limits.calls"}},
		{"capabilities that are none", files("a.rego", ok, "capabilities.json", `[`), []string{"capabilities.json"}},
		{"capabilities for any host", files("a.rego", ok, "capabilities.json", `{"builtins": []}`), []string{`capabilities.json must say "allow_net": []`}},
		{"capabilities for a host", files("a.rego", ok, "capabilities.json", `{"allow_net": ["a.test"]}`), []string{`"allow_net": []`}},
		{"capabilities with null", files("a.rego", ok, "capabilities.json", `{"builtins": [null], "allow_net": []}`), []string{`allows the builtin "null"`}},
		{"capabilities with http.send", files("a.rego", ok, "capabilities.json", `{"builtins": [{"name": "http.send"}], "allow_net": []}`), []string{`allows the builtin "http.send"`}},
		{"capabilities that redefine", files("a.rego", ok, "capabilities.json", `{"builtins": [{"name": "plus", "decl": {"type": "function"}}], "allow_net": []}`), []string{`allows the builtin "plus"`}},
		{"capabilities with a feature", files("a.rego", ok, "capabilities.json", `{"features": ["rego_v9"], "allow_net": []}`), []string{`unknown feature "rego_v9"`}},
		{"capabilities with a keyword", files("a.rego", ok, "capabilities.json", `{"future_keywords": ["soon"], "allow_net": []}`), []string{`unknown keyword "soon"`}},
		{"capabilities narrower than the rules", files("a.rego", ok+`x := upper("a")`, "capabilities.json", `{"features": ["rego_v1"], "allow_net": []}`), []string{"undefined function upper"}},
		{"a file too large", files("a.rego", ok, "x/data.json", strings.Repeat(" ", maxPolicyFile+1)), []string{`"x/data.json" is larger than`}},
	} {
		_, err := New(t.Context(), Options{Policy: c.policy, Name: "mine"})
		var load *LoadError
		if !errors.As(err, &load) {
			t.Errorf("%s: got %v, want a LoadError", c.name, err)
			continue
		}
		for _, want := range c.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s:\n got %v\nwant …%s…", c.name, err, want)
			}
		}
	}
}

func TestNeitherOrBothSourcesIsAnError(t *testing.T) {
	for _, opts := range []Options{{}, {Policy: policies.FS, Bundle: "x.tar.gz"}} {
		if _, err := New(t.Context(), opts); err == nil {
			t.Errorf("%v loads", opts)
		}
	}
}

// A directory in which a rule would be overlooked does not load.
func TestDirectoriesLoseNoRules(t *testing.T) {
	const family = "package codemode.rules.freeze\n\ndeny contains {\"code\": \"frozen\", \"message\": \"no\"} if true\n"
	for _, c := range []struct {
		name, want string // no want: loads, and the family denies
		lay        func(t *testing.T, elsewhere, rules string)
	}{
		{"a family of links to files", "", func(t *testing.T, _, rules string) {
			mkdir(t, rules+"/freeze")
			mkdir(t, rules+"/../../shared")
			write(t, rules+"/../../shared/freeze.txt", family)
			link(t, "../../../shared/freeze.txt", rules+"/freeze/freeze.rego")
		}},
		{"a link to a file elsewhere", "is a link to a file outside of the policy", func(t *testing.T, elsewhere, rules string) {
			mkdir(t, rules+"/freeze")
			link(t, elsewhere+"/freeze.rego", rules+"/freeze/freeze.rego")
		}},
		{"a link out by steps", "is a link to a file outside of the policy", func(t *testing.T, _, rules string) {
			mkdir(t, rules+"/freeze")
			write(t, rules+"/../../../freeze.rego", family)
			link(t, "../../../../freeze.rego", rules+"/freeze/freeze.rego")
		}},
		{"a link to itself", "codemode/rules/freeze.rego", func(t *testing.T, _, rules string) {
			link(t, "freeze.rego", rules+"/freeze.rego")
		}},
		{"a Kubernetes volume", "", func(t *testing.T, elsewhere, rules string) {
			mkdir(t, rules+"/freeze/..2026")
			write(t, rules+"/freeze/..2026/freeze.rego", family)
			link(t, "..2026", rules+"/freeze/..data")
			link(t, "..data/freeze.rego", rules+"/freeze/freeze.rego")
			link(t, "/etc/hostname", rules+"/freeze/notes") // has no part to play
		}},
		{"a family that is a link", `"codemode/rules/freeze" is a link to a directory`, func(t *testing.T, elsewhere, rules string) {
			link(t, elsewhere, rules+"/freeze")
		}},
		{"a link to nothing", "codemode/rules/freeze", func(t *testing.T, elsewhere, rules string) {
			link(t, elsewhere+"/none", rules+"/freeze")
		}},
		{"a rule that is a device", `"codemode/rules/freeze.rego" is a link to a file outside`, func(t *testing.T, elsewhere, rules string) {
			link(t, os.DevNull, rules+"/freeze.rego")
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir, elsewhere := filepath.Join(t.TempDir(), "policy"), t.TempDir()
			if err := os.CopyFS(dir, policies.FS); err != nil {
				t.Fatal(err)
			}
			write(t, elsewhere+"/freeze.rego", family)
			c.lay(t, elsewhere, dir+"/codemode/rules")
			e, err := New(t.Context(), Options{Policy: os.DirFS(dir), Name: "mine", Config: packConfig()})
			if c.want != "" {
				var load *LoadError
				if !errors.As(err, &load) || !strings.Contains(err.Error(), c.want) {
					t.Errorf("got %v, want %q", err, c.want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if d := e.Decide(t.Context(), packRequest()); !slices.Equal(codes(d), []string{"frozen"}) {
				t.Errorf("%+v", d)
			}
		})
	}
}

func mkdir(t *testing.T, name string) {
	t.Helper()
	if err := os.MkdirAll(name, 0o700); err != nil {
		t.Fatal(err)
	}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func link(t *testing.T, target, name string) {
	t.Helper()
	if err := os.Symlink(target, name); err != nil {
		t.Fatal(err)
	}
}

// archive makes a .tar.gz of headers and contents.
func archive(t *testing.T, entries ...tar.Header) string {
	t.Helper()
	var buf bytes.Buffer
	zw := gzip.NewWriter(&buf)
	tw := tar.NewWriter(zw)
	for _, h := range entries {
		body := h.Linkname
		h.Size, h.Mode = int64(len(body)), 0o600
		if h.Typeflag != tar.TypeSymlink && h.Typeflag != tar.TypeLink {
			h.Linkname = ""
		} else {
			h.Size = 0
		}
		if err := tw.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		if h.Size > 0 {
			if _, err := tw.Write([]byte(body)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := errors.Join(tw.Close(), zw.Close()); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "bundle.tar.gz")
	if err := os.WriteFile(name, buf.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestBundlesAreBoundedAndLoseNoRules(t *testing.T) {
	const ok = "package codemode\ndecision := {\"allow\": true, \"denials\": [], \"effects\": {\"labels_add\": []}}\nvisible := true\n"
	file := func(name, body string) tar.Header {
		return tar.Header{Typeflag: tar.TypeReg, Name: name, Linkname: body}
	}
	good := archive(t, file("/policies/a.rego", ok), file("../../x/data.json", `{"a": 1}`), tar.Header{Typeflag: tar.TypeSymlink, Name: "..data", Linkname: "/policies"}, tar.Header{Typeflag: tar.TypeFifo, Name: "notes"})
	e, err := New(t.Context(), Options{Bundle: good})
	if err != nil {
		t.Fatal(err)
	}
	if d := e.Decide(t.Context(), packRequest()); !d.Allow {
		t.Errorf("%+v", d)
	}
	tooMany := make([]tar.Header, maxPolicyFiles+1)
	for i := range tooMany {
		tooMany[i] = file(fmt.Sprintf("%d.rego", i), "package x")
	}
	bomb := make([]tar.Header, 2*maxPolicyBytes/maxPolicyFile+1)
	for i := range bomb {
		bomb[i] = file(fmt.Sprintf("%d.txt", i), strings.Repeat(" ", maxPolicyFile))
	}
	large := make([]tar.Header, maxPolicyBytes/maxPolicyFile+1)
	for i := range large {
		large[i] = file(fmt.Sprintf("%d/data.json", i), strings.Repeat(" ", maxPolicyFile))
	}
	notGzip := filepath.Join(t.TempDir(), "x.tar.gz")
	if err := os.WriteFile(notGzip, []byte("hello"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ bundle, want string }{
		{notGzip, "reading it as .tar.gz"},
		{filepath.Join(t.TempDir(), "none.tar.gz"), "no such file"},
		{archive(t, file("a.rego", ok), file("./a.rego", ok)), `"a.rego" is in it twice`},
		{archive(t, file("a.rego", strings.Repeat(" ", maxPolicyFile+1))), "larger than"},
		{archive(t, tooMany...), "more than 4096 files"},
		{archive(t, large...), "all files together are larger than"},
		{archive(t, bomb...), "reading it as .tar.gz"},
		{archive(t, file("a.rego", ok), tar.Header{Typeflag: tar.TypeSymlink, Name: "b.rego", Linkname: "a.rego"}), `"b.rego" is a link`},
		{archive(t, file("a.rego", ok), tar.Header{Typeflag: tar.TypeLink, Name: "x/data.json", Linkname: "a.rego"}), `"x/data.json" is a link`},
		{archive(t, file("a.rego", ok), tar.Header{Typeflag: tar.TypeSymlink, Name: "codemode/rules/freeze", Linkname: "/tmp"}), `"codemode/rules/freeze" is a link`},
		{archive(t, file("a.rego", ok), tar.Header{Typeflag: tar.TypeFifo, Name: "b.rego"}), `"b.rego" is not a file`},
	} {
		var load *LoadError
		if _, err := New(t.Context(), Options{Bundle: c.bundle}); !errors.As(err, &load) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %q", err, c.want)
		}
	}
}

func TestOpenTellsDirectoriesFromBundles(t *testing.T) {
	dir := t.TempDir()
	bundle := filepath.Join(dir, "b.tar.gz")
	if err := os.WriteFile(bundle, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if s, err := Open(dir); err != nil || s.FS == nil || s.Bundle != "" || s.Name != dir {
		t.Errorf("%+v %v", s, err)
	}
	if s, err := Open(bundle); err != nil || s.FS != nil || s.Bundle != bundle {
		t.Errorf("%+v %v", s, err)
	}
	for _, name := range []string{filepath.Join(dir, "none"), os.DevNull} {
		if _, err := Open(name); err == nil {
			t.Errorf("%s opens", name)
		}
	}
}
