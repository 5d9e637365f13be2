// SPDX-License-Identifier: Apache-2.0

package sql

import (
	"context"
	"fmt"
	"strconv"

	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/result"
	"github.com/weftdb/weft/internal/sql/tree"
	"github.com/weftdb/weft/internal/sql/variable"
)

// show answers questions about sessions. ok is false for other questions.
func (s *Session) show(ctx context.Context, st *tree.Show, c *call) (ok bool, err error) {
	switch st.What {
	case "variables", "system variables":
		return true, s.showVariables(st, c)
	case "status":
		return true, s.showStatus(st, c)
	case "warnings":
		return true, s.showWarnings(c, false)
	case "errors":
		return true, s.showWarnings(c, true)
	case "count warnings", "count errors":
		return true, rows(c, texts("@@session.warning_count"), [][]datum.Datum{{datum.Int(int64(len(s.warnings)))}})
	case "grants":
		return true, s.showGrants(ctx, st, c)
	case "privileges":
		return true, s.showPrivileges(st, c)
	case "create view":
		return s.showCreateView(st.Table, c)
	case "processlist", "full processlist":
		return true, s.showProcesses(st.What == "full processlist", c)
	}
	return false, nil
}

// texts are columns of texts.
func texts(names ...string) []result.Column {
	columns := make([]result.Column, len(names))
	for i, name := range names {
		columns[i] = result.Column{Name: name, OriginalName: name, Type: datum.Type{Base: datum.Varchar, Length: 1024}}
	}
	return columns
}

// rows is a whole answer.
func rows(c *call, columns []result.Column, list [][]datum.Datum) error {
	if err := c.sink.Columns(columns); err != nil {
		return err
	}
	for _, row := range list {
		if err := c.sink.Row(row); err != nil {
			return err
		}
	}
	return c.sink.Done(result.Done{})
}

func text(s string) datum.Datum { return datum.Text([]byte(s)) }

// showPairs answers names with values, as far as LIKE and WHERE take them.
func (s *Session) showPairs(st *tree.Show, c *call, pairs [][2]string) error {
	var list [][]datum.Datum
	for _, pair := range pairs {
		keep, err := s.matchesShow(st, pair[0], pair[1], c)
		if err != nil {
			return err
		}
		if keep {
			list = append(list, []datum.Datum{text(pair[0]), text(pair[1])})
		}
	}
	return rows(c, texts("Variable_name", "Value"), list)
}

func (s *Session) showVariables(st *tree.Show, c *call) error {
	values := s.values
	if st.Global {
		values = s.engine.variables.Global()
	}
	var pairs [][2]string
	err := s.engine.variables.Each(values, func(name, shown string) error {
		pairs = append(pairs, [2]string{name, shown})
		return nil
	})
	if err != nil {
		return err
	}
	return s.showPairs(st, c, pairs)
}

func (s *Session) showStatus(st *tree.Show, c *call) error {
	e := s.engine
	number := func(n int64) string { return strconv.FormatInt(n, 10) }
	kind := func(k Kind) string { return number(e.counts.kinds[k].Load()) }
	return s.showPairs(st, c, [][2]string{
		{"Com_delete", kind(KindDelete)}, {"Com_insert", kind(KindInsert)}, {"Com_replace", kind(KindReplace)},
		{"Com_select", kind(KindSelect)}, {"Com_set_option", kind(KindSet)}, {"Com_update", kind(KindUpdate)},
		{"Connections", number(e.counts.opened.Load())}, {"Plans_cached", number(int64(e.plans.Len()))},
		{"Plans_made", number(e.counts.planned.Load())},
		{"Queries", number(e.counts.statements.Load())}, {"Questions", number(e.counts.statements.Load())},
		{"Ssl_cipher", ""},
		{"Ssl_version", ""}, {"Threads_cached", "0"}, {"Threads_connected", number(e.counts.sessions.Load())},
		{"Threads_created", number(e.counts.opened.Load())}, {"Threads_running", number(e.running())},
		{"Uptime", number(int64(e.options.Now().Sub(e.begun).Seconds()))}, {"Version", variable.ServerVersion},
	})
}

// running is the number of connections that are at work: the one that asks, at least.
func (e *Engine) running() (n int64) {
	if e.options.Processes != nil {
		for _, p := range e.options.Processes() {
			if p.Command != "Sleep" {
				n++
			}
		}
	}
	return max(n, 1)
}

func (s *Session) showWarnings(c *call, errorsOnly bool) error {
	columns := texts("Level", "Code", "Message")
	columns[1].Type = datum.Type{Base: datum.BigInt}
	var list [][]datum.Datum
	for _, w := range s.warnings {
		if !errorsOnly || w.level == "Error" {
			list = append(list, []datum.Datum{text(w.level), datum.Int(int64(w.code)), text(w.message)})
		}
	}
	return rows(c, columns, list)
}

// infoMax is the number of bytes of a statement that SHOW PROCESSLIST shows, without FULL.
const infoMax = 100

func (s *Session) showProcesses(full bool, c *call) error {
	columns := texts("Id", "User", "Host", "db", "Command", "Time", "State", "Info")
	columns[0].Type = datum.Type{Base: datum.BigIntUnsigned}
	columns[5].Type = datum.Type{Base: datum.BigInt}
	var list [][]datum.Datum
	if s.engine.options.Processes != nil {
		for _, p := range s.engine.options.Processes() {
			if !s.seesProcess(&p) {
				continue
			}
			info, database := datum.Null, datum.Null
			if p.Info != "" && !full && len(p.Info) > infoMax {
				p.Info = p.Info[:infoMax]
			}
			if p.Info != "" {
				info = text(p.Info)
			}
			if p.Database != "" {
				database = text(p.Database)
			}
			list = append(list, []datum.Datum{datum.Int(int64(p.ID)), text(p.User), text(p.Host), database,
				text(p.Command), datum.Int(p.Seconds), text(p.State), info})
		}
	}
	return rows(c, columns, list)
}

// kill ends a connection or its statement.
func (s *Session) kill(ctx context.Context, st *tree.Kill, c *call) error {
	d, err := s.constant(ctx, st.ID, c.parameters)
	if err != nil {
		return err
	}
	id := d.NumberInt()
	if err := s.askKill(id); err != nil {
		return err
	}
	if id < 0 || id > 1<<32-1 || s.engine.options.Kill == nil || !s.engine.options.Kill(uint32(id), st.QueryOnly) {
		return fault.New(fault.NoSuchThread, id)
	}
	return c.sink.Done(result.Done{})
}

// keepError notes the error that a statement ends with, for SHOW WARNINGS.
func (s *Session) keepError(err error) {
	if f, ok := fault.Of(err); ok && len(s.warnings) < warningsMax {
		s.warnings = append(s.warnings, warning{"Error", f.Code, f.Message})
	} else if !ok {
		s.warnings = append(s.warnings, warning{"Error", fault.Unknown, fmt.Sprint(err)})
	}
}
