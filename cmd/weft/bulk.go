// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"os"

	"github.com/spf13/cobra"

	"github.com/weftdb/weft"
	"github.com/weftdb/weft/cmd/weft/bulk"
)

// bulkCommands are those that work on a store that is not being served.
func (p *program) bulkCommands() []*cobra.Command {
	host := &bulk.Host{Stdin: os.Stdin, Stdout: p.stdout, Stderr: p.stderr, AddFlags: addSettingFlags, NoArguments: noArguments,
		Usage: func(err error) error { return usageError{err} }}
	host.Open = func(c *cobra.Command, work func(context.Context, *weft.DB, string) error) error {
		conf, _, err := resolve(inputs{givenFlags(c.Flags()), p.environ, p.readFile})
		if err != nil {
			return err
		}
		conf.DynamoDBAddr, conf.MySQLAddr, conf.HBaseAddr, conf.AdminAddr = off, off, off, off
		return p.withServer(c.Context(), conf, func(ctx context.Context, s *server) error {
			return work(ctx, s.database.(*openedDatabase).db, conf.Data)
		})
	}
	memory := int64(256 << 20)
	return []*cobra.Command{host.VerifyCommand(), host.ImportCommand(size{&memory, 4 << 20}, &memory)}
}
