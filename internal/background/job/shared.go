// SPDX-License-Identifier: Apache-2.0

package job

import (
	"context"
	"errors"
	"slices"

	"github.com/weftdb/weft/internal/background/gateway"
	"github.com/weftdb/weft/internal/data/catalog"
	"github.com/weftdb/weft/internal/data/keyspace"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/kv"
)

// transact runs fn in a transaction of a job, which fails if the job is another process's by now, or was done.
func (r *Runner) transact(ctx context.Context, j *Job, fn func(kv.Txn) error) error {
	return kv.Update(ctx, r.Store, func(txn kv.Txn) error {
		if err := r.guard(ctx, txn, j); err != nil {
			return err
		}
		return fn(txn)
	})
}

// change is Catalog.Change as a step of a job. with may be nil.
func (r *Runner) change(ctx context.Context, j *Job, edit func(*schema.Table) error, with func(kv.Txn) error) error {
	_, err := r.Catalog.Change(ctx, j.Table, edit, func(txn kv.Txn) error {
		if err := r.guard(ctx, txn, j); err != nil || with == nil {
			return err
		}
		return with(txn)
	})
	return err
}

// guard makes a transaction of a job fail unless this process owns the jobs, and this one is not done yet.
func (r *Runner) guard(ctx context.Context, txn kv.Txn, j *Job) error {
	if r.owner == nil {
		return nil
	}
	if err := r.owner.Guard(ctx, txn); err != nil {
		return err
	}
	if _, ok, err := txn.Get(ctx, keyspace.AppendJob(nil, j.ID), nil); err != nil || !ok {
		return errors.Join(err, catalog.ErrNotFound)
	}
	return nil
}

// isLeft reports whether a job failed because it is another process's.
func isLeft(err error) bool {
	return errors.Is(err, gateway.ErrNotOwner) || errors.Is(err, kv.ErrFenced)
}

// quietPolls is the number of pauses without a ring after which jobs are looked for all the same: another version may
// not ring.
const quietPolls = 100

// follow keeps the list of jobs as it is stored, whoever files and does them. While there are none, it waits for a
// ring.
func (r *Runner) follow(ctx context.Context) {
	heard, quiet := uint64(0), 0
	for rest(ctx, r.Poll) == nil {
		rings := r.Rings()
		if quiet++; rings == heard && quiet < quietPolls && len(r.List()) == 0 {
			continue
		}
		if !r.reload(ctx) {
			continue
		}
		heard, quiet = rings, 0
		if r.owner.Owned() && len(r.List()) > 0 {
			r.wakeUp()
		}
	}
}

// reload reads the jobs; how they failed here is not stored. false: it has to be done again.
func (r *Runner) reload(ctx context.Context) bool {
	r.mu.Lock()
	before := r.changed
	r.mu.Unlock()
	stored, err := load(ctx, r.Store)
	if err != nil {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.changed != before {
		return false // what was read may be of before the change
	}
	next := make([]Job, 0, len(stored))
	var failed []Job
	for _, j := range stored {
		at := slices.IndexFunc(r.jobs, func(other Job) bool { return other.ID == j.ID })
		if at >= 0 && r.jobs[at].Fault != "" {
			j.Fault, j.Misfit, j.Duplicate = r.jobs[at].Fault, r.jobs[at].Misfit, r.jobs[at].Duplicate
			failed = append(failed, j)
			continue
		}
		next = append(next, j)
	}
	r.jobs = append(next, failed...)
	r.notify()
	return true
}
