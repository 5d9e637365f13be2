// SPDX-License-Identifier: Apache-2.0

package main

import (
	"github.com/spf13/cobra"

	"github.com/weftdb/weft/cmd/weft/explaincommand"
)

// explainCommand is `weft explain`.
func (p *program) explainCommand() *cobra.Command {
	host := &explaincommand.Host{Stdout: p.stdout, Getenv: p.getenv, NoArguments: noArguments, NoTable: noTable,
		Usage: func(err error) error { return usageError{err} }, Folder: p.withFolder}
	return host.Command()
}
