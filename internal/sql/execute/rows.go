// SPDX-License-Identifier: Apache-2.0

package execute

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/plan"
)

// Rows are the rows of a source, one at a time: those of the table that WHERE accepts. slots hold the data of the row
// at hand, and item is that row as it is stored, or, of what an index serves alone, the entry; both are valid until the
// next call of Next or Close. Rows are used by one goroutine and must be closed.
type Rows struct {
	ctx     context.Context
	source  *plan.Source
	x       *plan.Execution
	access  *plan.Access
	view    *database.View
	cursor  *database.Cursor
	decoder decoder
	slots   []datum.Datum
	item    value.Row
	point   []byte // room for the row of a point read
	done    bool
	err     error
	looked  int // rows since the time was looked at
	counts  Reads
}

// Reads is the work of reading rows.
type Reads struct {
	database.Counts
	// Accepted are the rows that met WHERE.
	Accepted int64
}

// checkEvery is the number of rows between two checks whether a statement was ended.
const checkEvery = 256

// open begins to read. view nil reads the latest commits. access is the result of source.Bind for x; both stay in use
// until Close.
func (r *Rows) open(ctx context.Context, view *database.View, source *plan.Source, x *plan.Execution,
	access *plan.Access) error {
	query := access.Query
	query.Plan = &access.Plan
	return r.openPart(ctx, view, source, x, access, query)
}

// openPart is open of the part of access that a query of View.Split is.
func (r *Rows) openPart(ctx context.Context, view *database.View, source *plan.Source, x *plan.Execution,
	access *plan.Access, query database.Query) error {
	r.ctx, r.source, r.x, r.access, r.view = ctx, source, x, access, view
	r.cursor, r.item, r.err, r.looked, r.counts = nil, nil, nil, 0, Reads{}
	r.done = access.Class == plan.Nothing
	if cap(r.slots) < len(source.Slots) {
		r.slots = make([]datum.Datum, len(source.Slots))
	}
	r.slots = r.slots[:len(source.Slots)]
	x.Context.Row, x.Context.Ranked = r.slots, access.Ranked
	if r.done {
		return nil
	}
	r.decoder.reset(source.Slots, x.Pinned.Names())
	if access.Point != nil {
		return nil
	}
	x.Context.Done = r.ctx.Done()
	if r.cursor, r.err = view.Query(r.ctx, x.Pinned, query); r.err != nil {
		r.done = true
		return r.Close()
	}
	return nil
}

// errTimeout is the cause of a context that a statement's time limit ended.
var errTimeout = errors.New("execute: the statement's time is up")

// Next moves to the next row. After false, look at Close's error.
func (r *Rows) Next() bool {
	for !r.done {
		if !r.step() {
			r.done = true
			return false
		}
		if r.err = r.decoder.decode(r.item, r.slots); r.err != nil {
			break
		}
		for _, i := range r.decoder.zoned {
			r.slots[i] = r.x.Context.Localized(r.slots[i])
		}
		accepted, err := r.accept()
		if err != nil {
			r.err = err
			break
		}
		if accepted {
			r.counts.Accepted++
			return true
		}
	}
	r.done = true
	return false
}

// step reads the next stored row.
func (r *Rows) step() bool {
	if r.access.Point != nil {
		return r.get()
	}
	if r.looked++; r.looked >= checkEvery {
		r.looked = 0
		if r.err = r.ctx.Err(); r.err != nil {
			return false
		}
	}
	if !r.cursor.Next() {
		return false
	}
	r.item = r.cursor.Row()
	if ranked := r.access.Ranked; ranked != nil {
		ranked.Score = r.cursor.Score()
	}
	return true
}

// get reads the only row.
func (r *Rows) get() bool {
	if r.counts.Examined > 0 {
		return false
	}
	var ok bool
	r.item, ok, r.err = r.view.Get(r.ctx, r.x.Pinned, r.access.Point, r.point[:0])
	r.counts.Examined, r.counts.Seeks = 1, 1
	if r.err != nil && database.KindOf(r.err) == database.KindInvalid {
		r.err = nil // a key that can't be, such as an empty text, belongs to no row
		return false
	}
	if ok {
		r.point = r.item[:0]
		r.counts.Returned, r.counts.Bytes = 1, int64(r.item.Size())
	}
	return ok && r.err == nil
}

// accept judges what the keys do not decide.
func (r *Rows) accept() (bool, error) {
	for _, i := range r.access.Residual {
		is, err := r.source.Conjuncts[i].Truth(r.x.Context)
		if !is || err != nil {
			return false, err
		}
	}
	return true, nil
}

// Position is the place of the current row, for the page behind it; nil: it is a key's only row.
func (r *Rows) Position() []byte {
	if r.cursor == nil {
		return nil
	}
	return r.cursor.Position()
}

// Counts returns the work done so far.
func (r *Rows) Counts() Reads {
	counts := r.counts
	if r.cursor != nil {
		counts.Counts = r.cursor.Counts()
	}
	return counts
}

// Close ends the reading and returns the error that ended it early, if any. Closing twice is no error.
func (r *Rows) Close() error {
	r.done = true
	if r.cursor != nil {
		r.counts = r.Counts()
		r.err = cmp.Or(r.err, r.cursor.Close())
		r.cursor = nil
	}
	err := r.err
	r.err = nil
	return err
}

func timeoutError(limit time.Duration, cause error) error {
	failed := fault.Because(cause, fault.StatementTimeout)
	failed.Message += " (" + limit.String() +
		"); bind more of the key, or raise it with the hint _l_operation_timeout_(milliseconds)"
	return failed
}
