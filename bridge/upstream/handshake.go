package upstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-code-mode/mcp-code-mode/internal/cut"
)

const (
	// stateless is the MCP version without a handshake, found by server/discover.
	stateless = "2026-07-28"
	// latest is what initialize offers.
	latest = "2025-11-25"
	// probeTime is how long a server may be silent on server/discover, which
	// servers older than it may be, before initialize is sent.
	probeTime = 2 * time.Second
)

// shake agrees on a protocol version with a new server: server/discover first, then
// initialize. With probe unset the first step is left out, for a server known not to
// answer it or not to survive it.
func (p *peer) shake(ctx context.Context, impl *mcp.Implementation, probe bool) (version string, err error) {
	info, err := json.Marshal(impl)
	if err != nil {
		return "", fmt.Errorf("encoding our name: %w", err)
	}
	meta := fmt.Appendf(nil, `"_meta":{%q:%q,%q:%s,%q:{}}`,
		mcp.MetaKeyProtocolVersion, stateless, mcp.MetaKeyClientInfo, info, mcp.MetaKeyClientCapabilities)
	var discovered <-chan incoming
	if probe {
		var m incoming
		if m, discovered = p.discover(ctx, params(meta)); isStateless(m) {
			p.meta = meta
			p.instructed(m.result)
			return stateless, nil
		}
	}
	version, err = p.initialize(ctx, info, latest)
	if err == nil {
		return version, nil
	}
	// A server that was only slow to start answers both requests, in any order; one of the
	// answers is not an error.
	if discovered != nil && p.late(ctx, discovered) {
		p.meta = meta
		return stateless, nil
	}
	return "", err
}

// late waits once more for the answer to server/discover, and reports whether the
// answer offers the stateless version.
func (p *peer) late(ctx context.Context, discovered <-chan incoming) bool {
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	select {
	case m := <-discovered:
		p.instructed(m.result)
		return isStateless(m) && !p.isDead()
	case <-p.dead:
	case <-ctx.Done():
	}
	return false
}

// discover asks which versions the server speaks. If no answer comes in time, a late
// one comes through the channel returned.
func (p *peer) discover(ctx context.Context, params json.RawMessage) (incoming, <-chan incoming) {
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	_, answer, err := p.begin(ctx, "server/discover", params)
	if err != nil {
		return incoming{err: err}, nil
	}
	select {
	case m := <-answer:
		return m, nil
	case <-p.dead:
		return incoming{err: p.err}, nil
	case <-ctx.Done():
		return incoming{err: ctx.Err()}, answer
	}
}

// isStateless reports whether an answer to server/discover offers the stateless
// version.
func isStateless(m incoming) bool {
	if m.err != nil {
		return false
	}
	v, err := fields(m.result, "supportedVersions")
	return err == nil && slices.Contains(texts(v[0]), stateless)
}

// texts returns the strings of a JSON array.
func texts(raw json.RawMessage) (all []string) {
	_ = elements(raw, func(val []byte) error {
		if s, ok := text(val); ok {
			all = append(all, s)
		}
		return nil
	})
	return all
}

var date = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}$`)

// initialize is the handshake of the versions with sessions. "If the client does
// not support the version in the server's response, it SHOULD disconnect": every
// version up to latest is supported, because listing and calling tools never changed.
func (p *peer) initialize(ctx context.Context, info []byte, offer string) (string, error) {
	raw, err := p.request(ctx, "initialize", fmt.Appendf(nil,
		`{"protocolVersion":%q,"capabilities":{},"clientInfo":%s}`, offer, info))
	var refusal *RPCError
	if errors.As(err, &refusal) && offer == latest {
		if older := newest(refusal.supported); older != "" {
			return p.initialize(ctx, info, older)
		}
	}
	if err != nil {
		return "", err
	}
	v, err := fields(raw, "protocolVersion")
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrBadAnswer, err)
	}
	version, _ := text(v[0])
	if !date.MatchString(version) || version > latest {
		return "", fmt.Errorf("it speaks MCP version %q, which is not supported", oneLine(string(v[0]), 40))
	}
	p.instructed(raw)
	return version, nil
}

// maxInstructions is how much of what a server says of itself is kept, in bytes.
const maxInstructions = 64 << 10

// instructed keeps what an answer of the handshake says of the server and its use.
// One that cannot be read says nothing.
func (p *peer) instructed(answer json.RawMessage) {
	if v, err := fields(answer, "instructions"); err == nil {
		words, _ := text(v[0])
		p.words = cut.Head(words, maxInstructions)
	}
}

// newest returns the newest of the versions that is older than latest, "" if none is.
func newest(versions []string) (found string) {
	for _, v := range versions {
		if date.MatchString(v) && v < latest && v > found {
			found = v
		}
	}
	return found
}
