// SPDX-License-Identifier: Apache-2.0

package task

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/weftdb/weft/internal/background/gateway"
	"github.com/weftdb/weft/internal/rows/failure"
	"github.com/weftdb/weft/kv"
)

// NewID returns an id of now: see the function of that name.
func (r *Runner) NewID() string { return NewID(r.Now()) }

// File stores a record that is open, and wakes the one that does its kind. Errors: ErrExists.
func (r *Runner) File(ctx context.Context, kind, id string, detail any) error {
	err := kv.Update(ctx, r.Store, func(txn kv.Txn) error {
		if r.Owner != nil { // others may be the ones who do it
			if err := gateway.Ring(txn); err != nil {
				return err
			}
		}
		return Open(ctx, txn, kind, id, detail)
	})
	r.Wake(kind)
	return failure.Wrap("", err)
}

// Open is File within a transaction, without the waking. Errors: ErrExists.
func Open(ctx context.Context, txn kv.Txn, kind, id string, detail any) error {
	text, err := json.Marshal(detail)
	if err != nil {
		return err
	}
	return Put(ctx, txn, Task{Kind: kind, ID: id, Open: true, Detail: text})
}

// Finish stores a record that is over, unless another process does the tasks by now.
func (r *Runner) Finish(ctx context.Context, t Task, detail any) error {
	return r.note(ctx, t, false, detail)
}

// Note stores how far a task is, unless another process does the tasks by now.
func (r *Runner) Note(ctx context.Context, t Task, detail any) error {
	return r.note(ctx, t, true, detail)
}

func (r *Runner) note(ctx context.Context, t Task, open bool, detail any) error {
	text, err := json.Marshal(detail)
	if err != nil {
		return err
	}
	return failure.Wrap("", r.Update(ctx, func(txn kv.Txn) error {
		return Change(ctx, txn, t.Kind, t.ID, func(t *Task) error {
			t.Open, t.Detail = open, text
			return nil
		})
	}))
}

// Change changes a record. edit may run more than once. Errors: ErrNotFound, edit's.
func (r *Runner) Change(ctx context.Context, kind, id string, edit func(*Task) error) error {
	return kv.Update(ctx, r.Store, func(txn kv.Txn) error { return Change(ctx, txn, kind, id, edit) })
}

// Remove takes a record away.
func (r *Runner) Remove(ctx context.Context, kind, id string) error {
	return failure.Wrap("", kv.Update(ctx, r.Store, func(txn kv.Txn) error { return Remove(txn, kind, id) }))
}

// Get returns a record. Errors: ErrNotFound.
func (r *Runner) Get(ctx context.Context, kind, id string) (one Task, err error) {
	reader, err := r.Store.Read(ctx)
	if err != nil {
		return one, failure.Wrap("", err)
	}
	defer func() { err = errors.Join(err, reader.Close()) }()
	return Get(ctx, reader, kind, id)
}

// List returns the records of a kind, in the order of their ids.
func (r *Runner) List(ctx context.Context, kind string) (all []Task, err error) {
	reader, err := r.Store.Read(ctx)
	if err != nil {
		return nil, failure.Wrap("", err)
	}
	defer func() { err = errors.Join(err, reader.Close()) }()
	all, err = List(ctx, reader, kind)
	return all, failure.Wrap("", err)
}
