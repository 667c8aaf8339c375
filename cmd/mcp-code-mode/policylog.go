package main

import (
	"errors"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcp-code-mode/mcp-code-mode/bridge/record"
)

// maxHeads bounds what is read of a file of heads.
const maxHeads = 16 << 20

func newPolicyLog(u *ui) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "log",
		Short: "Check that decision logs are whole",
		Example: `  mcp-code-mode policy log head decisions.jsonl > heads     # keep this elsewhere
  mcp-code-mode policy log verify --head heads decisions.jsonl*`,
		DisableFlagsInUseLine: true,
	}
	cmd.AddCommand(newPolicyLogVerify(u), newPolicyLogHead(u))
	needCommand(cmd)
	return cmd
}

func newPolicyLogVerify(u *ui) *cobra.Command {
	var heads, after string
	cmd := &cobra.Command{
		Use:   "verify [options] FILE...",
		Short: "Find lines of decision logs that were altered, left out or reordered",
		Example: `  mcp-code-mode policy log verify decisions.jsonl*
  mcp-code-mode policy log verify --head heads decisions.jsonl*
  mcp-code-mode policy log verify --after old-heads decisions.jsonl`,
		Long: `Every line holds the hash of the line that its process wrote before it. Give all
files of a log, in any order. Where the end was cut off only a head from elsewhere can
tell: --head takes what policy log head printed at some time. With --after the lines
before are in files that are not given, and these are their heads.

The exit code is 0 when nothing is wrong and 1 when something is.`,
		Args:                  someFiles,
		DisableFlagsInUseLine: true,
		RunE: func(_ *cobra.Command, files []string) error {
			v := &record.Verifier{}
			var err error
			if v.Heads, err = readHeads("head", heads); err != nil {
				return err
			}
			if v.After, err = readHeads("after", after); err != nil {
				return err
			}
			if err := addFiles(v, files); err != nil {
				return err
			}
			return reportVerified(u, v)
		},
	}
	textVar(cmd.Flags(), &heads, "head", "FILE", "what policy log head printed, which the files must still hold")
	textVar(cmd.Flags(), &after, "after", "FILE", "the heads of older files that are not given")
	return cmd
}

func reportVerified(u *ui, v *record.Verifier) error {
	findings, more := v.Findings()
	for _, f := range findings {
		if err := u.output(visible(f) + "\n"); err != nil {
			return err
		}
	}
	if more > 0 {
		u.notef("and %d more", more)
	}
	if n := v.Torn(); n > 0 {
		u.notef("%d lines are the beginnings of lines that could not be written; nothing is missing for them", n)
	}
	if len(findings) > 0 {
		return told(exitFailed)
	}
	u.notef("nothing is wrong; lines: %d, chains: %d", v.Lines()-v.Torn(), len(v.Tips()))
	if len(v.Heads) == 0 {
		u.hintf("whether the end was cut off can not be seen without --head")
	}
	return nil
}

func newPolicyLogHead(u *ui) *cobra.Command {
	var after string
	cmd := &cobra.Command{
		Use:     "head [options] FILE...",
		Short:   "Print the last line of every chain, to be kept where the log can not be changed from",
		Example: `  mcp-code-mode policy log head decisions.jsonl* > heads`,
		Long: `One line for each process that wrote: its chain, the number of its last line, and the
SHA-256 of that. Of files with which something is wrong no head is printed.`,
		Args:                  someFiles,
		DisableFlagsInUseLine: true,
		RunE: func(_ *cobra.Command, files []string) error {
			v := &record.Verifier{}
			var err error
			if v.After, err = readHeads("after", after); err != nil {
				return err
			}
			if err := addFiles(v, files); err != nil {
				return err
			}
			if findings, _ := v.Findings(); len(findings) > 0 {
				u.notef("something is wrong with these files: %s", findings[0])
				u.hintf("%s policy log verify says all of it", program)
				return told(exitFailed)
			}
			var b strings.Builder
			for _, h := range v.Tips() {
				b.WriteString(h.String() + "\n")
			}
			return u.output(b.String())
		},
	}
	textVar(cmd.Flags(), &after, "after", "FILE", "the heads of older files that are not given")
	return cmd
}

func someFiles(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return usagef(program+" policy log "+cmd.Name()+" decisions.jsonl", "%s needs the files of a decision log", cmd.CommandPath())
	}
	return nil
}

func addFiles(v *record.Verifier, files []string) error {
	for _, name := range files {
		if err := withFile(name, func(f io.Reader) error { return v.Add(name, f) }); err != nil {
			return err
		}
	}
	return nil
}

// withFile opens a file that is no directory and no pipe.
func withFile(name string, do func(io.Reader) error) error {
	info, err := os.Stat(name)
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("it is no file")
	}
	if err != nil {
		return usagef("", "reading %q: %w", name, cause(err))
	}
	f, err := os.Open(name)
	if err != nil {
		return usagef("", "reading %q: %w", name, cause(err))
	}
	defer f.Close()
	if err := do(f); err != nil {
		return usagef("", "reading %q: %w", name, cause(err))
	}
	return nil
}

func readHeads(option, name string) (heads []record.Head, err error) {
	if name == "" {
		return nil, nil
	}
	err = withFile(name, func(f io.Reader) error {
		data, err := io.ReadAll(io.LimitReader(f, maxHeads+1))
		if err == nil && len(data) > maxHeads {
			err = errors.New("it is too large for a file of heads")
		}
		for line := range strings.Lines(string(data)) {
			if line = strings.TrimSpace(line); line == "" || err != nil {
				continue
			}
			var h record.Head
			h, err = record.ParseHead(line)
			heads = append(heads, h)
		}
		if err == nil && len(heads) == 0 {
			err = errors.New("it holds no head")
		}
		return err
	})
	if err != nil {
		return nil, usagef("", "--%s: %w", option, err)
	}
	return heads, nil
}
