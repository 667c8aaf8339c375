package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

// playEngine answers what an engine says about itself.
func playEngine(t *testing.T, info string) {
	t.Helper()
	engine := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch {
		case strings.HasSuffix(r.URL.Path, "/version"):
			_, _ = io.WriteString(w, `{"Os": "linux", "Arch": "amd64", "Version": "1"}`)
		case strings.HasSuffix(r.URL.Path, "/info"):
			_, _ = io.WriteString(w, info)
		default:
			_, _ = io.WriteString(w, "{}")
		}
	}))
	t.Cleanup(engine.Close)
	t.Setenv("DOCKER_HOST", "tcp://"+engine.Listener.Addr().String())
}

func TestDoctorSaysWhatFiltersSystemCalls(t *testing.T) {
	for _, test := range []struct {
		what, info   string
		status, want string
		usable       bool
	}{
		{"a usual engine", `{"DefaultRuntime": "runc", "Runtimes": {"runc": {}}, "SecurityOptions": ["name=seccomp,profile=default"]}`,
			"ok", "every container gets the profile", true},
		{"one with gVisor beside", `{"DefaultRuntime": "runc", "Runtimes": {"runc": {}, "runsc": {}}, "SecurityOptions": ["name=seccomp"]}`,
			"ok", "with --runtime runsc gVisor answers", true},
		{"one with gVisor", `{"DefaultRuntime": "runsc", "Runtimes": {"runsc": {}}, "SecurityOptions": []}`,
			"ok", "runsc does not use profiles: gVisor answers", true},
		{"one without seccomp", `{"DefaultRuntime": "runc", "Runtimes": {"runc": {}}, "SecurityOptions": ["name=apparmor"]}`,
			"warn", "has no seccomp", false},
	} {
		playEngine(t, test.info)
		checks, usable := checkDocker(t.Context())
		last := checks[len(checks)-1]
		if last.Name != "seccomp" || last.Status != test.status || !strings.Contains(last.Detail, test.want) || usable != test.usable {
			t.Errorf("%s: usable %v, got %+v", test.what, usable, checks)
		}
		if !test.usable && !strings.Contains(last.Hint, "--allow-no-seccomp") {
			t.Errorf("%s: the hint is %q", test.what, last.Hint)
		}
	}
}

func TestDoctorSaysWhoSandboxesAre(t *testing.T) {
	for info, want := range map[string]string{
		`{"SecurityOptions": ["name=seccomp"]}`:                  "each sandbox is a user of its own, from 2097152000 to 2098200575",
		`{"SecurityOptions": ["name=seccomp", "name=rootless"]}`: "each sandbox is a user of its own, from 20000 to 59999 in the user namespace of the engine",
		`{"DefaultRuntime": "runsc", "Runtimes": {"runsc": {}}}`: "each sandbox is a user of its own, from 2097152000 to 2098200575 inside gVisor, which runs as one user on the host",
	} {
		playEngine(t, info)
		checks, _ := checkDocker(t.Context())
		if !slices.ContainsFunc(checks, func(c check) bool { return c.Name == "users" && c.Status == "ok" && c.Detail == want }) {
			t.Errorf("%s: got %+v", info, checks)
		}
	}
}

// An engine without a filter is taken only when that is allowed.
func TestAutoTakesNoEngineWithoutSeccomp(t *testing.T) {
	playEngine(t, `{"DefaultRuntime": "runc", "Runtimes": {"runc": {}}, "SecurityOptions": []}`)
	o := newOptions()
	name, why, err := o.chooseSandbox(t.Context())
	if name == "docker" || err == nil && !strings.Contains(why, "has no seccomp") || err != nil && !strings.Contains(err.Error(), "has no seccomp") {
		t.Errorf("takes %q, %q, %v", name, why, err)
	}
	o.allowNoSeccomp = true
	if name, _, err = o.chooseSandbox(t.Context()); name != "docker" {
		t.Errorf("takes %q, %v, although it is allowed", name, err)
	}
	o.sandbox, o.runtime = "gvisor", ""
	if err := o.checkSandbox(); err == nil || !strings.Contains(err.Error(), "--allow-no-seccomp") {
		t.Errorf("with --sandbox gvisor: error %v", err)
	}
}
