package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/mcp-code-mode/mcp-code-mode/bridge"
	"github.com/mcp-code-mode/mcp-code-mode/bridge/server"
	"github.com/mcp-code-mode/mcp-code-mode/internal/hint"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox"
)

func newServe(u *ui) *cobra.Command {
	o := newOptions()
	n := -1 // of --warm; unless it is given, the load decides
	cmd := &cobra.Command{
		Use:   "serve [options] (--config FILE | -- COMMAND [ARG]...)",
		Short: "Serve run_python to an MCP client on stdin and stdout",
		Example: `  mcp-code-mode serve -- notes-server --ro
  mcp-code-mode serve --allow search --private search -- notes-server
  mcp-code-mode serve --config servers.json --decision-log decisions.jsonl`,
		Long: `Put the command into your MCP client's configuration: the client starts it and
speaks to it. A source is required: --config FILE for several servers, or the
command line of one server. Options of ours come before it; the -- may be left out.`,
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			command := serverOf(cmd, args)
			warnOfOptions(cmd, command, u.logger(o.logLevel))
			if o.config == "" && command == nil {
				return usagef("mcp-code-mode serve -- COMMAND, or mcp-code-mode serve --config FILE", "serve needs a server to wrap")
			}
			w := warm{n, n}
			if n < 0 {
				w = warm{defaultWarm(o.limits.Memory, totalMemory(), runtime.GOMAXPROCS(0)), loadedWarm}
			}
			o.ahead = min(runtime.GOMAXPROCS(0), maxAhead)
			return o.serve(cmd.Context(), u, command, w)
		},
	}
	takesServer(cmd)
	o.addSource(cmd)
	o.addStartup(cmd)
	o.addPolicy(cmd)
	o.addDescribe(cmd)
	o.addMaxCalls(cmd)
	o.addCallLimits(cmd)
	o.addMaxParallel(cmd)
	o.addDecisionLog(u, cmd)
	o.addSandbox(cmd)
	intVar(cmd.Flags(), &n, "warm", 0, maxWarm, "sandboxes kept started and waiting; 0 is none")
	cmd.Flags().Lookup("warm").DefValue = "by load, memory and cores"
	o.addLogLevel(cmd)
	return cmd
}

func (o *options) serve(ctx context.Context, u *ui, command []string, w warm) error {
	log := u.logger(o.logLevel)
	s, end, err := o.start(log, command, w, withHint(o.driver(u, log)))
	if err != nil {
		return err
	}
	defer end()
	if isTerminal(u.stdin) {
		u.notef("waiting for an MCP client on stdin; this is no interactive program")
		u.hintf("put this command line into your client's configuration, or try `%s run` for one program", program)
	}
	err = s.Serve(ctx, &server.Stdio{})
	if ctx.Err() != nil {
		return nil // told to end
	}
	return err
}

// withHint puts the next step into the error, since the server only logs it and
// lives on.
func withHint(driver makeDriver) makeDriver {
	return func(ctx context.Context) (sandbox.Driver, error) {
		d, err := driver(ctx)
		if next := hint.Of(err); next != "" {
			err = fmt.Errorf("%w; hint: %s", err, next)
		}
		return d, err
	}
}

// start makes the server that serve and run have in common, and the function
// that ends all of it. The servers to wrap and the sandbox start in the
// background.
func (o *options) start(log *slog.Logger, command []string, w warm, driver makeDriver) (*server.Server, func(), error) {
	opts, err := o.bridgeOptions(command, log)
	if err != nil {
		return nil, nil, err
	}
	if err := o.checkSandbox(); err != nil {
		return nil, nil, err
	}
	if opts.Record, err = o.log.open(log); err != nil {
		return nil, nil, err
	}
	opts.Version = version()
	endHangups := func() {}
	if o.log.toFile() {
		endHangups = reopenOnHangup(opts.Record, log)
	}
	s, err := server.New(server.Options{
		Bridge: o.bridge(opts), Driver: driver,
		Warm: w.least, MaxWarm: w.most, StartupTimeout: o.startup, Detail: bridge.Detail(o.describe), Version: version(), Logger: log,
	})
	if err != nil {
		return nil, nil, err
	}
	return s, func() {
		shut(s, log)
		endHangups()
		if opts.Record != nil {
			shut(opts.Record, log)
		}
	}, nil
}

// shut closes what has done its work. By now the answer is given, so what goes
// wrong is only said.
func shut(c io.Closer, log *slog.Logger) {
	if err := c.Close(); err != nil {
		log.Warn("not everything could be closed", "error", err)
	}
}

// warm is how many sandboxes are kept waiting: most while there is that much to do, and
// else least.
type warm struct{ least, most int }

// maxAhead is how many sentries of gVisor serve keeps started at most, one for each
// processor: as many sandboxes are started at once when a burst has taken the ready ones.
const maxAhead = 4

// loadedWarm is how many sandboxes serve keeps waiting at most unless --warm says.
const loadedWarm = 16

// defaultWarm is how many sandboxes serve keeps waiting when nothing is done: one for
// each core, at most four, and only as many as fit an eighth of the memory if each used
// all it may. Memory 0 is unknown, and then two.
func defaultWarm(each, memory int64, cores int) int {
	if memory == 0 {
		return min(2, cores)
	}
	return int(min(int64(cores), 4, memory/8/each))
}
