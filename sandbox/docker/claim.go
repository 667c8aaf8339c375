package docker

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"maps"
	mathrand "math/rand/v2"
	"strconv"
	"strings"

	"github.com/containerd/errdefs"
)

// maxClaims bounds how often another id is tried after one was taken.
const maxClaims = 100

// labelClaim is on every container: which claim made it.
const labelClaim = "mcp-code-mode.claim"

// A claim reserves a user id for one container. The id is part of the container's name,
// and an engine gives a name to one container at a time. So no other container on this
// engine, of any process, has the id from creation until the container is removed. The
// token identifies the claim, because another container can have the name later.
type claim struct {
	uid   int
	token string
}

func (c *claim) name() string { return repository + "-" + strconv.Itoa(c.uid) }

// user is the id as user and group.
func (c *claim) user() string { return fmt.Sprintf("%d:%[1]d", c.uid) }

// label is the labels with the claim's own.
func (c *claim) label(labels map[string]string) map[string]string {
	all := maps.Clone(labels)
	all[labelClaim] = c.token
	return all
}

// claimFrom tries random ids until it finds one that is free, and makes a container under
// that id.
func (c *claim) claimFrom(ids userIDs, create func() error) (err error) {
	for range maxClaims {
		var random [8]byte
		_, _ = rand.Read(random[:]) // never fails
		*c = claim{ids.first + mathrand.IntN(ids.count), hex.EncodeToString(random[:])}
		if err = create(); !nameTaken(err) {
			return err
		}
	}
	return fmt.Errorf("finding a free user id: %w", err)
}

// nameTaken reports whether a container was not made because of its name. Podman has
// no status for that.
func nameTaken(err error) bool {
	return errdefs.IsConflict(err) || err != nil && strings.Contains(err.Error(), "name is already in use")
}

// removeClaimed removes the container of a claim, if it exists, and reports whether it is
// gone.
func (en *engine) removeClaimed(ctx context.Context, c claim) bool {
	found, err := en.ContainerInspect(ctx, c.name())
	switch {
	case errdefs.IsNotFound(err):
		return true
	case err != nil:
		return false
	case found.Config != nil && found.Config.Labels[labelClaim] != c.token:
		return true // the name now belongs to another claim
	}
	return en.remove(ctx, found.ID)
}
