// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/weftdb/weft/cmd/weft/commandline"
	"github.com/weftdb/weft/cmd/weft/ddbcommand"
	"github.com/weftdb/weft/cmd/weft/dynamoport"
	"github.com/weftdb/weft/cmd/weft/explaincommand"
	"github.com/weftdb/weft/cmd/weft/mcpcommand"
	"github.com/weftdb/weft/cmd/weft/output"
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

// agentFlag is the flag of commands that programs call which run language models.
const agentFlag = "agent"

// forAgents gives commands the flag, by which they print one object of JSON a line.
func (p *program) forAgents(commands ...*cobra.Command) {
	for _, c := range commands {
		p.forAgents(c.Commands()...)
		if c.HasSubCommands() {
			continue
		}
		c.Flags().Bool(agentFlag, false, "print for programs: an object of JSON a line, and errors with a hint")
		c.PreRunE = func(c *cobra.Command, _ []string) error {
			set := map[string]string{"json": "true", "format": "jsonl"}
			for name, v := range set {
				if on := c.Flag(agentFlag); on.Changed && c.Flags().Lookup(name) != nil && !c.Flags().Changed(name) {
					if err := c.Flags().Set(name, v); err != nil {
						return err
					}
				}
			}
			return nil
		}
	}
}

// isForAgent reports whether a command line has the flag. It must be known before commands are made.
func isForAgent(args []string) bool {
	if end := slices.Index(args, "--"); end >= 0 {
		args = args[:end]
	}
	return slices.Contains(args, "--"+agentFlag)
}

// agentFault is an error on a line of its own.
type agentFault struct {
	Error string `json:"error"`
	Code  int    `json:"code,omitempty"`
	Hint  string `json:"hint"`
}

// tellAgent prints an error for a program.
func (p *program) tellAgent(c *cobra.Command, err error) {
	said := agentFault{Error: strings.TrimPrefix(err.Error(), "weft: ")}
	if hinted, ok := errors.AsType[*output.Hinted](err); ok {
		said.Code, said.Hint = hinted.Code, hinted.Hint
	}
	if commandline.IsUsage(err) {
		said.Hint = c.CommandPath() + " --help shows the command line"
	}
	said.Hint = cmp.Or(said.Hint, dynamoport.Hint(err), "the error says what to do; weft status shows how the server does")
	text, _ := json.Marshal(said) // it has nothing that can't be written
	fmt.Fprintf(p.stderr, "%s\n", text)
}
