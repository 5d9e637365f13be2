// SPDX-License-Identifier: Apache-2.0

package relational

import (
	"context"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/weftdb/weft/internal/sql/relational/failure"
	"github.com/weftdb/weft/internal/sql/relational/rewrite"
	"github.com/weftdb/weft/internal/sql/relational/value"
)

// statement is what one run of a statement knows: whose tables, under which names, how it reads.
type statement struct {
	source Source
	// database is the session's.
	database       string
	names          *names
	tables         map[string]Table // those found already, by database, a zero byte and the name as written
	writes         bool
	plain          bool // the planner is to leave subqueries where they are
	ordered        bool // some order of rows may hang on an index
	tells          bool // it asks for information_schema or SHOW
	allowFiltering bool
	insert         insertion
	// missing are the databases in which tables were not found, by the tables' names in lower case; strangers are columns that were named by
	// tables which are not in FROM, by those in lower case.
	missing, strangers map[string]string
	// text is the statement as the engine reads it.
	text string
	held held
}

// viewName is a view's name as the statement writes it: the engine's parser makes it small.
func (s *statement) viewName(small string) string { return rewrite.Spelled(s.text, small) }

// table finds a table of the source by its name: the exact one first.
func (s *statement) table(database, name string) (Table, bool, error) {
	key := database + "\x00" + name
	if t, ok := s.tables[key]; ok {
		return t, true, nil
	}
	t, ok, err := s.source.Table(database, name)
	if err == nil && !ok {
		var all []string
		if all, err = s.source.Tables(database); err == nil {
			if name, ok, err = match(all, name); ok && err == nil {
				t, ok, err = s.source.Table(database, name)
			}
		}
	}
	if err != nil || !ok {
		return nil, false, err
	}
	s.tables[key] = t
	return t, true, nil
}

// session is the engine's session for one statement.
type session struct {
	*sql.BaseSession
	statement *statement
}

// statementOf is the statement that a context belongs to; one without tables if it is the engine's own.
func statementOf(ctx *sql.Context) *statement {
	if s, ok := ctx.Session.(*session); ok {
		return s.statement
	}
	return &statement{source: nothing{}, names: &names{}}
}

// nothing is a Source without databases.
type nothing struct{}

func (nothing) Databases() []string                       { return nil }
func (nothing) Tables(string) ([]string, error)           { return nil, nil }
func (nothing) Table(string, string) (Table, bool, error) { return nil, false, nil }
func (nothing) Views() Views                              { return nil }

// engineContext makes the engine's context of a session.
func (e *Engine) engineContext(ctx context.Context, from Session, s *statement, text string) *sql.Context {
	host := from.Host
	if host == "" {
		host = "localhost"
	}
	base := sql.NewBaseSessionWithClientServer("", sql.Client{User: from.User, Address: host}, from.ConnectionID)
	base.SetLogger(e.logger)
	base.SetPrivilegeSet(e.privileges, 1)
	made := sql.NewContext(ctx, sql.WithSession(&session{BaseSession: base, statement: s}), sql.WithQuery(text),
		sql.WithMemoryManager(sql.NewMemoryManager(&rowLimit{max: e.options.HeldRowsMax})), sql.WithServices(sql.Services{}))
	base.SetCurrentDatabase(from.Database)
	settings := map[string]any{"time_zone": "+00:00", "disable_merge_join": int8(1)}
	for name, d := range from.Variables {
		settings[strings.ToLower(name)] = value.Loose(d)
	}
	if mode, ok := settings["sql_mode"].(string); ok { // double quotes begin a text for Weft's lexer, which has judged the statement
		settings["sql_mode"] = strings.ReplaceAll(strings.ReplaceAll(strings.ToUpper(mode), "ANSI_QUOTES", ""), "ANSI", "")
	}
	for name, setting := range settings {
		_ = base.InitSessionVariable(made, name, setting) // one that the engine lacks or refuses keeps its default
	}
	for name, d := range from.UserVariables {
		_ = base.SetUserVariable(made, strings.ToLower(name), value.Loose(d), value.LooseType(d))
	}
	return made
}

// rowLimit bounds the rows that the engine's caches hold for one statement: each one that a cache takes asks once. What a cache gives back is
// not seen, so the bound is on rows ever held.
type rowLimit struct{ held, max uint64 }

// MaxMemory is the bound, 0 for none.
func (r *rowLimit) MaxMemory() uint64 { return r.max }

// UsedMemory counts a row.
func (r *rowLimit) UsedMemory() uint64 {
	r.held++
	return r.held - 1
}

// settings turns the hints that concern scans into the statement's settings.
func (s *statement) settings(from Session, text string) {
	s.database = from.Database
	for _, hint := range from.Hints {
		s.allowFiltering = s.allowFiltering || hint.Name == "_l_allow_filtering_"
	}
	s.allowFiltering = s.allowFiltering || strings.Contains(text, "_l_allow_filtering_")
}

// translate makes a *fault.Error of the engine's error; one that wraps a *fault.Error is that.
func translate(ctx *sql.Context, err error) error {
	s := statementOf(ctx)
	return failure.Translate(ctx, err, failure.Names{Database: ctx.GetCurrentDatabase(), Missing: s.missing, Strangers: s.strangers, Original: original})
}
