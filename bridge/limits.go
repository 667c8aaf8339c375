package bridge

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/mcp-code-mode/mcp-code-mode/bridge/upstream"
	"github.com/mcp-code-mode/mcp-code-mode/engine"
)

// The numbers the host enforces on every call, whatever the policy says.
const (
	// DefaultTimeout is how long an upstream may take to answer one call, and
	// MaxTimeout the most that CallLimits.Timeout may be.
	DefaultTimeout = 30 * time.Second
	MaxTimeout     = time.Hour
	// DefaultResult is the size of the largest result that is passed on, in bytes of
	// text or of content, and MaxResult the most that CallLimits.Result may be. A larger
	// result is refused, not cut.
	DefaultResult = 64 << 10
	MaxResult     = 64 << 20
	// MaxArguments is the most that Options.MaxArguments may be.
	MaxArguments = 1 << 20
	// MaxRefused is how many calls of one run may be refused. The next one is not
	// decided, but recorded: it ends the run.
	MaxRefused = 1000
	// MaxMessage is the length of a ToolError's message in characters, and MaxRefusal
	// that of the message of a refusal, which may list what is wrong with arguments.
	MaxMessage = 500
	MaxRefusal = engine.MaxMessage

	// leastShown is the size of arguments that a policy is shown even if it is to refuse
	// them, in bytes as they would be sent. Larger ones are refused whatever the policy
	// says, unless Options.MaxArguments allows them; schema and rules need not be
	// checked for them.
	leastShown = 64 << 10
)

// CallLimits bound the calls of a tool. A zero field means what is set for all tools of the
// server, then for all servers, and then the default.
type CallLimits struct {
	Result  int           // bytes of the largest result; default DefaultResult, at most MaxResult
	Timeout time.Duration // of a call; default DefaultTimeout, at most MaxTimeout
	// RestartOnProgress makes Timeout begin again whenever the server reports progress of
	// the call. The deadline of the run bounds it nevertheless.
	RestartOnProgress bool
}

// within fills in what l leaves open from the limits around it.
func (l CallLimits) within(outer CallLimits) CallLimits {
	return CallLimits{
		Result: cmp.Or(l.Result, outer.Result), Timeout: cmp.Or(l.Timeout, outer.Timeout),
		RestartOnProgress: l.RestartOnProgress || outer.RestartOnProgress,
	}
}

func (l CallLimits) withDefaults() CallLimits {
	return l.within(CallLimits{Result: DefaultResult, Timeout: DefaultTimeout})
}

// limits are those of one of the server's tools.
func (s Server) limits(tool string, all CallLimits) CallLimits {
	return s.ToolLimits[tool].within(s.Limits).within(all).withDefaults()
}

// maxAnswer is how many bytes of an answer are read, so that a result of the largest size
// allowed comes through: as text, and once more as structured content. In an answer
// the text is escaped, which doubles JSON at worst that is written without spaces. One that is
// too large for its tool is read up to there too, for its size and for its text.
func (s Server) maxAnswer(all CallLimits) int {
	most := s.limits("", all).Result
	for tool := range s.ToolLimits {
		most = max(most, s.limits(tool, all).Result)
	}
	const perResult = 3
	return max(upstream.DefaultAnswer, perResult*most+1<<20)
}

// check refuses impossible limits.
func (l CallLimits) check() (reason string) {
	switch {
	case l.Result < 0 || l.Result > MaxResult:
		return fmt.Sprintf("a result is at most %d MiB", MaxResult>>20)
	case l.Timeout < 0 || l.Timeout > MaxTimeout:
		return fmt.Sprintf("a timeout is at most %v", MaxTimeout)
	}
	return ""
}

// checkLimits refuses impossible limits, wherever they are given.
func (o Options) checkLimits() error {
	if o.MaxArguments < 0 || o.MaxArguments > MaxArguments {
		return &ConfigError{Key: "max-arguments", Reason: fmt.Sprintf("arguments are at most %d MiB", MaxArguments>>20)}
	}
	if reason := o.Limits.check(); reason != "" {
		return &ConfigError{Key: "limits", Reason: reason}
	}
	for _, s := range o.Servers {
		if reason := s.Limits.check(); reason != "" {
			return &ConfigError{Server: s.Name, Key: "limits", Reason: reason}
		}
		for tool, l := range s.ToolLimits {
			if reason := l.check(); reason != "" {
				return &ConfigError{Server: s.Name, Key: "limits", Reason: fmt.Sprintf("tool %q: %s", tool, reason)}
			}
		}
	}
	return nil
}

// timed returns a context for one call, which ends when the time of the call is over, with
// context.DeadlineExceeded as its cause. Each call of progress, unless it is nil, lets the time begin again.
func (l CallLimits) timed(ctx context.Context) (_ context.Context, progress func(), cancel context.CancelFunc) {
	if !l.RestartOnProgress {
		ctx, cancel := context.WithTimeout(ctx, l.Timeout)
		return ctx, nil, cancel
	}
	ctx, end := context.WithCancelCause(ctx)
	timer := time.AfterFunc(l.Timeout, func() { end(context.DeadlineExceeded) })
	return ctx, func() { timer.Reset(l.Timeout) }, func() { timer.Stop(); end(nil) }
}

// config is l as policies see it.
func (l CallLimits) config() engine.CallLimits {
	return engine.CallLimits{ResultBytes: l.Result, CallTimeoutMS: l.Timeout.Milliseconds(), TimeoutRestarts: l.RestartOnProgress}
}

// configLimits are the server's own limits as policies see them, nil if there are none.
func (s Server) configLimits() *engine.ServerLimits {
	if s.Limits == (CallLimits{}) && len(s.ToolLimits) == 0 {
		return nil
	}
	limits := engine.ServerLimits{CallLimits: s.Limits.config()}
	if len(s.ToolLimits) > 0 {
		limits.Tools = make(map[string]engine.CallLimits, len(s.ToolLimits))
	}
	for tool, l := range s.ToolLimits {
		limits.Tools[tool] = l.config()
	}
	return &limits
}
