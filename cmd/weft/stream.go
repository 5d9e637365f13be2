// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/weftdb/weft/cmd/weft/streamcommand"
)

// streamCommands are the commands that read streams from a running server.
func (p *program) streamCommands() []*cobra.Command {
	host := &streamcommand.Host{Stdout: p.stdout, Stderr: p.stderr, Getenv: p.getenv,
		Usage: func(err error) error { return usageError{err} }, NoTable: noTable,
		Signals: func(ctx context.Context) (context.Context, context.CancelFunc) {
			return signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM)
		}}
	return []*cobra.Command{host.TailCommand(), host.TriggerCommand()}
}

// getenv reads a variable of the environment; "" if it is not set.
func (p *program) getenv(name string) (value string) {
	for _, pair := range p.environ {
		if rest, ok := strings.CutPrefix(pair, name+"="); ok {
			value = rest
		}
	}
	return value
}
