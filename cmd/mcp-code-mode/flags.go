package main

import (
	"errors"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/docker/go-units"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mcp-code-mode/mcp-code-mode/bridge"
	"github.com/mcp-code-mode/mcp-code-mode/internal/nearest"
)

// Bounds on options. They catch slips, such as bytes where MiB were meant; what
// a machine can really give is for its sandbox driver to say.
const (
	minDeadline, maxDeadline = 100 * time.Millisecond, 24 * time.Hour
	minStartup, maxStartup   = 100 * time.Millisecond, time.Hour
	minMemory, maxMemory     = 64 << 20, 1 << 40 // bytes; Python itself needs some 40 MiB
	minPids, maxPids         = 4, 1 << 15
	minCPUs, maxCPUs         = 0.1, 1024
	maxCalls                 = 1_000_000
	minCall, maxCall         = 100 * time.Millisecond, bridge.MaxTimeout
	minBytes                 = 1 << 10 // of results, arguments and output
	maxOutput                = 256 << 10
	maxWarm                  = 64
)

// A value is an option whose text is checked when it is read.
type value[T any] struct {
	dst   *T
	kind  string // how help calls it
	parse func(string) (T, error)
	show  func(T) string
}

func (v *value[T]) String() string {
	if v.dst == nil {
		return ""
	}
	return v.show(*v.dst)
}
func (v *value[T]) Type() string { return v.kind }
func (v *value[T]) Set(s string) (err error) {
	x, err := v.parse(s)
	if err == nil {
		*v.dst = x
	}
	return err
}

