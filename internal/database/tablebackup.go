// SPDX-License-Identifier: Apache-2.0

package database

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/weftdb/weft/internal/background/job"
	"github.com/weftdb/weft/internal/background/task"
	"github.com/weftdb/weft/internal/data/catalog"
	"github.com/weftdb/weft/internal/data/keyspace"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/history/journal"
	"github.com/weftdb/weft/internal/history/tablecopy"
	"github.com/weftdb/weft/internal/history/undo"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/order"
)

// The kinds of tasks of this package.
const (
	TaskBackup  = "backup"
	taskRestore = "restore"
)

// TableBackup is a copy of one table at one moment, which is kept in the store until it is deleted, whatever becomes of
// the table.
type TableBackup struct {
	ID   string `json:"-"`
	Name string `json:"name"` // given by who asked for it
	// of the table, when the backup was asked for, and of the copy from when that is there
	Schema  *schema.Table `json:"schema"`
	MadeMS  int64         `json:"madeMS"` // the moment that it shows: Unix milliseconds
	Ready   bool          `json:"ready,omitempty"`
	Gone    bool          `json:"gone,omitempty"`   // being deleted
	Failed  string        `json:"failed,omitempty"` // why it will never be ready
	Rows    int64         `json:"rows,omitempty"`
	Bytes   int64         `json:"bytes,omitempty"`
	EndMS   int64         `json:"endMS,omitempty"`   // when it was ready, or failed
	Dialect string        `json:"dialect,omitempty"` // who asked for it
}

// Arrival is a table that is being made of a backup.
type Arrival struct {
	ID     string        `json:"-"`
	Backup string        `json:"backup"`
	Schema *schema.Table `json:"schema"` // which has its id and name already
	Failed string        `json:"failed,omitempty"`
	EndMS  int64         `json:"endMS,omitempty"` // when it failed
	// Source is the id of the table that it shows as it was at AtMS, Unix milliseconds: Backup is then a copy of its
	// own. 0: it is made of a backup.
	Source uint32 `json:"source,omitempty"`
	AtMS   int64  `json:"atMS,omitempty"`
}

// ErrBackupNotFound is the error for a backup that is not there. It is of KindNotFound.
var ErrBackupNotFound = errors.New("there is no such backup")

// ErrBackupInUse is the error for a backup that is being made or restored. It is of KindBusy.
var ErrBackupInUse = errors.New("the backup is being made or restored")

// BackupTable begins to copy a table: as it is when this is called, or, if the process ends before the copy is there,
// when the next one begins it anew. Errors: KindNotFound.
func (db *DB) BackupTable(ctx context.Context, database, table, name string) (TableBackup, error) {
	if err := db.guard.Named(ctx, "dynamodb:CreateBackup", database, table); err != nil {
		return TableBackup{}, err
	}
	pin, err := db.PinIn(databaseOr(database), table)
	if err != nil {
		return TableBackup{}, err
	}
	now := db.options.Now()
	b := TableBackup{ID: task.NewID(now), Name: name, Schema: pin.Descriptor().Clone(), MadeMS: now.UnixMilli()}
	pin.Release()
	return b, wrap(table, db.fileTask(ctx, TaskBackup, b.ID, &b, nil))
}

// fileTask files a task and lets it be done.
func (db *DB) fileTask(ctx context.Context, kind, id string, detail any, with func(kv.Txn) error) error {
	err := kv.Update(ctx, db.store, func(txn kv.Txn) error {
		if with != nil {
			if err := with(txn); err != nil {
				return err
			}
		}
		return errors.Join(putTask(ctx, txn, kind, id, detail), db.ring(txn))
	})
	db.tasks.Wake(kind)
	return err
}

func putTask(ctx context.Context, txn kv.Txn, kind, id string, detail any) error {
	text, err := json.Marshal(detail)
	if err != nil {
		return err
	}
	return task.Put(ctx, txn, task.Task{Kind: kind, ID: id, Open: true, Detail: text})
}

// TableBackups returns all backups of tables, oldest first.
func (db *DB) TableBackups(ctx context.Context) (all []TableBackup, err error) {
	tasks, err := db.listTasks(ctx, TaskBackup)
	for i := range tasks {
		var b TableBackup
		if err := tasks[i].Read(&b); err != nil {
			return nil, wrap("", err)
		}
		if b.ID = tasks[i].ID; !b.Gone {
			all = append(all, b)
		}
	}
	return all, wrap("", err)
}

