// SPDX-License-Identifier: Apache-2.0

package sql

import (
	"slices"
	"strings"

	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/tree"
)

// savepoint is a name for what a transaction had written when it was set. Nothing of a transaction can be taken back alone: it is rolled back
// as a whole. Savepoints are for programs that set them in any case, as those that dump tables do, and as libraries do for transactions
// within transactions; they go back to one only if something failed.
type savepoint struct {
	name   string
	writes int // statements that had written
}

// savepointsMax is how many a transaction may have.
const savepointsMax = 1000

// savepoint sets, releases, or goes back to a savepoint. Outside of a transaction there is none to be had, and setting one does nothing.
func (s *Session) savepoint(read *tree.Savepoint) error {
	t := s.open
	if t == nil {
		if read.Action == "savepoint" {
			return nil
		}
		return noSavepoint(read.Name)
	}
	at := slices.IndexFunc(t.savepoints, func(p savepoint) bool { return strings.EqualFold(p.name, read.Name) })
	if read.Action == "savepoint" {
		if at >= 0 { // a name's second savepoint takes the place of its first
			t.savepoints = slices.Delete(t.savepoints, at, at+1)
		}
		if len(t.savepoints) >= savepointsMax {
			return worded(fault.NotSupported, "a transaction has %d savepoints at most: release some", savepointsMax)
		}
		t.savepoints = append(t.savepoints, savepoint{strings.Clone(read.Name), t.writes})
		return nil
	}
	switch {
	case at < 0:
		return noSavepoint(read.Name)
	case read.Action == "release":
		t.savepoints = t.savepoints[:at]
	case t.savepoints[at].writes != t.writes:
		return worded(fault.NotSupported, "what was written since savepoint %s can't be taken back alone: ROLLBACK takes back the whole transaction", read.Name)
	default:
		t.savepoints = t.savepoints[:at+1]
	}
	return nil
}

func noSavepoint(name string) error {
	e := fault.New(fault.UnknownFunction, name)
	e.Message = "SAVEPOINT " + name + " does not exist"
	return e
}

// wrote notes that a statement writes in the open transaction, if there is one.
func (s *Session) wrote() {
	if s.open != nil {
		s.open.writes++
	}
}
