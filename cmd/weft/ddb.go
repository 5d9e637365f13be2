// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/weftdb/weft/cmd/weft/ddbcommand"
)

// ddbCommand is `weft ddb`.
func (p *program) ddbCommand() *cobra.Command {
	host := &ddbcommand.Host{Stdin: os.Stdin, Stdout: p.stdout, Stderr: p.stderr, Getenv: p.getenv,
		Usage: func(err error) error { return usageError{err} }, NoTable: noTable,
		UnknownCommand: unknownCommand}
	return host.Command()
}