// secondsVar is a duration given in seconds, plain or as "90s" or "1m30s".
func secondsVar(fs *pflag.FlagSet, dst *time.Duration, name string, lo, hi time.Duration, usage string) {
	parse := func(s string) (time.Duration, error) {
		d, err := time.ParseDuration(s)
		if n, nerr := strconv.ParseFloat(s, 64); nerr == nil && math.Abs(n) <= hi.Seconds() {
			d, err = time.Duration(n*float64(time.Second)), nil
		}
		if err != nil || d < lo || d > hi {
			return 0, fmt.Errorf("want seconds from %v to %v, such as 90 or 90s", lo.Seconds(), hi.Seconds())
		}
		return d, nil
	}
	show := func(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', -1, 64) }
	fs.Var(&value[time.Duration]{dst, "SECONDS", parse, show}, name, usage)
}

// bytesVar is a size with a binary unit.
func bytesVar[T int | int64](fs *pflag.FlagSet, dst *T, name string, lo, hi T, usage string) {
	show := func(n T) string {
		return units.CustomSize("%.4g%s", float64(n), 1024, []string{"B", "KiB", "MiB", "GiB", "TiB"})
	}
	parse := func(s string) (T, error) {
		bytes, err := units.RAMInBytes(s)
		n := T(bytes)
		if err != nil || int64(n) != bytes || n < lo || n > hi {
			return 0, fmt.Errorf("want a size from %s to %s, such as %s", show(lo), show(hi), show(*dst))
		}
		return n, nil
	}
	fs.Var(&value[T]{dst, "SIZE", parse, show}, name, usage)
}

func intVar(fs *pflag.FlagSet, dst *int, name string, lo, hi int, usage string) {
	parse := func(s string) (int, error) {
		n, err := strconv.Atoi(s)
		if err != nil || n < lo || n > hi {
			return 0, fmt.Errorf("want a whole number from %d to %d", lo, hi)
		}
		return n, nil
	}
	fs.Var(&value[int]{dst, "N", parse, strconv.Itoa}, name, usage)
}

func floatVar(fs *pflag.FlagSet, dst *float64, name string, lo, hi float64, usage string) {
	parse := func(s string) (float64, error) {
		n, err := strconv.ParseFloat(s, 64)
		if err != nil || !(n >= lo && n <= hi) { // written so that NaN is refused
			return 0, fmt.Errorf("want a number from %v to %v", lo, hi)
		}
		return n, nil
	}
	show := func(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }
	fs.Var(&value[float64]{dst, "N", parse, show}, name, usage)
}

// oneOfVar is one of a few words.
func oneOfVar(fs *pflag.FlagSet, dst *string, name string, words []string, usage string) {
	parse := func(s string) (string, error) {
		if !slices.Contains(words, s) {
			near := ""
			if w := nearest.Of(s, words); w != "" {
				near = fmt.Sprintf("; did you mean %s?", w)
			}
			return "", fmt.Errorf("want %s%s", strings.Join(words, ", "), near)
		}
		return s, nil
	}
	fs.Var(&value[string]{dst, strings.Join(words, "|"), parse, func(s string) string { return s }}, name, usage)
}

// textVar is any text but none: an empty value is a shell variable that was
// not set.
func textVar(fs *pflag.FlagSet, dst *string, name, kind, usage string) {
	parse := func(s string) (string, error) {
		if s == "" {
			return "", errors.New("want a value that is not empty")
		}
		return s, nil
	}
	fs.Var(&value[string]{dst, kind, parse, func(s string) string { return s }}, name, usage)
}

// letterVar is any text, for an option known by its letter only: -c, -i. pflag
// wants a name as well.
func letterVar(fs *pflag.FlagSet, dst *string, name, letter, kind, usage string) {
	parse := func(s string) (string, error) { return s, nil }
	fs.VarP(&value[string]{dst, kind, parse, func(s string) string { return s }}, name, letter, usage)
	_ = fs.SetAnnotation(name, letterOnly, nil) // fails only without such an option
}

const letterOnly = "letter only"

// spelling is how an option is written on a command line.
func spelling(f *pflag.Flag) string {
	if _, ok := f.Annotations[letterOnly]; ok {
		return "-" + f.Shorthand
	}
	return "--" + f.Name
}

// listVar is an option that can be repeated. Each value is one item, commas
// and all: tool names may hold them.
type listVar struct {
	dst  *[]string
	kind string
}

func (l *listVar) String() string { return "" }
func (l *listVar) Type() string   { return l.kind }
func (l *listVar) Set(s string) error {
	if s == "" {
		return errors.New("want a value that is not empty")
	}
	*l.dst = append(*l.dst, s)
	return nil
}

func logLevelVar(fs *pflag.FlagSet, dst *slog.Level) {
	words := []string{"debug", "info", "warn", "error"}
	parse := func(s string) (l slog.Level, err error) {
		if !slices.Contains(words, s) {
			return 0, fmt.Errorf("want %s", strings.Join(words, ", "))
		}
		return l, l.UnmarshalText([]byte(s))
	}
	show := func(l slog.Level) string { return strings.ToLower(l.String()) }
	fs.Var(&value[slog.Level]{dst, strings.Join(words, "|"), parse, show}, "log-level", "how much to say on stderr")
}

// explainFlag turns what pflag says about the command line into a usage error
// that names the option and the nearest one that exists.
func explainFlag(cmd *cobra.Command, err error) error {
	help := fmt.Sprintf("see %s --help", cmd.CommandPath())
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) {
		name := "--" + unknown.GetSpecifiedName()
		if short := unknown.GetSpecifiedShortnames(); short != "" {
			name = "-" + unknown.GetSpecifiedName()
		}
		var known []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, f.Name) })
		if near := nearest.Of(unknown.GetSpecifiedName(), known); near != "" {
			help = fmt.Sprintf("did you mean --%s? an option of the server goes after its command", near)
		}
		return usagef(help, "%s has no option %s", cmd.CommandPath(), name)
	}
	var noValue *pflag.ValueRequiredError
	if errors.As(err, &noValue) {
		return usagef(help, "%s needs a value: %[1]s %s", spelling(noValue.GetFlag()), noValue.GetFlag().Value.Type())
	}
	var invalid *pflag.InvalidValueError
	if errors.As(err, &invalid) {
		return usagef("", "%s %q: %v", spelling(invalid.GetFlag()), invalid.GetValue(), invalid.Unwrap())
	}
	return usagef(help, "%v", err)
}
