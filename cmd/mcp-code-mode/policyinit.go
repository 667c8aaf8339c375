package main

import (
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/mcp-code-mode/mcp-code-mode/internal/ourdir"
	"github.com/mcp-code-mode/mcp-code-mode/policies"
)

// policyReadme is what lies beside the policies that policy init writes.
//
//go:embed policyinit.md
var policyReadme []byte

func newPolicyInit(u *ui) *cobra.Command {
	return &cobra.Command{
		Use:   "init DIR",
		Short: "Write an editable copy of the built-in policies, with tests, schemas and capabilities",
		Example: `  mcp-code-mode policy init policies
  mcp-code-mode policy test policies`,
		DisableFlagsInUseLine: true,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef("mcp-code-mode policy init DIR", "policy init takes one directory, but got %d arguments", len(args))
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			dir := args[0]
			if err := emptyDir(dir); err != nil {
				return err
			}
			if err := writePolicies(dir); err != nil {
				return fmt.Errorf("writing the policies to %q: %w", dir, cause(err))
			}
			u.notef("wrote the built-in policies to %s", dir)
			u.hintf("read %s first, then change a rule and run: %s policy test %s", filepath.Join(dir, "README.md"), program, dir)
			return nil
		},
	}
}

// emptyDir makes sure that nothing in dir can be overwritten.
func emptyDir(dir string) error {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return usagef("", "policy init %q: %w", dir, cause(err))
	case len(entries) > 0:
		return usagef("give a directory that does not exist yet", "policy init %q: the directory is not empty, and nothing is overwritten", dir)
	}
	return nil
}

// writePolicies copies the built-in pack and its README into dir, which must be ours:
// whoever else can write there decides which calls are allowed.
func writePolicies(dir string) error {
	if err := ourdir.Make(dir, 0o755); err != nil {
		return err
	}
	if err := os.CopyFS(dir, policies.FS); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "README.md"), policyReadme, 0o644)
}
