// SPDX-License-Identifier: Apache-2.0

package exchange

import (
	"cmp"
	"context"
	"encoding/json"
	"time"

	"github.com/weftdb/weft/internal/background/task"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/database/work"
)

// Work lists the exports, imports and puts of many items that go on, or have ended lately, as people are shown them.
func Work(ctx context.Context, db *database.DB) ([]work.Work, error) {
	var list []work.Work
	for _, one := range [...]struct {
		kind string
		read func(ctx context.Context, db *database.DB, t *task.Task) (work.Work, error)
	}{{taskExport, workOfExport}, {taskImport, workOfImport}, {taskBulk, workOfBulk}} {
		tasks, err := db.Tasks().List(ctx, one.kind)
		if err != nil {
			return nil, err
		}
		open := false
		for i := range tasks {
			w, err := one.read(ctx, db, &tasks[i])
			if err != nil {
				return nil, err
			}
			w.Database, w.BeganMS = cmp.Or(w.Database, database.DefaultDatabase), task.BornMS(tasks[i].ID)
			list = append(list, work.Stand(w, tasks[i].Open, &open))
		}
	}
	return work.Lately(db, list), nil
}

func workOfExport(ctx context.Context, db *database.DB, t *task.Task) (w work.Work, err error) {
	var e exportRecord
	err = t.Read(&e)
	w = work.Work{Kind: "export a table", Database: e.Database, Table: e.Table, Done: e.Items, Bytes: e.Bytes, EndedMS: e.EndMS,
		Fault: e.Failure.Message}
	if t.Open && !e.incremental() {
		w.Expected = work.RowsOf(ctx, db, e.TableID)
	}
	return w, err
}

func workOfImport(_ context.Context, _ *database.DB, t *task.Task) (work.Work, error) {
	var e importRecord
	err := t.Read(&e)
	return work.Work{Kind: "import a table", Database: e.Database, Table: e.Table, Done: e.Read, Bytes: e.Bytes, EndedMS: e.EndMS,
		Fault: e.Failure.Message}, err
}

func workOfBulk(_ context.Context, _ *database.DB, t *task.Task) (work.Work, error) {
	var e bulkRecord
	err := t.Read(&e)
	w := work.Work{Kind: "put many items", Database: e.Database, Table: e.Table, Done: e.Processed, Bytes: e.Bytes, EndedMS: e.EndMS,
		Fault: e.Failure.Message}
	if e.Total != nil {
		w.Total = *e.Total
	}
	return w, err
}

// reportPause is the time between two reports of progress.
const reportPause = 2 * time.Second

// reportItems is the number of items between two looks of an export at the time.
const reportItems = 256

// report notes how far work is. That it fails is no news: the end is stored anyway.
func (a *API) report(ctx context.Context, one task.Task, record any) {
	_ = a.DB.Tasks().Change(ctx, one.Kind, one.ID, func(t *task.Task) (err error) {
		t.Detail, err = json.Marshal(record)
		return err
	})
}
