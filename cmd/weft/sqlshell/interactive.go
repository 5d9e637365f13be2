// SPDX-License-Identifier: Apache-2.0

package sqlshell

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// completionTimeout bounds Tab's wait for the server.
const completionTimeout = 2 * time.Second

// completionMax is the largest number of columns that Tab knows.
const completionMax = 20_000

// interact reads statements from a person until the end of the input.
func (s *shell) interact(ctx context.Context, e *editor) error {
	s.talks = true
	e.complete = func(line string, pos int) (int, []string) {
		s.learn(ctx)
		return s.names.complete(line, pos)
	}
	text := new(script)
	var typed []string
	for !s.left {
		line, err := e.read(s.prompt(text))
		switch {
		case errors.Is(err, errInterrupted):
			text.clear()
			typed = nil
			continue
		case errors.Is(err, io.EOF):
			_, err = fmt.Fprintln(s.stdout)
			return err
		case err != nil:
			return err
		}
		text.add(line)
		typed = append(typed, line)
		if err := s.answer(ctx, text); err != nil {
			return err
		}
		if !text.begun() {
			e.history.keep(strings.Join(typed, "\n"))
			typed = nil
		}
	}
	return nil
}

// answer runs what is ready. Errors of statements are printed; one that is returned ends the shell.
func (s *shell) answer(ctx context.Context, text *script) error {
	switch again, err := s.revive(ctx); {
	case err != nil:
		return err
	case again:
		fmt.Fprintln(s.stderr, "The server had ended the session. This is a new one: variables, temporary tables and an open transaction are gone.")
	}
	return s.runSteps(ctx, text, func(_ step, err error) error {
		_, err = fmt.Fprintln(s.stderr, err)
		return err
	})
}

// prompt is the database, or an arrow within a statement.
func (s *shell) prompt(text *script) string {
	name := string(flat([]byte(s.database)))
	if s.database == "" {
		name = "weft"
	}
	if text.begun() {
		return strings.Repeat(" ", max(0, width([]byte(name))-1)) + "-> "
	}
	return name + "> "
}

// learn asks the server for the names of tables and columns, if they are not known.
func (s *shell) learn(ctx context.Context) {
	if s.names.columns != nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, completionTimeout)
	defer cancel()
	rows, err := s.texts(ctx, fmt.Sprintf(`SELECT table_name, column_name FROM information_schema.columns
		WHERE table_schema = '%s' LIMIT %d`, strings.NewReplacer(`'`, `''`, `\`, `\\`).Replace(s.database), completionMax))
	if err != nil {
		return // Tab then knows keywords alone
	}
	s.names.tables, s.names.columns = nil, map[string][]string{}
	for _, row := range rows {
		s.names.columns[row[0]] = append(s.names.columns[row[0]], row[1])
		s.names.tables = append(s.names.tables, row[0])
	}
	slices.Sort(s.names.tables)
	s.names.tables = slices.Compact(s.names.tables)
}

// forget makes learn ask again.
func (n *names) forget() { n.tables, n.columns = nil, nil }
