// SPDX-License-Identifier: Apache-2.0

// Package work is the work that goes on in the background, as people are shown it: what it is about, how far it is, and
// why it stands still.
//
// Knows: jobs of the database, its backups and restores, what other work has in common with them.
// Never: how work is done, how it is shown.
package work

import (
	"context"
	"time"

	"github.com/weftdb/weft/internal/background/task"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/history/recovery"
)

// Work is one piece of work.
type Work struct {
	Kind     string // what is done, in a few words
	Database string
	Table    string // "": its name is not known
	Object   string // the index or the backup
	State    State
	Done     int64  // rows
	Expected int64  // rows, estimated; 0: not known
	Bytes    int64  // read or written; 0: not counted
	Total    int64  // bytes that there are; 0: not known
	BeganMS  int64  // when it was asked for, in Unix milliseconds; 0: not known
	EndedMS  int64  // 0: it has not ended
	Fault    string // why it failed; of work that has not failed, why it stands still and is tried again
}

// State is how it stands with Work.
type State string

// The states of Work.
const (
	Waiting State = "waiting" // for work that was there before
	Running State = "running"
	Done    State = "done"
	Failed  State = "failed"
)

// ShownFor is the time for which work is shown after its end.
const ShownFor = time.Hour

// kindsOfJobs are the names that people read. // immutable
var kindsOfJobs = map[string]string{"build-index": "build an index", "drop-index": "remove an index",
	"drop-table": "delete the rows of a table", "compact": "rewrite a table"}

// Of lists what goes on in the background, or has ended lately: jobs, which vanish when they are done, backups of
// tables, and restores, which are done when the table is there.
func Of(ctx context.Context, db *database.DB) ([]Work, error) {
	var list []Work
	for _, j := range db.Jobs().List() {
		list = append(list, ofJob(ctx, db, &j))
	}
	tasks, err := db.Tasks().List(ctx, recovery.TaskBackup)
	if err != nil {
		return nil, err
	}
	open := false
	for i := range tasks {
		var b recovery.Backup
		if err := tasks[i].Read(&b); err != nil {
			return nil, err
		}
		w := Work{Kind: "back up a table", Database: b.Schema.Database, Table: b.Schema.Name, Object: b.Name,
			Done: b.Rows, Bytes: b.Bytes, BeganMS: b.MadeMS, EndedMS: b.EndMS, Fault: b.Failed}
		switch {
		case b.Gone:
			w.Kind, w.EndedMS, w.Fault = "delete a backup", 0, ""
		case tasks[i].Open:
			w.Done, w.Expected = db.Tasks().Rows(tasks[i].ID), RowsOf(ctx, db, b.Schema.ID)
		}
		list = append(list, Stand(w, tasks[i].Open, &open))
	}
	arrivals, err := ofArrivals(ctx, db)
	return Lately(db, append(list, arrivals...)), err
}

func ofJob(ctx context.Context, db *database.DB, j *database.Job) Work {
	w := Work{Kind: kindsOfJobs[j.Name()], Database: j.Database, Table: j.Title, State: Waiting, Done: j.Done,
		Expected: Expected(ctx, db, j), BeganMS: j.FiledMS, Fault: j.Fault}
	if j.Running || j.Done > 0 {
		w.State = Running
	}
	if p, err := db.PinID(j.Table); err == nil {
		defer p.Release()
		t := p.Descriptor()
		w.Database, w.Table = t.Database, t.Name
		for i := range t.Indexes {
			if t.Indexes[i].ID == j.Index {
				w.Object = t.Indexes[i].Name
			}
		}
	}
	return w
}

func ofArrivals(ctx context.Context, db *database.DB) (list []Work, err error) {
	arrivals, err := db.Recovery().Arrivals(ctx)
	if err != nil {
		return nil, err
	}
	open := false
	for i := range arrivals {
		a := &arrivals[i]
		w := Work{Kind: "restore a table", Database: a.Schema.Database, Table: a.Schema.Name,
			Done: db.Tasks().Rows(a.ID), BeganMS: task.BornMS(a.ID), EndedMS: a.EndMS, Fault: a.Failed}
		if a.Source != 0 {
			w.Kind, w.Expected = "restore a table to a moment", RowsOf(ctx, db, a.Source)
		} else if b, err := db.Recovery().Find(ctx, a.Backup); err == nil {
			w.Object, w.Expected = b.Name, b.Rows
		}
		list = append(list, Stand(w, a.Failed == "", &open))
	}
	return list, nil
}

// Stand gives work of a kind its state: of those that are open the first is running, and the others wait for it.
// *before reports whether one was open.
func Stand(w Work, isOpen bool, before *bool) Work {
	switch {
	case isOpen && *before:
		w.State = Waiting
	case isOpen:
		w.State, *before = Running, true
	case w.Fault != "":
		w.State = Failed
	default:
		w.State = Done
	}
	if w.Expected > 0 {
		w.Expected = max(w.Expected, w.Done) // it is an estimate
	}
	return w
}

// Lately leaves out what ended long ago.
func Lately(db *database.DB, list []Work) []Work {
	kept := list[:0]
	for _, w := range list {
		ended := w.State == Done || w.State == Failed
		if !ended || db.Tasks().Now().UnixMilli()-w.EndedMS < ShownFor.Milliseconds() {
			kept = append(kept, w)
		}
	}
	return kept
}

// Expected estimates how many rows a job will have gone through when it is done; 0 if that is not known.
func Expected(ctx context.Context, db *database.DB, j *database.Job) int64 {
	if j.Name() != "build-index" && j.Name() != "compact" {
		return 0
	}
	if rows := RowsOf(ctx, db, j.Table); rows > 0 {
		return max(rows, j.Done)
	}
	return 0
}

// RowsOf estimates how many rows a table has; 0 if that is not known, or the table is gone.
func RowsOf(ctx context.Context, db *database.DB, id uint32) int64 {
	p, err := db.PinID(id)
	if err != nil {
		return 0
	}
	defer p.Release()
	rows, err := p.Estimate(ctx, "")
	if err != nil {
		return 0
	}
	return rows.Rows
}
