// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"io"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/weftdb/weft/cmd/weft/ddbcommand"
	"github.com/weftdb/weft/cmd/weft/explaincommand"
	"github.com/weftdb/weft/cmd/weft/mcpcommand"
	"github.com/weftdb/weft/cmd/weft/schemacommand"
	"github.com/weftdb/weft/cmd/weft/statuscommand"
	"github.com/weftdb/weft/cmd/weft/storecommand"
	"github.com/weftdb/weft/cmd/weft/streamcommand"
)

// packagedCommands are the commands that have packages of their own, with what they take from this program.
func (p *program) packagedCommands() []*cobra.Command {
	ddb := &ddbcommand.Host{Stdin: os.Stdin, Stdout: p.stdout, Stderr: p.stderr, Getenv: p.getenv}
	explain := &explaincommand.Host{Stdout: p.stdout, Getenv: p.getenv, Folder: p.withFolder}
	schema := &schemacommand.Host{Stdout: p.stdout, Stderr: p.stderr, Getenv: p.getenv}
	mcp := &mcpcommand.Host{Stdin: os.Stdin, Stdout: os.Stdout, Version: version, Ask: p.askAdmin}
	status := &statuscommand.Host{Stdout: p.stdout, Terminal: storecommand.IsTerminal(p.stdout), Signals: untilSignal,
		Get: func(ctx context.Context, addr, target string) (io.ReadCloser, error) {
			return p.askAdmin(ctx, http.MethodGet, addr, target, nil)
		}}
	stream := &streamcommand.Host{Stdout: p.stdout, Stderr: p.stderr, Getenv: p.getenv, Signals: untilSignal}
	return []*cobra.Command{ddb.Command(), explain.Command(), schema.Command(), mcp.Command(), status.Command(),
		stream.TailCommand(), stream.TriggerCommand()}
}

// untilSignal returns a context that ends when the user ends the program.
func untilSignal(ctx context.Context) (context.Context, context.CancelFunc) {
	return signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM)
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