func (db *DB) listTasks(ctx context.Context, kind string) (all []task.Task, err error) {
	reader, err := db.store.Read(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, reader.Close()) }()
	return task.List(ctx, reader, kind)
}

// TableBackup returns a backup. Errors: ErrBackupNotFound.
func (db *DB) TableBackup(ctx context.Context, id string) (b TableBackup, err error) {
	reader, err := db.store.Read(ctx)
	if err != nil {
		return b, wrap("", err)
	}
	defer func() { err = errors.Join(err, reader.Close()) }()
	t, err := task.Get(ctx, reader, TaskBackup, id)
	if err == nil {
		err = t.Read(&b)
	}
	if errors.Is(err, task.ErrNotFound) || err == nil && b.Gone {
		return b, &Error{Kind: KindNotFound, Detail: ErrBackupNotFound.Error(), Err: ErrBackupNotFound}
	}
	b.ID = id
	return b, wrap("", err)
}

// DeleteTableBackup removes a backup; its space is freed in the background. Errors: ErrBackupNotFound, ErrBackupInUse.
func (db *DB) DeleteTableBackup(ctx context.Context, id string) (b TableBackup, err error) {
	if b, err = db.TableBackup(ctx, id); err != nil {
		return b, err
	}
	if err := db.guard.Named(ctx, "dynamodb:DeleteBackup", b.Schema.Database, b.Schema.Name); err != nil {
		return b, err
	}
	arrivals, err := db.Arrivals(ctx)
	if err != nil {
		return b, err
	}
	inUse := &Error{Kind: KindBusy, Detail: ErrBackupInUse.Error(), Err: ErrBackupInUse}
	for i := range arrivals {
		if arrivals[i].Backup == id && arrivals[i].Failed == "" {
			return b, inUse
		}
	}
	err = kv.Update(ctx, db.store, func(txn kv.Txn) error {
		return task.Change(ctx, txn, TaskBackup, id, func(t *task.Task) error {
			if err := t.Read(&b); err != nil {
				return err
			}
			if !b.Ready && b.Failed == "" {
				return inUse
			}
			gone := b
			gone.Gone, t.Open = true, true
			t.Detail, err = json.Marshal(&gone)
			return err
		})
	})
	db.tasks.Wake(TaskBackup)
	b.ID = id
	return b, wrap("", err)
}

// doBackup makes a copy, or removes one.
func (db *DB) doBackup(ctx context.Context, t task.Task) error {
	var b TableBackup
	if err := t.Read(&b); err != nil {
		return err
	}
	if b.Gone {
		if err := db.jobs.Clear(ctx, tablecopy.Range(t.ID)); err != nil {
			return err
		}
		return db.tasks.Update(ctx, func(txn kv.Txn) error { return task.Remove(txn, t.Kind, t.ID) })
	}
	head, size, err := tablecopy.Write(ctx, db.store, b.Schema.ID, t.ID, db.tasks.Update, db.tasks.Tell(t.ID))
	switch {
	case errors.Is(err, tablecopy.ErrGone):
		b.Failed = "the table was deleted before it was copied"
	case err != nil:
		return err
	default:
		b.Schema, b.Rows, b.Bytes, b.Ready = head.Schema, size.Rows, size.Bytes, true
	}
	b.EndMS = db.nowMS()
	return db.closeTask(ctx, t, &b)
}

// closeTask stores the end of a task.
func (db *DB) closeTask(ctx context.Context, t task.Task, detail any) error {
	text, err := json.Marshal(detail)
	if err != nil {
		return err
	}
	return db.tasks.Update(ctx, func(txn kv.Txn) error {
		return task.Change(ctx, txn, t.Kind, t.ID, func(t *task.Task) error {
			t.Open, t.Detail = false, text
			return nil
		})
	})
}

