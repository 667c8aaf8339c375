package docker

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/docker/docker/api/types"
	"github.com/docker/docker/api/types/system"
)

// userIDs are ids that sandboxes run as, one each: the user id and the group id of
// everything inside. The kernel counts and permits much by user id alone and on the
// whole host, such as signals and inotify, so no two live sandboxes share one.
type userIDs struct{ first, count int }

// The ids of each kind of engine.
var (
	// No other software gives these ids to users, containers, services or domains: they
	// lie above the ids that sssd and FreeIPA map domains to, and below 2^31.
	dockerIDs = userIDs{0x7d000000, 1 << 20}
	podmanIDs = userIDs{0x7d100000, 1 << 20}
	// A user namespace usually has 65,536 ids.
	mappedIDs = userIDs{20_000, 40_000}
)

// idsOf are the ids an engine is expected to have, by what it says about itself.
func idsOf(version types.Version, info system.Info) userIDs {
	switch {
	case isMapped(info):
		return mappedIDs
	case isPodman(version):
		return podmanIDs
	}
	return dockerIDs
}

// isMapped reports whether the engine's containers are in a user namespace.
func isMapped(info system.Info) bool {
	names := securityOf(info)
	return slices.Contains(names, "rootless") || slices.Contains(names, "userns")
}

// An idChoice is which ids an engine's containers can have. An engine that itself runs
// in a container with a user namespace has few, and does not say so.
type idChoice struct {
	mu   sync.Mutex
	ids  userIDs
	sure bool
}

func newIDChoice(version types.Version, info system.Info) *idChoice {
	ids := idsOf(version, info)
	return &idChoice{ids: ids, sure: ids == mappedIDs}
}

// try starts something under one of the ids. If those ids do not exist, it tries once
// more with the smaller range. A range that has worked is used from then on.
func (c *idChoice) try(start func(userIDs) error) error {
	c.mu.Lock()
	ids, sure := c.ids, c.sure
	c.mu.Unlock()
	err := start(ids)
	if err != nil && !sure && isUnmapped(err) {
		ids = mappedIDs
		err = start(ids)
	}
	if err == nil && !sure {
		c.mu.Lock()
		c.ids, c.sure = ids, true
		c.mu.Unlock()
	}
	return err
}

// aboutUser is what the texts of runc and crun name when a user or group id does not exist:
// what they were doing, or the system call.
var aboutUser = regexp.MustCompile(`user|group|[ug]ids?\b|chown`)

// isUnmapped reports whether a start may have failed because the user id does not exist.
// Both runtimes pass on the kernel's EINVAL, which may be about anything, so the user has to
// be named too.
func isUnmapped(err error) bool {
	text := strings.ToLower(err.Error())
	return strings.Contains(text, "invalid argument") && aboutUser.MatchString(text) || strings.Contains(text, "unmapped")
}
