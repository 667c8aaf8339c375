//go:build linux

package docker

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/docker/docker/api/types"
	"github.com/docker/docker/api/types/system"
)

// fewOf is two user ids that no other test uses.
func fewOf(ids userIDs) userIDs { return userIDs{ids.first + rand.IntN(ids.count-1), 2} }

// Two drivers are to the engine what two processes are.
func TestEveryLiveSandboxIsAUserOfItsOwn(t *testing.T) {
	needEngine(t)
	one, other := newDriver(t, Options{}), newDriver(t, Options{})
	few := fewOf(one.ids.ids)
	one.ids.ids, other.ids.ids = few, few // so that chance does not make them differ
	a, b := start(t, one), start(t, other)
	if a.uid == b.uid {
		t.Errorf("both are user %d", a.uid)
	}
	_, err := one.Start(t.Context())
	wantError(t, err, "starting sandbox", "finding a free user id")
	b.Kill()
	b.Wait()
	c := start(t, one)
	if c.uid != b.uid {
		t.Errorf("user %d after the end of user %d", c.uid, b.uid)
	}
	for _, i := range []*instance{a, c} { // before either driver looks for what is left
		i.Kill()
		i.Wait()
	}
}

func TestUsersOfSandboxesAreSeenInside(t *testing.T) {
	needEngine(t)
	d := newDriver(t, Options{})
	o := &observed{Driver: d}
	o2, err := open(t, o).Exec(t.Context(), "import os\nprint(*os.getresuid(), *os.getresgid(), os.getgroups())", nil)
	want := fmt.Sprintf("%d %[1]d %[1]d %[1]d %[1]d %[1]d [%[1]d]\n", o.inst.uid)
	if err != nil || o2.Stdout != want && o2.Stdout != strings.Replace(want, fmt.Sprintf("[%d]", o.inst.uid), "[]", 1) {
		t.Errorf("got %+v, %v, want %s", o2, err, want)
	}
}

// What the kernel counts for each user, one sandbox cannot use up for another. Here it
// is how much pipes may hold; inotify is another such thing.
func TestASandboxCannotExhaustWhatBelongsToAnother(t *testing.T) {
	needEngine(t)
	d := newDriver(t, Options{})
	hog, other := open(t, d), open(t, d)
	const enlarge = `
import fcntl, os, time
kept = []
def enlarge():
    kept.append(os.pipe())
    try: return fcntl.fcntl(kept[-1][0], 1031, 1 << 20) == 1 << 20  # F_SETPIPE_SZ
    except OSError: return False
`
	o, err := hog.Exec(t.Context(), enlarge+`
left, right = os.pipe()
for _ in range(20):
    if os.fork() == 0:
        try:
            while enlarge(): pass
        except OSError: pass  # no more descriptors
        os.write(right, b'x')
        time.sleep(1000)
    os.read(left, 1)
print(enlarge())
`, nil)
	if err != nil || o.Stdout != "False\n" {
		t.Errorf("got %+v, %v, want no room left", o, err)
	}
	if o, err = other.Exec(t.Context(), enlarge+"print(enlarge())", nil); err != nil || o.Stdout != "True\n" {
		t.Errorf("got %+v, %v", o, err)
	}
}

func TestWhatIsAnothersByNowIsNotRemoved(t *testing.T) {
	needEngine(t)
	d := newDriver(t, Options{})
	i := start(t, d)
	before := claim{i.uid, "another token"}
	if !d.engine.removeClaimed(t.Context(), before) {
		t.Error("it is still held to be there")
	}
	if _, err := d.engine.ContainerInspect(t.Context(), i.id); err != nil {
		t.Errorf("the container of the other claim: %v", err)
	}
	if !d.engine.removeClaimed(t.Context(), i.claim) {
		t.Error("it was not removed")
	}
	if _, err := d.engine.ContainerInspect(t.Context(), i.id); err == nil {
		t.Error("it is still there")
	}
	if !d.engine.removeClaimed(t.Context(), i.claim) {
		t.Error("what is not there was not removed")
	}
}

// An engine in a container with a user namespace fails to start what has a user id
// that is not mapped. This runtime does so, in runc's words.
func TestEngineWithFewUserIDs(t *testing.T) {
	needEngine(t)
	runtime := filepath.Join(t.TempDir(), "few")
	script := `#!/bin/sh
for bundle; do
  if [ "$last" = --bundle ] && grep -q '"uid":2[0-9]\{9\}' "$bundle/config.json"; then
    for log; do [ "$previous" = --log ] && echo '{"level":"error","msg":"setup user: invalid argument"}' >>"$log"; previous=$log; done
    exit 1
  fi
  last=$bundle
done
exec runc "$@"
`
	if err := os.WriteFile(runtime, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	ownEngine(t, fmt.Sprintf(`{"runtimes": {"few": {"path": %q}}}`, runtime))
	d := newDriver(t, Options{Runtime: "few"})
	for range 2 {
		if i := start(t, d); i.uid < mappedIDs.first || i.uid >= mappedIDs.first+mappedIDs.count {
			t.Errorf("user %d", i.uid)
		}
	}
}

func TestIDsFollowWhatTheEngineSays(t *testing.T) {
	podman := types.Version{Components: []types.ComponentVersion{{Name: "Podman Engine"}}}
	for _, test := range []struct {
		version  types.Version
		security []string
		want     userIDs
	}{
		{types.Version{}, []string{"name=seccomp,profile=default"}, dockerIDs},
		{types.Version{}, []string{"name=seccomp,profile=default", "name=rootless"}, mappedIDs},
		{types.Version{}, []string{"name=userns"}, mappedIDs},
		{podman, []string{"name=seccomp,profile=default"}, podmanIDs},
		{podman, []string{"name=rootless"}, mappedIDs},
	} {
		if got := idsOf(test.version, system.Info{SecurityOptions: test.security}); got != test.want {
			t.Errorf("%+v: got %v", test, got)
		}
	}
}

func TestFewerIDsAreTriedOnlyForWantOfThem(t *testing.T) {
	unmapped := errors.New("OCI runtime create failed: setup user: invalid argument: unknown")
	for _, test := range []struct {
		what  string
		fails map[userIDs]error
		tried []userIDs
		kept  userIDs
	}{
		{"all is well", nil, []userIDs{dockerIDs}, dockerIDs},
		{"there are few", map[userIDs]error{dockerIDs: unmapped}, []userIDs{dockerIDs, mappedIDs}, mappedIDs},
		{"neither works", map[userIDs]error{dockerIDs: unmapped, mappedIDs: unmapped}, []userIDs{dockerIDs, mappedIDs}, dockerIDs},
		{"crun's text", map[userIDs]error{dockerIDs: errors.New("crun: setresuid: Invalid argument: OCI runtime error")}, []userIDs{dockerIDs, mappedIDs}, mappedIDs},
		{"another argument", map[userIDs]error{dockerIDs: errors.New("mount proc to rootfs: invalid argument")}, []userIDs{dockerIDs}, dockerIDs},
		{"something else", map[userIDs]error{dockerIDs: context.DeadlineExceeded}, []userIDs{dockerIDs}, dockerIDs},
	} {
		c := newIDChoice(types.Version{}, system.Info{})
		var tried []userIDs
		err := c.try(func(ids userIDs) error {
			tried = append(tried, ids)
			return test.fails[ids]
		})
		if fmt.Sprint(tried) != fmt.Sprint(test.tried) || c.ids != test.kept || (err == nil) != (test.fails[tried[len(tried)-1]] == nil) {
			t.Errorf("%s: tried %v, kept %v, %v", test.what, tried, c.ids, err)
		}
	}
}
