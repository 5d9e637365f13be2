// SPDX-License-Identifier: Apache-2.0

// Package task keeps records of work that clients ask for and look at later, such as backups, exports and imports, and
// lets it be done in the background: each record stays open until its work is over, so that a process that starts takes
// up what another one left.
//
// Knows: records, which are open, the worker of each kind.
// Never: what any kind of work is.
package task

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"github.com/weftdb/weft/internal/data/keyspace"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/order"
)

// Task is one record.
type Task struct {
	Kind string `json:"kind"`
	// ID is unique among those of a kind. They are listed in the order of their ids.
	ID string `json:"id"`
	// Open says that there is work left.
	Open bool `json:"open,omitempty"`
	// Detail is the record, in JSON, of the code that does this kind.
	Detail json.RawMessage `json:"detail"`
}

// Errors of the book.
var (
	ErrNotFound = errors.New("task: there is no such record")
	ErrExists   = errors.New("task: there is such a record")
)

// NewID returns an id that sorts by time, in the form that AWS gives backups and exports. Its first hexadecimal digits
// are the microsecond, so that tasks of one millisecond keep their order.
func NewID(now time.Time) string {
	return fmt.Sprintf("%014d-%03x%05x", now.UnixMilli(), now.UnixMicro()%1000, rand.Uint32N(1<<20))
}

// BornMS is when a task was filed, in Unix milliseconds: its id begins with that.
func BornMS(id string) int64 {
	ms, _, _ := strings.Cut(id, "-")
	n, _ := strconv.ParseInt(ms, 10, 64) // ids are NewID's
	return n
}

// Read decodes Detail.
func (t *Task) Read(into any) error {
	if err := json.Unmarshal(t.Detail, into); err != nil {
		return fmt.Errorf("task: %s %s: %w", t.Kind, t.ID, err)
	}
	return nil
}

// Put files a new record in a transaction. Errors: ErrExists.
func Put(ctx context.Context, txn kv.Txn, t Task) error {
	key := keyspace.AppendTask(nil, t.Kind, t.ID)
	if _, ok, err := txn.Get(ctx, key, nil); err != nil || ok {
		return cmp.Or(err, ErrExists)
	}
	return set(txn, key, &t)
}

// Change changes a record that is there in a transaction. Errors: ErrNotFound, edit's.
func Change(ctx context.Context, txn kv.Txn, kind, id string, edit func(*Task) error) error {
	key := keyspace.AppendTask(nil, kind, id)
	t, err := get(ctx, txn, key)
	if err == nil {
		err = edit(&t)
	}
	if err != nil {
		return err
	}
	return set(txn, key, &t)
}

// Remove takes a record away in a transaction.
func Remove(txn kv.Txn, kind, id string) error { return txn.Delete(keyspace.AppendTask(nil, kind, id)) }

// Get returns a record. Errors: ErrNotFound.
func Get(ctx context.Context, from kv.Snapshot, kind, id string) (Task, error) {
	return get(ctx, from, keyspace.AppendTask(nil, kind, id))
}

func get(ctx context.Context, from kv.Snapshot, key []byte) (t Task, err error) {
	stored, ok, err := from.Get(ctx, key, nil)
	if err != nil || !ok {
		return t, cmp.Or(err, ErrNotFound)
	}
	return t, json.Unmarshal(stored, &t)
}

func set(txn kv.Txn, key []byte, t *Task) error {
	stored, err := json.Marshal(t)
	if err != nil {
		return err
	}
	return txn.Set(key, stored)
}

// List returns all records of a kind, in the order of their ids.
func List(ctx context.Context, from kv.Snapshot, kind string) (all []Task, err error) {
	prefix := keyspace.AppendTasks(nil, kind)
	end, _ := order.PrefixEnd(nil, prefix)
	cursor := from.Scan(ctx, kv.Range{Start: prefix, End: end}, false)
	defer func() { err = errors.Join(err, cursor.Close()) }()
	for cursor.Next() {
		var t Task
		if err := json.Unmarshal(cursor.Value(), &t); err != nil {
			return nil, fmt.Errorf("task: %s: %w", keyspace.Print(cursor.Key()), err)
		}
		all = append(all, t)
	}
	return all, nil
}
