// SPDX-License-Identifier: Apache-2.0

package execute

import (
	"context"

	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/resource/memory"
	"github.com/weftdb/weft/internal/sql/plan"
)

// reader reads the rows of one table, and holds or guards them where the statement asks for that.
type reader struct {
	source  *plan.Source
	x       *plan.Execution
	view    *database.View // nil: the latest commits
	tx      *database.Tx   // holds or guards rows; nil: nothing does
	kept    *memory.Share  // counts what tx holds; nil: nothing does
	locking plan.Locking
	access  plan.Access // the result of source.Bind for x
	rows    Rows
	lockKey []byte
}

func (r *reader) open(ctx context.Context) error {
	return r.rows.open(ctx, r.view, r.source, r.x, &r.access)
}

// release forgets the statement, and keeps memory.
func (r *reader) release() {
	clear(r.rows.slots[:cap(r.rows.slots)])
	r.rows.ctx, r.rows.source, r.rows.x, r.rows.access, r.rows.view, r.rows.item = nil, nil, nil, nil, nil, nil
	r.source, r.x, r.view, r.tx, r.kept = nil, nil, nil, nil, nil
	r.access.Query, r.access.Plan = database.Query{}, database.Plan{}
}