// RestoreTable begins to make a table of a backup. It is there, with its indexes, when all of it is; until then it is
// one of Arrivals. edit gets the schema of the backup, with the new name, and may change settings and leave indexes
// out. Errors: ErrBackupNotFound, ErrBackupInUse, KindExists, edit's.
func (db *DB) RestoreTable(ctx context.Context, id, database, name string, edit func(*schema.Table) error) (Arrival,
	error) {
	if err := db.guard.Named(ctx, "dynamodb:RestoreTableFromBackup", database, name); err != nil {
		return Arrival{}, err
	}
	b, err := db.TableBackup(ctx, id)
	if err != nil {
		return Arrival{}, err
	}
	if !b.Ready {
		return Arrival{}, &Error{Kind: KindBusy, Detail: ErrBackupInUse.Error(), Err: ErrBackupInUse}
	}
	if err := db.checkVacant(ctx, databaseOr(database), name); err != nil {
		return Arrival{}, err
	}
	return db.arrive(ctx, Arrival{Backup: id, Schema: b.Schema}, database, name, edit)
}

// arrive begins to make a table of a name, with the schema of another one.
func (db *DB) arrive(ctx context.Context, a Arrival, database, name string, edit func(*schema.Table) error) (Arrival,
	error) {
	now := db.options.Now()
	table := a.Schema
	table.Database, table.Name, table.UUID, table.CreatedAtMS = databaseOr(database), name, uuid.NewString(),
		now.UnixMilli()
	table.Streams, table.Destinations, table.Recovery = nil, nil, nil // they were of the other table's changes
	for i := range table.Indexes {
		if x := &table.Indexes[i]; x.Async != nil {
			x.State = schema.DeleteOnly // the copy has it as far as it had followed: it is built anew
		}
	}
	if err := edit(table); err != nil {
		return Arrival{}, err
	}
	if err := table.Validate(); err != nil {
		return Arrival{}, &Error{Kind: KindInvalid, Table: name, Err: err}
	}
	a.ID = task.NewID(now)
	err := kv.Update(ctx, db.store, func(txn kv.Txn) (err error) {
		table.ID, err = catalog.ReserveID(ctx, txn)
		return err
	})
	if err == nil {
		err = db.fileTask(ctx, taskRestore, a.ID, &a, nil)
	}
	return a, wrap(name, err)
}

// checkVacant wants no table of a name, neither there nor on its way.
func (db *DB) checkVacant(ctx context.Context, database, name string) error {
	if pin, err := db.PinIn(database, name); err == nil {
		pin.Release()
		return &Error{Kind: KindExists, Table: name, Detail: "a table of that name exists"}
	}
	return db.checkArrivals(ctx, database, name)
}

// checkArrivals wants no table of a name on its way.
func (db *DB) checkArrivals(ctx context.Context, database, name string) error {
	arrivals, err := db.Arrivals(ctx)
	for i := range arrivals {
		if a := arrivals[i].Schema; a.Database == database && a.Name == name && arrivals[i].Failed == "" {
			return &Error{Kind: KindExists, Table: name, Detail: "a table of that name is being restored"}
		}
	}
	return err
}

// Arrivals returns the tables that are being made of backups, and those of which nothing became.
func (db *DB) Arrivals(ctx context.Context) (all []Arrival, err error) {
	tasks, err := db.listTasks(ctx, taskRestore)
	for i := range tasks {
		var a Arrival
		if err := tasks[i].Read(&a); err != nil {
			return nil, wrap("", err)
		}
		a.ID = tasks[i].ID
		all = append(all, a)
	}
	// looked at after the tasks: a table is among the one, the other or the tables
	db.adopted.Range(func(id, a any) bool {
		if !slices.ContainsFunc(all, func(listed Arrival) bool { return listed.ID == id }) {
			all = append(all, a.(Arrival))
		}
		return true
	})
	return all, wrap("", err)
}

// arrivalPoll is the interval between two looks of WaitArrival.
const arrivalPoll = 20 * time.Millisecond

