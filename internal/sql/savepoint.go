// SPDX-License-Identifier: Apache-2.0

package sql

import (
	"context"
	"slices"
	"strings"

	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/tree"
)

// savepointsMax is the number of savepoints that a transaction may have.
const savepointsMax = 1000

// savepoint sets, releases, or goes back to a savepoint. Outside of a transaction there is none to be had, and setting
// one does nothing; with autocommit off, it begins the transaction.
func (s *Session) savepoint(ctx context.Context, read *tree.Savepoint) error {
	if read.Action == "savepoint" {
		if err := s.beginImplicit(ctx); err != nil {
			return err
		}
	}
	t := s.open
	if t == nil {
		if read.Action == "savepoint" {
			return nil
		}
		return noSavepoint(read.Name)
	}
	at := slices.IndexFunc(t.savepoints, func(name string) bool { return strings.EqualFold(name, read.Name) })
	switch {
	case read.Action == "savepoint":
		return t.setSavepoint(read.Name, at)
	case at < 0:
		return noSavepoint(read.Name)
	case read.Action == "release": // those that were set later go too
		for n := len(t.savepoints) - 1; n >= at; n-- {
			t.tx.ReleaseSavepoint(n)
		}
		t.savepoints = t.savepoints[:at]
		return nil
	}
	t.savepoints = t.savepoints[:at+1]
	if err := t.tx.RollbackTo(at); err != nil {
		return s.brokenBy(err, true)
	}
	return nil
}

// setSavepoint sets one; its name's earlier one, at a place or at -1, is forgotten.
func (t *transaction) setSavepoint(name string, at int) error {
	if at >= 0 {
		t.tx.ReleaseSavepoint(at)
		t.savepoints = slices.Delete(t.savepoints, at, at+1)
	}
	if len(t.savepoints) >= savepointsMax {
		return fault.Message(fault.NotSupported, "a transaction may have at most %d savepoints: release some",
			savepointsMax)
	}
	t.tx.Savepoint()
	t.savepoints = append(t.savepoints, strings.Clone(name))
	return nil
}

func noSavepoint(name string) error {
	e := fault.New(fault.UnknownFunction, name)
	e.Message = "SAVEPOINT " + name + " does not exist"
	return e
}
