// SPDX-License-Identifier: Apache-2.0

// Package source hands the relational engine the tables of the database, for one statement: rows of one snapshot or of the session's
// transaction, found by the same plans and access classes as those of a SELECT over one table, and writes through the same room as every other.
// What a statement writes is kept until all of it was read, so a statement never meets its own rows.
//
// Knows: how requests of the relational engine become conditions for plans, and what is written.
// Never: text, joins, sessions, packets.
package source

import (
	"context"
	"time"

	"github.com/weftdb/weft"
	"github.com/weftdb/weft/internal/sql/definition"
	"github.com/weftdb/weft/internal/sql/evaluate"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/modify"
	"github.com/weftdb/weft/internal/sql/plan"
	"github.com/weftdb/weft/internal/sql/relational"
)

// Options are what a Source works with. DB and Definition must be set.
type Options struct {
	DB *weft.DB
	// Tx is the transaction to read and write in; nil: rows are those of one snapshot, which is taken at the first scan, and nothing can be written.
	Tx *weft.Tx
	// Definition makes SQL's table of a descriptor. Whoever has a cache of them gives it here.
	Definition func(*weft.Descriptor) (*definition.Table, error)
	// Session is what functions and variables in conditions ask.
	Session evaluate.Session
	// NowMS is the statement's time. Default: that of the first scan.
	NowMS int64
	// Settings are the session's, for finding rows.
	Settings plan.Settings
	// Compile and Limits are for what is written.
	Compile modify.Options
	Limits  modify.Limits
	// Text writes the statement for messages; nil: it is not known.
	Text func() string
	// Warn takes what is to be told of a statement that went well. Default: it is lost.
	Warn func(code fault.Code, message string)
}

// Source is relational.Source over the database. It serves one statement and must be closed.
type Source struct {
	options Options
	view    *weft.View
	owned   *weft.View // view, if it is this statement's own
	tables  map[string]*table
	warned  map[string]bool
	writes  []write
	bytes   int // of writes
}

// New makes a source.
func New(o Options) *Source {
	if o.NowMS == 0 {
		o.NowMS = time.Now().UnixMilli() // lint:clock the default of a setting
	}
	if o.Warn == nil {
		o.Warn = func(fault.Code, string) {}
	}
	return &Source{options: o, tables: map[string]*table{}, warned: map[string]bool{}}
}

// Close gives back the snapshot and all versions of tables. Rows of scans must be closed before.
func (s *Source) Close() {
	for _, t := range s.tables {
		if s.options.Tx == nil {
			t.pinned.Release()
		}
	}
	clear(s.tables)
	if s.owned != nil {
		s.owned.Close()
	}
	s.view, s.owned = nil, nil
}

// Databases lists all databases.
func (s *Source) Databases() []string { return s.options.DB.Databases() }

// tablesMax is how many tables of a database are listed at a time.
const tablesMax = 1000

// Tables lists the tables of a database.
func (s *Source) Tables(database string) (names []string, err error) {
	after := ""
	for {
		some := s.options.DB.Tables(database, after, tablesMax)
		names = append(names, some...)
		if len(some) < tablesMax {
			return names, nil
		}
		after = some[len(some)-1]
	}
}

// Table finds a table. It is the same one for the whole statement.
func (s *Source) Table(database, name string) (relational.Table, bool, error) {
	key := database + "\x00" + name
	if t, ok := s.tables[key]; ok {
		return t, true, nil
	}
	pinned, err := s.pin(database, name)
	if err != nil {
		if weft.KindOf(err) == weft.KindNotFound {
			return nil, false, nil
		}
		return nil, false, err
	}
	defined, err := s.options.Definition(pinned.Descriptor())
	if err != nil {
		if s.options.Tx == nil {
			pinned.Release()
		}
		return nil, false, err
	}
	t := &table{source: s, pinned: pinned, definition: defined}
	s.tables[key] = t
	return t, true, nil
}

func (s *Source) pin(database, name string) (weft.Pinned, error) {
	if s.options.Tx != nil {
		return s.options.Tx.PinIn(database, name)
	}
	return s.options.DB.PinIn(database, name)
}

// snapshot is what all scans of the statement read.
func (s *Source) snapshot(ctx context.Context) (*weft.View, error) {
	if s.view != nil {
		return s.view, nil
	}
	if s.options.Tx != nil {
		s.view = s.options.Tx.View()
		return s.view, nil
	}
	view, err := s.options.DB.View(ctx)
	s.view, s.owned = view, view
	return view, err
}

// warn tells each warning once, however often a join looks something up.
func (s *Source) warn(message string) {
	if message != "" && !s.warned[message] {
		s.warned[message] = true
		s.options.Warn(fault.Refused, message)
	}
}

func (s *Source) text() string {
	if s.options.Text == nil {
		return ""
	}
	return s.options.Text()
}
