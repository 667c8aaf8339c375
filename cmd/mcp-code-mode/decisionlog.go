package main

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcp-code-mode/mcp-code-mode/bridge/record"
)

// Bounds on options of the decision log.
const (
	minLogSize, maxLogSize     = 1 << 20, 1 << 40
	minLogAge, maxLogAge       = time.Minute, 366 * 24 * time.Hour
	minLogBuffer, maxLogBuffer = 4 << 20, 1 << 40
	maxToken                   = 64 << 10
	tokenVariable              = "MCP_CODE_MODE_DECISION_LOG_TOKEN"
	decisionLogToStderr        = "-"
	bufferBeside               = ".upload" // what the buffer is called beside the log's file
	readableByOthers           = 0o044
	decisionLogHint            = "give a file in a directory that exists and that you may write to"
)

// logOptions are the options of the decision log.
type logOptions struct {
	file       string
	maxSize    int64
	maxAge     time.Duration
	upload     string
	tokenFile  string
	buffer     string
	bufferSize int64
	stderr     io.Writer
}

func (o *options) addDecisionLog(u *ui, cmd *cobra.Command) {
	fs, l := cmd.Flags(), &o.log
	l.stderr, l.bufferSize = u, record.DefaultBuffer
	textVar(fs, &l.file, "decision-log", "FILE", "append every decision to this file, - for stderr; what can not be written is denied")
	bytesVar(fs, &l.maxSize, "decision-log-max-size", minLogSize, maxLogSize, "begin another file when this one would be larger")
	secondsVar(fs, &l.maxAge, "decision-log-max-age", minLogAge, maxLogAge, "begin another file when this one is older, such as 24h")
	textVar(fs, &l.upload, "decision-log-upload", "URL", "send every decision to a service that takes OPA's decision logs")
	textVar(fs, &l.tokenFile, "decision-log-token-file", "FILE", "the service's bearer token (or in "+tokenVariable+")")
	textVar(fs, &l.buffer, "decision-log-buffer", "DIR", "where decisions wait to be sent (default beside the file)")
	bytesVar(fs, &l.bufferSize, "decision-log-buffer-size", minLogBuffer, maxLogBuffer, "so much may wait; then every call is denied")
	for _, name := range []string{"decision-log-max-size", "decision-log-max-age"} {
		fs.Lookup(name).DefValue = "never"
	}
}

// open opens the decision log; nil without one. The log holds every argument, so one that was
// there before and that others can read is worth a warning.
func (o *logOptions) open(log *slog.Logger) (*record.Log, error) {
	opts := record.Options{MaxSize: o.maxSize, MaxAge: o.maxAge, Logger: log}
	toFile := o.toFile()
	switch {
	case o.file == "" && o.upload == "":
		return nil, o.alone("decision-log or --decision-log-upload", o.maxSize > 0 || o.maxAge > 0 || o.tokenFile != "" || o.buffer != "")
	case toFile:
		opts.Path = o.file
	case o.file == decisionLogToStderr:
		opts.Writer = o.stderr
	}
	if err := o.alone("decision-log FILE", !toFile && (o.maxSize > 0 || o.maxAge > 0)); err != nil {
		return nil, err
	}
	var err error
	if opts.Upload, err = o.uploads(toFile); err != nil {
		return nil, err
	}
	opened, err := record.Start(opts)
	if err != nil && opts.Upload != nil {
		return nil, usagef("", "--decision-log-upload: %w", err)
	} else if err != nil {
		return nil, usagef(decisionLogHint, "--decision-log %q: %w", o.file, cause(err))
	}
	if info, err := os.Stat(o.file); toFile && err == nil && info.Mode().IsRegular() && info.Mode()&readableByOthers != 0 && runtime.GOOS != "windows" {
		log.Warn("others can read the decision log, which holds the arguments of every call", "file", o.file,
			"mode", info.Mode().Perm(), "hint", "chmod 600 "+o.file)
	}
	return opened, nil
}

func (o *logOptions) toFile() bool { return o.file != "" && o.file != decisionLogToStderr }

// alone refuses options that do nothing without another one.
func (o *logOptions) alone(without string, given bool) error {
	if given {
		return usagef("", "an option of the decision log does nothing without --%s", without)
	}
	return nil
}

// uploads is the upload that the options want; nil without one.
func (o *logOptions) uploads(toFile bool) (*record.Upload, error) {
	if o.upload == "" {
		return nil, o.alone("decision-log-upload", o.tokenFile != "" || o.buffer != "")
	}
	dir := o.buffer
	switch {
	case dir == "" && !toFile:
		return nil, usagef("mcp-code-mode serve --decision-log-buffer DIR …", "--decision-log-upload needs a place where decisions wait: --decision-log FILE or --decision-log-buffer DIR")
	case dir == "":
		dir = o.file + bufferBeside
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	upload := &record.Upload{URL: o.upload, Dir: dir, MaxBuffer: o.bufferSize}
	switch token := os.Getenv(tokenVariable); {
	case o.tokenFile != "":
		upload.Token = func() (string, error) { return readToken(o.tokenFile) }
		_, err = upload.Token() // a mistake is said at the start
	case token != "":
		upload.Token = func() (string, error) { return checkToken(token) }
		_, err = upload.Token()
	}
	if err != nil {
		return nil, usagef("", "the token for --decision-log-upload: %w", err)
	}
	return upload, nil
}

// readToken reads a token from a file, which may be replaced when the token is renewed.
func readToken(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("reading %q: %w", path, cause(err))
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxToken+1))
	if err != nil {
		return "", fmt.Errorf("reading %q: %w", path, cause(err))
	}
	return checkToken(strings.TrimSpace(string(data)))
}

func checkToken(token string) (string, error) {
	unusable := func(r rune) bool { return r <= ' ' || r > '~' }
	if token == "" || len(token) > maxToken || strings.ContainsFunc(token, unusable) {
		return "", errors.New("want one word of printable ASCII")
	}
	return token, nil
}

// reopenOnHangup opens the file anew at SIGHUP, after somebody renamed it, until stop is called.
func reopenOnHangup(log *record.Log, warn *slog.Logger) (stop func()) {
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	go func() {
		for range hangups {
			if err := log.Reopen(); err != nil {
				warn.Error("the decision log goes on in the file it has", "error", err)
			}
		}
	}()
	return func() {
		signal.Stop(hangups)
		close(hangups)
	}
}
