// SPDX-License-Identifier: Apache-2.0

package recovery

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/weftdb/weft/internal/background/job"
	"github.com/weftdb/weft/internal/background/region"
	"github.com/weftdb/weft/internal/background/task"
	"github.com/weftdb/weft/internal/data/catalog"
	"github.com/weftdb/weft/internal/data/keyspace"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/history/journal"
	"github.com/weftdb/weft/internal/history/tablecopy"
	"github.com/weftdb/weft/internal/history/undo"
	"github.com/weftdb/weft/internal/rows/failure"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/order"
)

// The kinds of tasks of this package.
const (
	TaskBackup  = "backup"
	taskRestore = "restore"
)

// Backup is a copy of one table at one moment, which is kept in the store until it is deleted, whatever becomes of
// the table.
type Backup struct {
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

// ErrBackupNotFound is the error for a backup that is not there. It is of failure.NotFound.
var ErrBackupNotFound = errors.New("there is no such backup")

// ErrBackupInUse is the error for a backup that is being made or restored. It is of failure.Busy.
var ErrBackupInUse = errors.New("the backup is being made or restored")

// Backup begins to copy a table: as it is when this is called, or, if the process ends before the copy is there,
// when the next one begins it anew. Errors: failure.NotFound.
func (k *Keeper) Backup(ctx context.Context, database, table, name string) (Backup, error) {
	if err := k.Changes.Guard.Named(ctx, "dynamodb:CreateBackup", database, table); err != nil {
		return Backup{}, err
	}
	source, release, err := k.Changes.Tables.Named(database, table)
	if err != nil {
		return Backup{}, err
	}
	now := k.Changes.Now()
	b := Backup{ID: task.NewID(now), Name: name, Schema: source.Schema.Clone(), MadeMS: now.UnixMilli()}
	release()
	return b, failure.Wrap(table, k.Tasks.File(ctx, TaskBackup, b.ID, &b))
}

// Backups returns all backups of tables, oldest first.
func (k *Keeper) Backups(ctx context.Context) (all []Backup, err error) {
	tasks, err := k.Tasks.List(ctx, TaskBackup)
	for i := range tasks {
		var b Backup
		if err := tasks[i].Read(&b); err != nil {
			return nil, failure.Wrap("", err)
		}
		if b.ID = tasks[i].ID; !b.Gone {
			all = append(all, b)
		}
	}
	return all, failure.Wrap("", err)
}

// Find returns a backup. Errors: ErrBackupNotFound.
func (k *Keeper) Find(ctx context.Context, id string) (b Backup, err error) {
	t, err := k.Tasks.Get(ctx, TaskBackup, id)
	if err == nil {
		err = t.Read(&b)
	}
	if errors.Is(err, task.ErrNotFound) || err == nil && b.Gone {
		return b, &failure.Error{Kind: failure.NotFound, Detail: ErrBackupNotFound.Error(), Err: ErrBackupNotFound}
	}
	b.ID = id
	return b, failure.Wrap("", err)
}

// DeleteBackup removes a backup; its space is freed in the background. Errors: ErrBackupNotFound, ErrBackupInUse.
func (k *Keeper) DeleteBackup(ctx context.Context, id string) (b Backup, err error) {
	if b, err = k.Find(ctx, id); err != nil {
		return b, err
	}
	if err := k.Changes.Guard.Named(ctx, "dynamodb:DeleteBackup", b.Schema.Database, b.Schema.Name); err != nil {
		return b, err
	}
	arrivals, err := k.Arrivals(ctx)
	if err != nil {
		return b, err
	}
	inUse := &failure.Error{Kind: failure.Busy, Detail: ErrBackupInUse.Error(), Err: ErrBackupInUse}
	for i := range arrivals {
		if arrivals[i].Backup == id && arrivals[i].Failed == "" {
			return b, inUse
		}
	}
	err = kv.Update(ctx, k.Changes.Store, func(txn kv.Txn) error {
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
	k.Tasks.Wake(TaskBackup)
	b.ID = id
	return b, failure.Wrap("", err)
}

// doBackup makes a copy, or removes one.
func (k *Keeper) doBackup(ctx context.Context, t task.Task) error {
	var b Backup
	if err := t.Read(&b); err != nil {
		return err
	}
	if b.Gone {
		if err := k.Jobs.Clear(ctx, tablecopy.Range(t.ID)); err != nil {
			return err
		}
		return k.Tasks.Update(ctx, func(txn kv.Txn) error { return task.Remove(txn, t.Kind, t.ID) })
	}
	head, size, err := tablecopy.Write(ctx, k.Changes.Store, b.Schema.ID, t.ID, k.Tasks.Update, k.Tasks.Tell(t.ID))
	switch {
	case errors.Is(err, tablecopy.ErrGone):
		b.Failed = "the table was deleted before it was copied"
	case err != nil:
		return err
	default:
		b.Schema, b.Rows, b.Bytes, b.Ready = head.Schema, size.Rows, size.Bytes, true
	}
	b.EndMS = k.nowMS()
	return k.Tasks.Finish(ctx, t, &b)
}

// Restore begins to make a table of a backup. It is there, with its indexes, when all of it is; until then it is
// one of Arrivals. edit gets the schema of the backup, with the new name, and may change settings and leave indexes
// out. Errors: ErrBackupNotFound, ErrBackupInUse, failure.Exists, edit's.
func (k *Keeper) Restore(ctx context.Context, id, database, name string, edit func(*schema.Table) error) (Arrival,
	error) {
	if err := k.Changes.Guard.Named(ctx, "dynamodb:RestoreTableFromBackup", database, name); err != nil {
		return Arrival{}, err
	}
	b, err := k.Find(ctx, id)
	if err != nil {
		return Arrival{}, err
	}
	if !b.Ready {
		return Arrival{}, &failure.Error{Kind: failure.Busy, Detail: ErrBackupInUse.Error(), Err: ErrBackupInUse}
	}
	if err := k.checkVacant(ctx, database, name); err != nil {
		return Arrival{}, err
	}
	return k.arrive(ctx, Arrival{Backup: id, Schema: b.Schema}, database, name, edit)
}

// arrive begins to make a table of a name, with the schema of another one.
func (k *Keeper) arrive(ctx context.Context, a Arrival, database, name string, edit func(*schema.Table) error) (Arrival,
	error) {
	now := k.Changes.Now()
	table := a.Schema
	table.Database, table.Name = cmp.Or(database, catalog.DefaultDatabase), name
	table.UUID, table.CreatedAtMS = uuid.NewString(), now.UnixMilli()
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
		return Arrival{}, &failure.Error{Kind: failure.Invalid, Table: name, Err: err}
	}
	a.ID = task.NewID(now)
	err := kv.Update(ctx, k.Changes.Store, func(txn kv.Txn) (err error) {
		table.ID, err = catalog.ReserveID(ctx, txn)
		return err
	})
	if err == nil {
		err = k.Tasks.File(ctx, taskRestore, a.ID, &a)
	}
	return a, failure.Wrap(name, err)
}

// checkVacant wants no table of a name, neither there nor on its way.
func (k *Keeper) checkVacant(ctx context.Context, database, name string) error {
	if _, release, err := k.Changes.Tables.Named(database, name); err == nil {
		release()
		return &failure.Error{Kind: failure.Exists, Table: name, Detail: "a table of that name exists"}
	}
	return k.CheckArrivals(ctx, database, name)
}

// CheckArrivals wants no table of a name on its way.
func (k *Keeper) CheckArrivals(ctx context.Context, database, name string) error {
	database = cmp.Or(database, catalog.DefaultDatabase)
	arrivals, err := k.Arrivals(ctx)
	for i := range arrivals {
		if a := arrivals[i].Schema; a.Database == database && a.Name == name && arrivals[i].Failed == "" {
			return &failure.Error{Kind: failure.Exists, Table: name, Detail: "a table of that name is being restored"}
		}
	}
	return err
}

// Arrivals returns the tables that are being made of backups, and those of which nothing became.
func (k *Keeper) Arrivals(ctx context.Context) (all []Arrival, err error) {
	tasks, err := k.Tasks.List(ctx, taskRestore)
	for i := range tasks {
		var a Arrival
		if err := tasks[i].Read(&a); err != nil {
			return nil, failure.Wrap("", err)
		}
		a.ID = tasks[i].ID
		all = append(all, a)
	}
	// looked at after the tasks: a table is among the one, the other or the tables
	k.adopted.Range(func(id, a any) bool {
		if !slices.ContainsFunc(all, func(listed Arrival) bool { return listed.ID == id }) {
			all = append(all, a.(Arrival))
		}
		return true
	})
	return all, failure.Wrap("", err)
}

// arrivalPoll is the interval between two looks of WaitArrival.
const arrivalPoll = 20 * time.Millisecond

// WaitArrival returns once a table that is being made is there, or with the error why it never will be.
func (k *Keeper) WaitArrival(ctx context.Context, id string) error {
	for {
		all, err := k.Arrivals(ctx)
		if err != nil {
			return err
		}
		at := slices.IndexFunc(all, func(a Arrival) bool { return a.ID == id })
		if at < 0 {
			return nil
		}
		if why := all[at].Failed; why != "" {
			return &failure.Error{Kind: failure.Invalid, Table: all[at].Schema.Name, Detail: "it could not be restored: " + why}
		}
		select {
		case <-time.After(arrivalPoll):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// doRestore makes a table of a copy, or clears away what an attempt has left that had to fail.
func (k *Keeper) doRestore(ctx context.Context, t task.Task) error {
	var a Arrival
	if err := t.Read(&a); err != nil {
		return err
	}
	a.ID = t.ID
	if a.Failed != "" {
		return k.clearArrival(ctx, t, &a)
	}
	err := k.makeArrival(ctx, t, &a)
	if !isHopeless(err) {
		return err
	}
	a.Failed, a.EndMS = err.Error(), k.nowMS()
	k.Changes.Logger.Error("a table could not be restored", "table", a.Schema.Name, "backup", a.Backup, "error", err)
	return k.clearArrival(ctx, t, &a)
}

func (k *Keeper) makeArrival(ctx context.Context, t task.Task, a *Arrival) error {
	for _, step := range [...]func(context.Context, *Arrival) error{k.copyForArrival, k.fillArrival, k.undoArrival} {
		if err := step(ctx, a); err != nil {
			return err
		}
	}
	err := k.adopt(ctx, t, a)
	if err == nil && a.Source != 0 {
		err = k.Jobs.Clear(ctx, tablecopy.Range(a.Backup))
	}
	return err
}

// clearArrival ends a restore that has failed, and deletes what it has made. The failure is stored before: then
// no other process, which may have taken the task over meanwhile, has made a table of the rows, or ever will.
func (k *Keeper) clearArrival(ctx context.Context, t task.Task, a *Arrival) error {
	if err := k.Tasks.Note(ctx, t, a); err != nil {
		return err
	}
	if a.Source != 0 {
		if err := k.Jobs.Clear(ctx, tablecopy.Range(a.Backup)); err != nil {
			return err
		}
	}
	if err := k.Jobs.Clear(ctx, rangeOf(keyspace.AppendTableRows(nil, a.Schema.ID))); err != nil {
		return err
	}
	return k.Tasks.Finish(ctx, t, a)
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
func (k *Keeper) fillArrival(ctx context.Context, a *Arrival) (err error) {
	reader, err := k.Changes.Store.Read(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, reader.Close()) }()
	pieces, err := tablecopy.NewReader(ctx, reader, a.Backup, a.Schema, k.Tasks.Tell(a.ID))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, pieces.Close()) }()
	all := rangeOf(keyspace.AppendTableRows(nil, a.Schema.ID))
	if _, shared := kv.SharedOf(k.Changes.Store); k.Changes.Admin != nil && !shared {
		cursor := reader.Scan(ctx, all, false)
		done := cursor.Next()
		if err := cursor.Close(); err != nil || done {
			return err
		}
		if err := k.Changes.Admin.Ingest(ctx, pieces.Next); !errors.Is(err, kv.ErrUnsupported) {
			return err
		}
	}
	return pieces.Put(ctx, k.Tasks.Update)
}

// adopt makes the table known.
func (k *Keeper) adopt(ctx context.Context, t task.Task, a *Arrival) error {
	head, err := tablecopy.ReadHead(ctx, k.Changes.Store, a.Backup)
	if err != nil {
		return err
	}
	presets, err := k.Regions.Presets(ctx, a.Schema, make([]*region.Spec, 1+len(a.Schema.Indexes)))
	if err != nil {
		return err
	}
	k.adopted.Store(t.ID, *a)
	defer k.adopted.Delete(t.ID)
	var work []job.Job
	err = k.Changes.Catalog.Adopt(ctx, a.Schema, head.Names, func(txn kv.Txn) (err error) {
		if err := k.Tasks.Guard(ctx, txn); err != nil {
			return err
		}
		if work, err = job.FileBuilds(ctx, txn, a.Schema, k.nowMS()); err != nil {
			return err
		}
		for number, next := range head.Counters {
			if err := txn.Set(keyspace.AppendCounter(nil, a.Schema.ID, uint32(number)), next); err != nil {
				return err
			}
		}
		if err := k.Regions.Begin(ctx, txn, a.Schema.ID, presets); err != nil {
			return err
		}
		return task.Remove(txn, t.Kind, t.ID)
	})
	if err != nil {
		return err
	}
	k.Regions.Publish(ctx, a.Schema.ID, presets)
	for i := range work {
		k.Jobs.Add(work[i])
	}
	k.Jobs.Watch(a.Schema.ID)
	if a.Schema.Cells != nil && a.Schema.Cells.Pending {
		return k.Jobs.Enforce(ctx, a.Schema.ID)
	}
	return nil
}

func rangeOf(prefix []byte) kv.Range {
	end, _ := order.PrefixEnd(nil, prefix)
	return kv.Range{Start: prefix, End: end}
}
