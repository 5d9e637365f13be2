// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/weftdb/weft/cmd/weft/statuscommand"
	"github.com/weftdb/weft/internal/database"
)

// statusCommand is `weft status`.
func (p *program) statusCommand() *cobra.Command {
	host := &statuscommand.Host{Stdout: p.stdout, Terminal: isTerminal(p.stdout), NoArguments: noArguments,
		Usage: func(err error) error { return usageError{err} },
		Signals: func(ctx context.Context) (context.Context, context.CancelFunc) {
			return signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM)
		},
		Get: func(ctx context.Context, addr, target string) (io.ReadCloser, error) {
			return p.askAdmin(ctx, http.MethodGet, addr, target, nil)
		}}
	return host.Command()
}

// serverPage is GET /api/server on the admin port: the content of the line of --ready-json.
func (s *server) serverPage(*http.Request, *database.DB, bool) ([]byte, error) {
	return json.Marshal(s.readiness())
}
