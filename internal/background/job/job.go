// SPDX-License-Identifier: Apache-2.0

// Package job does long work beside everything else: building an index on a table in use, freeing the space of dropped
// tables and indexes. A job is filed in the same transaction as the change of the schema that asks for it. Most work is
// done in small transactions and keeps its progress with each, so that it goes on where it was after a restart; indexes
// are built by sorting where the engine can add sorted entries, and begun again. Expired rows are deleted in small
// transactions, too, but are no job: the index that orders them by expiry says at any time what is to be done.
//
// Knows: the stages of an index build, sorting, batches, progress, which rows have expired.
// Never: dialects, protocols, which job is worth doing.
package job

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/weftdb/weft/internal/data/catalog"
	"github.com/weftdb/weft/internal/data/keyspace"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/rows/record"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/order"
)

// Kind is the kind of a job.
type Kind string

// The kinds of jobs.
const (
	BuildIndex Kind = "build-index"
	DropIndex  Kind = "drop-index"
	DropTable  Kind = "drop-table"
	Compact    Kind = "compact"
)

// Job is one piece of work, as it is stored.
type Job struct {
	ID    uint64 `json:"id"`
	Kind  Kind   `json:"kind"`
	Table uint32 `json:"table"`
	Index uint32 `json:"index,omitempty"`
	// Cursor is the key of the last row done, relative to the table's prefix.
	Cursor []byte `json:"cursor,omitempty"`
	// Done counts the rows done.
	Done int64 `json:"done"`
	// Misfits counts the rows among them that don't fit the index and were passed over.
	Misfits int64 `json:"misfits,omitempty"`
	// Loaded says of a BuildIndex that entries of a snapshot may be in the index, of rows that were changed since.
	Loaded bool `json:"loaded,omitempty"`
	// Markers says of a Compact that delete markers go, too, and Engine that the engine is to compact the table in the
	// end.
	Markers bool `json:"markers,omitempty"`
	Engine  bool `json:"engine,omitempty"`
	// Database and Title name a table that is being removed: no other record does any more.
	Database string `json:"database,omitempty"`
	Title    string `json:"title,omitempty"`
	// FiledMS is when it was filed, in Unix milliseconds; 0: by a version that did not note it.
	FiledMS int64 `json:"filedMS,omitempty"`
	// Running says that this process is at it.
	Running bool `json:"-"`
	// Fault is why the last attempt failed; the job is tried again.
	Fault string `json:"fault,omitempty"`
	// Misfit says that the last attempt failed for a row that can't stand in the index, which no further attempt will
	// change.
	Misfit bool `json:"-"`
	// Duplicate is the row for which the last attempt failed that has the same key as another one in a unique index;
	// nil for none.
	Duplicate *record.DuplicateError `json:"-"`
}

// File stores a new job within the transaction that makes it necessary, and gives it its ID.
func File(ctx context.Context, txn kv.Txn, j *Job, nowMS int64) error {
	id, err := catalog.NextID(ctx, txn, "job")
	if err != nil {
		return err
	}
	j.ID, j.FiledMS = id, nowMS
	return save(txn, j)
}

// FileBuilds files the builds of the indexes of a new table that have yet to begin.
func FileBuilds(ctx context.Context, txn kv.Txn, table *schema.Table, nowMS int64) (work []Job, err error) {
	for i := range table.Indexes {
		if x := &table.Indexes[i]; x.State == schema.DeleteOnly && err == nil {
			work = append(work, Job{Kind: BuildIndex, Table: table.ID, Index: x.ID})
			err = File(ctx, txn, &work[len(work)-1], nowMS)
		}
	}
	return work, err
}

func save(txn kv.Txn, j *Job) error {
	stored, err := json.Marshal(j)
	if err != nil {
		return err
	}
	return txn.Set(keyspace.AppendJob(nil, j.ID), stored)
}

func remove(txn kv.Txn, j *Job) error { return txn.Delete(keyspace.AppendJob(nil, j.ID)) }

func load(ctx context.Context, store kv.Store) ([]Job, error) {
	reader, err := store.Read(ctx)
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	prefix := keyspace.AppendJobs(nil)
	end, _ := order.PrefixEnd(nil, prefix)
	cursor := reader.Scan(ctx, kv.Range{Start: prefix, End: end}, false)
	defer cursor.Close()
	var jobs []Job
	for cursor.Next() {
		var j Job
		if err := json.Unmarshal(cursor.Value(), &j); err != nil {
			return nil, fmt.Errorf("job: %s: %w", keyspace.Print(cursor.Key()), err)
		}
		jobs = append(jobs, j)
	}
	return jobs, cursor.Close()
}

// TableOf returns the table of a job as it is stored.
func TableOf(record []byte) (table uint32, err error) {
	var j Job
	err = json.Unmarshal(record, &j)
	return j.Table, err
}

// Name describes the job.
func (j *Job) Name() string { return string(j.Kind) }

// TableName names the table by its id, which stays unique when a table of the same name is made again.
func (j *Job) TableName() string { return strconv.FormatUint(uint64(j.Table), 10) }

// IndexName names the index by its id; "" for a job on the whole table.
func (j *Job) IndexName() string {
	if j.Index == 0 {
		return ""
	}
	return strconv.FormatUint(uint64(j.Index), 10)
}

// Progress is the progress of building an index.
type Progress struct {
	Done     int64 // rows that the build has passed
	Expected int64 // rows of the table, estimated; never below Done
	// Fault is why the build stands still, "" if it does not; it is tried again and again. Misfit says that it waits
	// for a row to be changed which can't stand in the index.
	Fault  string
	Misfit bool
	// Duplicate is that row, if the index is unique and another row has the same key; nil for other faults.
	Duplicate *record.DuplicateError
}

// Percent is Done of Expected in whole percent, 0 to 99: a build that has passed all rows still has to publish the
// index.
func (p Progress) Percent() int { return int(min(99, 100*float64(p.Done)/float64(max(p.Expected, 1)))) }