// WaitArrival returns once a table that is being made is there, or with the error why it never will be.
func (db *DB) WaitArrival(ctx context.Context, id string) error {
	for {
		all, err := db.Arrivals(ctx)
		if err != nil {
			return err
		}
		at := slices.IndexFunc(all, func(a Arrival) bool { return a.ID == id })
		if at < 0 {
			return nil
		}
		if why := all[at].Failed; why != "" {
			return &Error{Kind: KindInvalid, Table: all[at].Schema.Name, Detail: "it could not be restored: " + why}
		}
		select {
		case <-time.After(arrivalPoll):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// doRestore makes a table of a copy.
func (db *DB) doRestore(ctx context.Context, t task.Task) error {
	var a Arrival
	if err := t.Read(&a); err != nil {
		return err
	}
	a.ID = t.ID
	err := db.copyForArrival(ctx, &a)
	if err == nil {
		err = db.fillArrival(ctx, &a)
	}
	if err == nil {
		err = db.undoArrival(ctx, &a)
	}
	if err == nil {
		err = db.adopt(ctx, t, &a)
	}
	if err == nil && a.Source != 0 {
		return db.jobs.Clear(ctx, tablecopy.Range(a.Backup))
	}
	if isHopeless(err) {
		a.Failed, a.EndMS = err.Error(), db.nowMS()
		db.options.Logger.Error("a table could not be restored", "table", a.Schema.Name, "backup", a.Backup, "error",
			err)
		prefix := keyspace.AppendTableRows(nil, a.Schema.ID)
		if a.Source != 0 {
			err = db.jobs.Clear(ctx, tablecopy.Range(a.Backup))
		} else {
			err = nil
		}
		return errors.Join(err, db.jobs.Clear(ctx, rangeOf(prefix)), db.closeTask(ctx, t, &a))
	}
	return err
}

// isHopeless says that no other attempt at a restore would do better.
func isHopeless(err error) bool {
	for _, hopeless := range [...]error{tablecopy.ErrGone, tablecopy.ErrPiece, catalog.ErrExists,
		catalog.ErrDatabaseNotFound, ErrNotRestorable, undo.ErrFailed, journal.ErrEntry} {
		if errors.Is(err, hopeless) {
			return true
		}
	}
	return false
}

// fillArrival adds the entries of a copy under the new table's id, unless that was done.
func (db *DB) fillArrival(ctx context.Context, a *Arrival) (err error) {
	reader, err := db.store.Read(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, reader.Close()) }()
	pieces, err := tablecopy.NewReader(ctx, reader, a.Backup, a.Schema, db.tasks.Tell(a.ID))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, pieces.Close()) }()
	all := rangeOf(keyspace.AppendTableRows(nil, a.Schema.ID))
	if _, shared := kv.SharedOf(db.store); db.admin != nil && !shared {
		cursor := reader.Scan(ctx, all, false)
		done := cursor.Next()
		if err := cursor.Close(); err != nil || done {
			return err
		}
		if err := db.admin.Ingest(ctx, pieces.Next); !errors.Is(err, kv.ErrUnsupported) {
			return err
		}
	}
	return pieces.Put(ctx, db.tasks.Update)
}

// adopt makes the table known.
func (db *DB) adopt(ctx context.Context, t task.Task, a *Arrival) error {
	head, err := tablecopy.ReadHead(ctx, db.store, a.Backup)
	if err != nil {
		return err
	}
	presets, err := db.regions.Presets(ctx, a.Schema, make([]*RegionSpec, 1+len(a.Schema.Indexes)))
	if err != nil {
		return err
	}
	db.adopted.Store(t.ID, *a)
	defer db.adopted.Delete(t.ID)
	var work []job.Job
	err = db.catalog.Adopt(ctx, a.Schema, head.Names, func(txn kv.Txn) (err error) {
		if work, err = job.FileBuilds(ctx, txn, a.Schema, db.nowMS()); err != nil {
			return err
		}
		for number, next := range head.Counters {
			if err := txn.Set(keyspace.AppendCounter(nil, a.Schema.ID, uint32(number)), next); err != nil {
				return err
			}
		}
		if err := db.regions.Begin(ctx, txn, a.Schema.ID, presets); err != nil {
			return err
		}
		return task.Remove(txn, t.Kind, t.ID)
	})
	if err != nil {
		return err
	}
	db.regions.Publish(ctx, a.Schema.ID, presets)
	for i := range work {
		db.jobs.Add(work[i])
	}
	db.jobs.Watch(a.Schema.ID)
	if a.Schema.Cells != nil && a.Schema.Cells.Pending {
		return db.jobs.Enforce(ctx, a.Schema.ID)
	}
	return nil
}

func rangeOf(prefix []byte) kv.Range {
	end, _ := order.PrefixEnd(nil, prefix)
	return kv.Range{Start: prefix, End: end}
}
