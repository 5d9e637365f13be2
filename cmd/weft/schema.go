// SPDX-License-Identifier: Apache-2.0

package main

import (
	"github.com/spf13/cobra"

	"github.com/weftdb/weft/cmd/weft/schemacommand"
)

// schemaCommand is `weft schema`.
func (p *program) schemaCommand() *cobra.Command {
	host := &schemacommand.Host{Stdout: p.stdout, Stderr: p.stderr, Getenv: p.getenv, NoTable: noTable,
		Usage: func(err error) error { return usageError{err} }, UnknownCommand: unknownCommand}
	return host.Command()
}
