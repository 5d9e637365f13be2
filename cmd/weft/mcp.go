// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/weftdb/weft/cmd/weft/mcpcommand"
)

// mcpCommand is `weft mcp`.
func (p *program) mcpCommand() *cobra.Command {
	host := &mcpcommand.Host{Stdin: os.Stdin, Stdout: os.Stdout, Version: version, Ask: p.askAdmin,
		Usage: func(err error) error { return usageError{err} }, NoArguments: noArguments}
	return host.Command()
}
