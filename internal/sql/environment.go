// SPDX-License-Identifier: Apache-2.0

package sql

import (
	"crypto/rand"
	"strings"
	"time"

	"github.com/weftdb/weft/internal/index/search"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/evaluate"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/tree"
	"github.com/weftdb/weft/internal/sql/variable"
)

// Variable returns the value of @name or @@name; an unknown @name is NULL. Errors: fault.UnknownVariable.
func (s *Session) Variable(v *tree.Variable) (datum.Datum, error) {
	if !v.System {
		return s.user[strings.ToLower(v.Name)], nil
	}
	switch name := strings.ToLower(v.Name); name {
	case "warning_count", "error_count":
		return datum.Int(int64(len(s.warnings))), nil
	case "last_insert_id", "identity":
		return datum.Uint(s.insertID), nil
	case "pseudo_thread_id":
		return datum.Int(int64(s.login.ConnectionID)), nil
	case "timestamp":
		return datum.Float64(float64(s.engine.options.Now().UnixMicro()) / 1e6), nil
	}
	values := s.values
	if v.Global {
		values = s.engine.variables.Global()
	}
	return s.engine.variables.Get(values, v.Name)
}

// PresentUS is the present, which SYSDATE asks for.
func (s *Session) PresentUS() int64 { return s.engine.options.Now().UnixMicro() }

// Zone is the session's time zone; nil is UTC.
func (s *Session) Zone() evaluate.Zone { return zoneOf(s.values.Zone) }

// ZoneNamed finds another one.
func (s *Session) ZoneNamed(name string) (z evaluate.Zone, ok bool) {
	found, ok := s.engine.variables.ZoneNamed(name)
	return zoneOf(found), ok
}

func zoneOf(z *variable.Zone) evaluate.Zone {
	if z == nil {
		return nil
	}
	return z
}

// Version returns the value of VERSION().
func (s *Session) Version() string { return variable.ServerVersion }

// Database is the current database, "" if there is none.
func (s *Session) Database() string { return s.database }

// User is name@host.
func (s *Session) User() string { return s.login.User + "@" + s.login.Host }

// ConnectionID is the number of the connection.
func (s *Session) ConnectionID() uint64 { return uint64(s.login.ConnectionID) }

// LastInsertID is the first number that the last INSERT with numbers of its own got from AUTO_INCREMENT.
func (s *Session) LastInsertID() uint64 { return s.insertID }

// SetLastInsertID is LAST_INSERT_ID(n).
func (s *Session) SetLastInsertID(n uint64) { s.insertID, s.told = n, n }

// RowCount is the number of rows the last statement wrote; -1 after one with rows.
func (s *Session) RowCount() int64 { return s.affected }

// FoundRows is the number of rows the last SELECT returned.
func (s *Session) FoundRows() int64 { return s.found }

// Sleep waits for so many milliseconds. It returns early, with interrupted true, if the statement is to end, or has
// slept for as long as it may take. In a statement about a table that is an error, since its rows would not be the
// right ones. Errors: 3024, 1317.
func (s *Session) Sleep(ms int64) (interrupted bool, err error) {
	span := time.Duration(ms) * time.Millisecond
	left := s.timeout - s.slept
	if s.ofTable {
		left += time.Millisecond // the statement's own clock ends first, and words the error
	}
	if s.timeout > 0 && span >= left {
		span, interrupted = max(left, 0), true
	}
	s.slept += span
	timer := time.NewTimer(span)
	defer timer.Stop()
	select {
	case <-timer.C:
		if interrupted && s.ofTable {
			err = fault.New(fault.StatementTimeout)
		}
		return interrupted, err
	case <-s.running.Done():
		if s.ofTable {
			err = fault.New(fault.Interrupted)
		}
		return true, err
	}
}

// Scorer prepares the scores of a MATCH, by the latest state.
func (s *Session) Scorer(of evaluate.WordsOf, q *search.Query) (*search.Scorer, error) {
	p, err := s.engine.db.PinIn(of.Database, of.Table)
	if err != nil {
		return nil, err
	}
	defer p.Release()
	x, ok := p.Descriptor().Index(of.Index)
	if !ok || of.Field >= len(x.Key) {
		return nil, fault.New(fault.NoFullText)
	}
	return p.Scorer(s.running, x, of.Field, q)
}

// AssignUser is @name := value within an expression.
func (s *Session) AssignUser(name string, value datum.Datum) error {
	value = value.Clone()
	return s.assignUser(name, &value)
}

// ShortID is UUID_SHORT's: of the time at which the engine began, and a number.
func (s *Session) ShortID() uint64 {
	begun := uint64(s.engine.begun.Unix())
	return uint64(s.engine.begun.UnixMicro())&0xff<<56 | begun&0xffffffff<<24 + s.engine.counts.shortIDs.Add(1)
}

// RandomBytes fills a slice with bytes that nobody can guess.
func (s *Session) RandomBytes(into []byte) error {
	_, err := rand.Read(into)
	return err
}
