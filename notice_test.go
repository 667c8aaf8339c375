package mcpcodemode_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// built are the systems that programs are built for.
var built = [][2]string{{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "arm64"}, {"windows", "amd64"}}

// licenceSigns are sentences by which a licence text is known.
var licenceSigns = map[string]*regexp.Regexp{
	"Apache-2.0":   regexp.MustCompile(`Apache License,? Version 2\.0, January 2004`),
	"MIT":          regexp.MustCompile(`Permission is hereby granted, free of charge.* (above copyright|permission) notice`),
	"MIT-0":        regexp.MustCompile(`MIT No Attribution`),
	"BSD-2-Clause": regexp.MustCompile(`Redistribution and use in source and binary forms`),
	"BSD-3-Clause": regexp.MustCompile(`Redistribution and use in source and binary forms.*Neither (the )?name`),
	"MPL-2.0":      regexp.MustCompile(`Mozilla Public License Version 2\.0`),
	"GPL":          regexp.MustCompile(`GNU (AFFERO |LESSER )?GENERAL PUBLIC LICENSE`),
}

// linked maps each module that is linked into the program, on any system, to
// where its source lies.
func linked(t *testing.T) map[string]string {
	t.Helper()
	modules := map[string]string{}
	for _, system := range built {
		cmd := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}} {{.Dir}}{{end}}{{end}}", "./cmd/mcp-code-mode")
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system[0], "GOARCH="+system[1])
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("go list for %v: %v", system, err)
		}
		for line := range strings.Lines(string(out)) {
			if path, dir, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
				modules[path] = dir
			}
		}
	}
	return modules
}

// noticed maps each module that NOTICE lists to the licences it names.
func noticed(t *testing.T) map[string][]string {
	t.Helper()
	text, err := os.ReadFile("NOTICE")
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(string(text), "4. Go modules\n")
	list, _, _ = strings.Cut(list, "\n5. ")
	modules := map[string][]string{}
	for _, m := range regexp.MustCompile(`(?m)^  ([^ \n]+)\n      ([^;\n]+)`).FindAllStringSubmatch(list, -1) {
		modules[m[1]] = strings.Split(m[2], ", ")
	}
	return modules
}

func TestNoticeListsEveryModuleInTheProgram(t *testing.T) {
	listed, modules := noticed(t), linked(t)
	for path, dir := range modules {
		licences, ok := listed[path]
		if !ok {
			t.Errorf("%s is linked into the program, but NOTICE does not list it; its licence is in %s", path, dir)
			continue
		}
		for _, licence := range licencesOf(t, dir) {
			if !slices.Contains(licences, licence) {
				t.Errorf("NOTICE says that %s is under %v; its licence file says %s", path, licences, licence)
			}
		}
	}
	for path := range listed {
		if modules[path] == "" {
			t.Errorf("NOTICE lists %s, which is linked into no program", path)
		}
	}
}

// licencesOf reads the licence file at the top of a module.
func licencesOf(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var text string
	for _, e := range entries {
		if name := strings.ToLower(e.Name()); strings.HasPrefix(name, "licen") && !strings.HasSuffix(name, ".docs") {
			data, err := os.ReadFile(filepath.Join(dir, e.Name()))
			if err != nil {
				t.Fatal(err)
			}
			text += strings.Join(strings.Fields(string(data)), " ") + " "
		}
	}
	var found []string
	for name, sign := range licenceSigns {
		if sign.MatchString(text) {
			found = append(found, name)
		}
	}
	if len(found) == 0 {
		t.Errorf("%s: no licence file that is known", dir)
	}
	// The longer text of a family holds the shorter.
	if slices.Contains(found, "BSD-3-Clause") {
		found = slices.DeleteFunc(found, func(s string) bool { return s == "BSD-2-Clause" })
	}
	if slices.Contains(found, "MIT-0") {
		found = slices.DeleteFunc(found, func(s string) bool { return s == "MIT" })
	}
	return found
}

// TestNoticeNamesTheEmbeddedPython: the version in NOTICE is the one that go.mod
// asks for.
func TestNoticeNamesTheEmbeddedPython(t *testing.T) {
	mod, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	version := regexp.MustCompile(`kluctl/go-embed-python v0\.0\.0-([0-9.]+)-`).FindSubmatch(mod)
	if version == nil {
		t.Fatal("go.mod names no embedded Python")
	}
	notice, err := os.ReadFile("NOTICE")
	if err != nil {
		t.Fatal(err)
	}
	if want := "CPython " + string(version[1]); !strings.Contains(string(notice), want) {
		t.Errorf("NOTICE does not name %s: see whether the libraries inside it changed too", want)
	}
}
