//go:build linux && (amd64 || arm64)

package gvisor

import (
	"os"
	"testing"
)

func TestEverySandboxOfRootIsAUserOfItsOwn(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("for root; an ordinary user's sandboxes are that user, see TestASentryIsConfined")
	}
	whole := rootIDs
	t.Cleanup(func() { rootIDs = whole })
	rootIDs.count = 2 // so that chance does not make them differ
	a, errA := newUser()
	b, errB := newUser()
	if errA != nil || errB != nil || a.uid == b.uid || a.uid != a.gid || b.uid != b.gid {
		t.Fatalf("got %+v, %v and %+v, %v", a, errA, b, errB)
	}
	if c, err := newUser(); err == nil {
		t.Errorf("a third user %+v of two", c)
	}
	b.release()
	c, err := newUser()
	if err != nil || c.uid != b.uid {
		t.Errorf("got %+v, %v, want the user given back, %d", c, err, b.uid)
	}
	a.release()
	c.release()

	d := newTestDriver(t, Options{})
	first, err := d.start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	second, err := d.start(t.Context())
	if err != nil || first.user.uid == second.user.uid {
		t.Errorf("users %d and %d, %v", first.user.uid, second.user.uid, err)
	}
	if _, err := d.Start(t.Context()); err == nil {
		t.Error("a third sandbox of two users")
	}
	first.Kill()
	first.Wait()
	third, err := d.start(t.Context())
	if err != nil || third.user.uid != first.user.uid {
		t.Errorf("got %+v, %v after the end of user %d", third, err, first.user.uid)
	}
}

func TestIDsMustBeMapped(t *testing.T) {
	for mapping, want := range map[string]idRange{
		"         0          0 4294967295\n":          rootIDs,
		"         0     100000      65536\n":          fewIDs,
		"         0       1000          1\n":          {},
		"0 1000 1\n1 100000 65536\n":                  fewIDs,
		"0 0 10\n2097152000 2097152000 100000000\n\n": rootIDs,
		"":         {},
		"nonsense": {},
	} {
		var got idRange
		for _, ids := range []idRange{rootIDs, fewIDs} {
			if got.count == 0 && ids.mappedBy(mapping) {
				got = ids
			}
		}
		if got != want {
			t.Errorf("%q: got %+v, want %+v", mapping, got, want)
		}
	}
}
