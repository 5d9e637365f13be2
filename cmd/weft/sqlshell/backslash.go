// SPDX-License-Identifier: Apache-2.0

package sqlshell

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/weftdb/weft/internal/sql/tree"
)

// backslash is a command of the shell's own.
type backslash struct {
	name, argument, help string
	run                  func(s *shell, ctx context.Context, argument string) error
}

// backslashes are all of them, as \? shows them.
func backslashes() []backslash {
	return []backslash{
		{"d", "", "list the tables", nil},
		{"d", "TABLE", "show a table's columns and indexes", (*shell).describe},
		{"explain", "STATEMENT", "show how a statement would find its rows", (*shell).explain},
		{"format", "FORMAT", "print answers as " + strings.Join(formats[:], ", "),
			func(s *shell, _ context.Context, format string) error { return s.setFormat(format) }},
		{"timing", "", "print how long each statement took, or no longer", (*shell).toggleTiming},
		{"q", "", "leave, as Ctrl-D does", func(s *shell, _ context.Context, _ string) error {
			s.left = true
			return nil
		}},
		{"?", "", "show this list", (*shell).help},
	}
}

// runCommand runs a backslash command.
func (s *shell) runCommand(ctx context.Context, text string) error {
	name, argument, _ := strings.Cut(text, " ")
	for _, one := range backslashes() {
		if one.name == name && one.run != nil {
			return one.run(s, ctx, strings.TrimRight(strings.TrimSpace(argument), "; "))
		}
	}
	return fmt.Errorf(`there is no command \%s: \? lists all`, name)
}

// describe shows the tables, or one of them.
func (s *shell) describe(ctx context.Context, table string) error {
	if table == "" {
		return s.runStatement(ctx, "SHOW TABLES", s.printer)
	}
	if err := s.runStatement(ctx, "SHOW COLUMNS FROM "+nameOf(table), s.printer); err != nil {
		return err
	}
	return s.runStatement(ctx, "SHOW INDEX FROM "+nameOf(table), s.printer)
}

// nameOf is a table's name as a statement takes it: with its database before a point, and in backticks.
func nameOf(table string) string {
	if strings.Contains(table, "`") {
		return table
	}
	database, name, ok := strings.Cut(table, ".")
	if !ok {
		return tree.Quote(table)
	}
	return tree.Quote(database) + "." + tree.Quote(name)
}

func (s *shell) explain(ctx context.Context, statement string) error {
	return s.runStatement(ctx, "EXPLAIN "+statement, s.printer)
}

func (s *shell) toggleTiming(context.Context, string) error {
	s.timing = !s.timing
	_, err := fmt.Fprintln(s.stderr, "timing is "+map[bool]string{true: "on", false: "off"}[s.timing])
	return err
}

func (s *shell) help(context.Context, string) error {
	var list strings.Builder
	for _, one := range backslashes() {
		fmt.Fprintf(&list, "  %-20s %s\n", `\`+one.name+" "+one.argument, one.help)
	}
	list.WriteString(`Statements end with a semicolon, or with \G, which prints them vertically.
Tab completes keywords, tables and columns; Ctrl-R finds what was typed before; Ctrl-C ends the statement that runs.
`)
	_, err := io.WriteString(s.stderr, list.String())
	return err
}
