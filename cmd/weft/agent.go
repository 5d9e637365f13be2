// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weftdb/weft/cmd/weft/commandline"
	"github.com/weftdb/weft/cmd/weft/dynamoport"
	"github.com/weftdb/weft/cmd/weft/output"
)

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
