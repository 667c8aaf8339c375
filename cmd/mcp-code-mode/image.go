package main

import (
	"fmt"
	"regexp"

	"github.com/spf13/cobra"

	"github.com/mcp-code-mode/mcp-code-mode/sandbox"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox/docker"
)

// pinned is an image reference that can only ever mean one image.
var pinned = regexp.MustCompile(`^[^@\s]+@sha256:[0-9a-f]{64}$`)

func newBuildImage(u *ui) *cobra.Command {
	var base string
	cmd := &cobra.Command{
		Use:   "build-image [--base IMAGE]",
		Short: "Build the Docker image that sandboxes start from",
		Example: `  mcp-code-mode build-image
  mcp-code-mode run --image "$(mcp-code-mode build-image)" -c 'print(1)'
  mcp-code-mode build-image --base python@sha256:…`,
		Long: `The image holds Python and the runner, nothing else. On Linux it is built from the
Python that this program embeds and needs no registry. Elsewhere it is built on a
registry image with Python 3.11 or newer, pinned by its digest. serve and run build
the image themselves when it is missing. What is printed is its name.`,
		Args:                  noArgs,
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if base != "" && !pinned.MatchString(base) {
				return usagef("docker image inspect --format '{{index .RepoDigests 0}}' IMAGE shows it",
					"--base %q: want an image pinned by its digest, NAME@sha256:…", base)
			}
			p := u.progress()
			ref, id, err := docker.BuildImage(cmd.Context(), docker.BuildOptions{Base: base, Runner: sandbox.RunnerSource, Progress: p.step})
			p.end()
			if err != nil {
				return err
			}
			u.notef("built %s (%s)", ref, id)
			return u.output(fmt.Sprintln(ref))
		},
	}
	textVar(cmd.Flags(), &base, "base", "IMAGE", "build on this registry image, NAME@sha256:…, instead of the embedded Python")
	return cmd
}
