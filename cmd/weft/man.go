// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// manCommand is `weft man`.
func (p *program) manCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "man FOLDER",
		Short: "Write the manual pages of all commands",
		Long: `Write a page for man for each command into a folder, which is made. Their date is that of SOURCE_DATE_EPOCH, if it is set, so that
packages can be built again.`,
		Example: "  weft man /usr/local/share/man/man1",
		Args:    cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return err
			}
			root := c.Root()
			documentAll(root)
			header := &doc.GenManHeader{Section: "1", Source: "Weft " + version, Manual: "Weft"}
			if err := doc.GenManTree(root, header, args[0]); err != nil {
				return err
			}
			pages, err := filepath.Glob(filepath.Join(args[0], "weft*.1"))
			fmt.Fprintf(p.stdout, "%d pages are in %s; man weft shows the first\n", len(pages), args[0])
			return err
		},
	}
}

// documentAll gives commands what --help takes from the manual.
func documentAll(c *cobra.Command) {
	page := pageOf(c)
	c.Example, c.DisableAutoGenTag = page.example, true
	if c.Long == "" {
		c.Long = c.Short + "."
	}
	c.Long += "\n\nThe page docs/" + page.file + " says more."
	for _, sub := range c.Commands() {
		documentAll(sub)
	}
}
