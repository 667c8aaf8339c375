//go:build linux && (amd64 || arm64)

package gvisor

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// A user is the user id and the group id of a sentry on the host. The kernel counts and
// permits much by user id alone, such as signals and inotify. So each sandbox that root
// starts has an id of its own. An ordinary user has only one id.
type user struct {
	uid, gid int
	claim    *net.UnixListener // holds the id; nil if it is not held
}

// rootIDs are for sandboxes that root starts. No other software gives these ids to users,
// containers, services or domains; package docker uses the ids before them.
var rootIDs = idRange{0x7d200000, 1 << 20}

// fewIDs are for root in a container with a user namespace, which usually has 65,536 ids.
var fewIDs = idRange{20_000, 40_000}

type idRange struct{ first, count int }

// maxClaims bounds how often another id is tried after one was taken.
const maxClaims = 100

// newUser finds an id that no live sandbox has, of this or another process. The id is
// reserved by the name of an abstract socket, see unix(7): the kernel gives a name to one
// process at a time and frees it when the process dies. If too few ids are mapped into
// this process's user namespace, nothing is reserved and the id is that of nobody.
func newUser() (*user, error) {
	if os.Geteuid() != 0 {
		return &user{uid: os.Geteuid(), gid: os.Getegid()}, nil
	}
	ids, ok := availableIDs()
	if !ok {
		return &user{uid: nobody, gid: nobody}, nil
	}
	for range maxClaims {
		id := ids.first + rand.IntN(ids.count)
		claim, err := net.ListenUnix("unix", &net.UnixAddr{Net: "unix", Name: fmt.Sprintf("@mcp-code-mode-user-%d", id)})
		if errors.Is(err, unix.EADDRINUSE) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("claiming user id %d: %w", id, err)
		}
		return &user{uid: id, gid: id, claim: claim}, nil
	}
	return nil, errors.New("claiming a user id: all that were tried are in use")
}

// OwnUsers reports whether each sandbox that this process starts is a user of its own on
// the host.
func OwnUsers() bool {
	_, ok := availableIDs()
	return ok && os.Geteuid() == 0
}

// release gives the id back. Nothing may run under it any more.
func (u *user) release() {
	if u.claim != nil {
		_ = u.claim.Close() // frees the name even with an error
	}
}

// availableIDs are the ids root's sandboxes may have in this user namespace.
func availableIDs() (idRange, bool) {
	uids, errU := os.ReadFile("/proc/self/uid_map")
	gids, errG := os.ReadFile("/proc/self/gid_map")
	if errU != nil || errG != nil {
		return idRange{}, false
	}
	for _, ids := range []idRange{rootIDs, fewIDs} {
		if ids.mappedBy(string(uids)) && ids.mappedBy(string(gids)) {
			return ids, true
		}
	}
	return idRange{}, false
}

// mappedBy reports whether a line of a map holds all of the range: user_namespaces(7).
func (r idRange) mappedBy(mapping string) bool {
	for line := range strings.Lines(mapping) {
		fields := strings.Fields(line) // first inside, first outside, how many
		if len(fields) != 3 {
			continue
		}
		first, errF := strconv.ParseUint(fields[0], 10, 32)
		count, errC := strconv.ParseUint(fields[2], 10, 32)
		if errF == nil && errC == nil && uint64(r.first) >= first && uint64(r.first+r.count) <= first+count {
			return true
		}
	}
	return false
}
