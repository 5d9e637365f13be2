// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/weftdb/weft/internal/database"
)

// completeTimeout bounds the wait after Tab.
const completeTimeout = 2 * time.Second

// completeNames completes the names of tables for the commands below root that take one and ask the admin port.
func (p *program) completeNames(root *cobra.Command) {
	for _, c := range root.Commands() {
		words := strings.Fields(c.Use)
		if len(words) == 2 && strings.Trim(words[1], "[]") == "TABLE" && c.Flags().Lookup("admin-addr") != nil {
			c.ValidArgsFunction = p.completeTables
		}
	}
}

// completeTables lists the tables of the server at --admin-addr; none, if it does not answer.
func (p *program) completeTables(c *cobra.Command, args []string, _ string) ([]cobra.Completion,
	cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	ctx, cancel := context.WithTimeout(context.Background(), completeTimeout)
	defer cancel()
	answer, err := p.askAdmin(ctx, http.MethodGet, c.Flag("admin-addr").Value.String(), "/api/tables", nil)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	defer answer.Close()
	var tables []struct{ Database, Name string }
	_ = json.NewDecoder(io.LimitReader(answer, adminBytesMax)).Decode(&tables) // no name is completed then
	var names []cobra.Completion
	for _, t := range tables {
		names = append(names, strings.TrimPrefix(t.Database+"."+t.Name, database.DefaultDatabase+"."))
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}
