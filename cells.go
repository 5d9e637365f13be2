// SPDX-License-Identifier: Apache-2.0

package weft

import (
	"context"
	"time"

	"github.com/weftdb/weft/internal/data/cell"
	"github.com/weftdb/weft/internal/data/schema"
)

// CellRules give the attributes of a table's items timestamps: the newest value of an attribute counts, whatever
// the order of writes. A table without rules keeps what was written last, and costs less.
type CellRules struct {
	// Versions is the number of values of each attribute that are kept. Default 1.
	Versions int
	// Life is the time an attribute lives after its timestamp, in whole milliseconds; 0 is for ever.
	Life time.Duration
	// Markers is the time the marks of deletions are kept, which hide what was written before them and arrives later.
	Markers time.Duration
}

func (r *CellRules) internal() *cell.Rules {
	if r == nil {
		return nil
	}
	return &cell.Rules{Versions: r.Versions, LifeMS: r.Life.Milliseconds(), MarkersMS: r.Markers.Milliseconds()}
}

// CellSelect says which versions of attributes a Query shows.
type CellSelect struct {
	FromMS, ToMS int64 // timestamps from FromMS on and before ToMS, in milliseconds since 1970-01-01 UTC; 0 is no bound
	Versions     int   // the newest so many; 0: one
	// Times adds an attribute with the timestamp of each attribute: its name with Times at its end.
	Times string
}

func (s *CellSelect) internal() *cell.Select {
	if s == nil {
		return nil
	}
	return &cell.Select{FromMS: s.FromMS, ToMS: s.ToMS, Versions: s.Versions, Times: s.Times}
}

// Stamp is the timestamp of a write's cells.
type Stamp struct {
	// AtMS is the timestamp, in milliseconds since 1970-01-01 UTC; 0 is the present.
	AtMS int64
	// LifeMS is the time for which the cells live after that; 0: the time of CellRules.
	LifeMS int64
}

// At returns a handle of the table whose writes have a Stamp. They are of KindInvalid if the table has no CellRules.
func (t *Table) At(stamp Stamp) *Table {
	var at Table
	if t != nil {
		at = *t
	}
	at.stamp = stamp
	return &at
}

// SetCells gives a table rules of cells, or changes them. What was written before the table had any counts as
// written now. Reads follow the new rules at once; items that they shorten or lengthen are rewritten in the
// background. Rules can't be taken away: zero ones ask for nothing but timestamps. Errors: KindNotFound,
// KindInvalid.
func (t *Table) SetCells(ctx context.Context, rules CellRules) error {
	if err := t.outside(ctx, "SetCells"); err != nil {
		return err
	}
	return public(t.table.Edit(ctx, func(d *schema.Table) error { d.Cells = rules.internal(); return nil }))
}

// Compact begins to rewrite a table: marks of deletions, versions and values that nobody sees any more go, and the
// engine gives the space back, where it can. It returns as soon as the work is filed; DB.WaitJobs waits for its
// end. Errors: KindNotFound.
func (t *Table) Compact(ctx context.Context) error {
	if err := t.outside(ctx, "Compact"); err != nil {
		return err
	}
	return public(t.table.Compact(ctx))
}
