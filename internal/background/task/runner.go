// SPDX-License-Identifier: Apache-2.0

package task

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/weftdb/weft/kv"
)

// Work is the work of which one process is the owner, where several share a store.
const Work = "tasks"

// Owner reports whether this process owns work that one process does for all.
type Owner interface {
	// Owned reports whether this process owned the work when it last looked.
	Owned() bool
	// Guard makes a transaction fail unless it still does when the transaction commits.
	Guard(ctx context.Context, txn kv.Txn) error
}

// Options configures a Runner. Store and Logger are required.
type Options struct {
	Store  kv.Store
	Logger *slog.Logger
	Now    func() time.Time // nil: there are no new ids
	// Owner reports whether this process does tasks; nil: it does, for there are no others.
	Owner Owner
	// Poll is the interval between two searches for tasks that others filed. It counts with an Owner alone, and must be
	// positive then.
	Poll time.Duration
	// Rings grows when a task may have been filed elsewhere. It counts with an Owner alone, and is required then.
	Rings func() uint64
	// Idle lets nothing be done.
	Idle bool
}

// Runner does the open tasks of one process, one of each kind at a time, in the order of their ids.
type Runner struct {
	Options
	work   context.Context // ends with Close
	cancel context.CancelFunc
	group  sync.WaitGroup

	mu      sync.Mutex
	wakes   map[string]chan struct{} // by kind
	current map[string]current       // by kind
	rows    map[string]int64         // that are done of the tasks in current, by id
	changed chan struct{}            // closed and renewed when a task is over
}

// current is the task of a kind that is being done.
type current struct {
	id     string
	cancel context.CancelFunc
}

// retryPause is the time a task that failed waits for its next attempt.
const retryPause = 2 * time.Second

// Start returns a Runner that does nothing yet.
func Start(ctx context.Context, o Options) *Runner {
	work, cancel := context.WithCancel(context.WithoutCancel(ctx))
	return &Runner{Options: o, work: work, cancel: cancel, wakes: map[string]chan struct{}{},
		current: map[string]current{}, rows: map[string]int64{}, changed: make(chan struct{})}
}

// Close stops the work and returns when it has stopped. Open tasks go on with the next Runner.
func (r *Runner) Close() {
	r.mu.Lock()
	r.cancel()
	r.mu.Unlock()
	r.group.Wait()
}

// Serve does all tasks of a kind from now on. do does one, and returns nil once its record is not open any more, or
// gone; after an error it is called again. It must bear to be called for work that was done in part.
func (r *Runner) Serve(kind string, do func(ctx context.Context, t Task) error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.Idle || r.work.Err() != nil {
		return
	}
	wake := make(chan struct{}, 1)
	r.wakes[kind] = wake
	r.group.Go(func() { r.run(kind, wake, do) })
}

// Wake says that a task of a kind was filed.
func (r *Runner) Wake(kind string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	select {
	case r.wakes[kind] <- struct{}{}:
	default:
	}
}

// WakeAll says that there may be other tasks, of any kind.
func (r *Runner) WakeAll() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, wake := range r.wakes {
		select {
		case wake <- struct{}{}:
		default:
		}
	}
}

// Stop ends the attempt at a task that is under way, if there is one: its context ends.
func (r *Runner) Stop(kind, id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if c := r.current[kind]; c.id == id && c.cancel != nil {
		c.cancel()
	}
}

// Tell returns what notes how many rows of a task are done. They are forgotten with the attempt.
func (r *Runner) Tell(id string) func(rows int64) {
	return func(rows int64) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.rows[id] = rows
	}
}

// Rows is the number of rows of a task that are done, if this process is at it.
func (r *Runner) Rows(id string) int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.rows[id]
}

// Wait returns once no task of the kinds that are served is open, or with ctx's error.
func (r *Runner) Wait(ctx context.Context) error {
	for {
		r.mu.Lock()
		changed, kinds := r.changed, make([]string, 0, len(r.wakes))
		left := len(r.current) > 0 // a record may be over before what is done behind it is
		for kind := range r.wakes {
			kinds = append(kinds, kind)
		}
		r.mu.Unlock()
		for _, kind := range kinds {
			_, found, err := r.next(ctx, kind)
			if err != nil {
				return err
			}
			left = left || found
		}
		if !left {
			return nil
		}
		select {
		case <-changed:
		case <-r.work.Done():
			return kv.ErrClosed
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (r *Runner) run(kind string, wake chan struct{}, do func(ctx context.Context, t Task) error) {
	for r.work.Err() == nil {
		heard := r.rings()
		if !r.owns() {
			r.rest(wake, heard)
			continue
		}
		t, found, err := r.next(r.work, kind)
		if err == nil && found && r.owns() {
			err = r.one(t, do)
		} else if err == nil {
			r.rest(wake, heard)
			continue
		}
		if err != nil && r.work.Err() == nil {
			r.Logger.Error("task failed; will retry", "kind", kind, "id", t.ID, "error", err)
			select {
			case <-time.After(retryPause):
			case <-r.work.Done():
			}
		}
	}
}

// owns reports whether this process does tasks.
func (r *Runner) owns() bool { return r.Owner == nil || r.Owner.Owned() }

func (r *Runner) rings() uint64 {
	if r.Owner == nil {
		return 0
	}
	return r.Rings()
}

// quietPolls is the number of pauses without a ring after which tasks are looked for all the same: another version may
// not ring.
const quietPolls = 100

// rest waits for a task, for a ring since heard, or for this process to become the one that does tasks.
func (r *Runner) rest(wake chan struct{}, heard uint64) {
	owned := r.owns()
	for range quietPolls {
		var poll <-chan time.Time
		if r.Owner != nil {
			poll = time.After(r.Poll)
		}
		select {
		case <-wake:
			return
		case <-r.work.Done():
			return
		case <-poll:
			if r.rings() != heard || r.owns() != owned {
				return
			}
		}
	}
}

// one makes an attempt at a task.
func (r *Runner) one(t Task, do func(ctx context.Context, t Task) error) error {
	ctx, cancel := context.WithCancel(r.work)
	defer cancel()
	r.mu.Lock()
	r.current[t.Kind] = current{t.ID, cancel}
	r.mu.Unlock()
	err := do(ctx, t)
	r.mu.Lock()
	delete(r.current, t.Kind)
	delete(r.rows, t.ID)
	close(r.changed)
	r.changed = make(chan struct{})
	r.mu.Unlock()
	if errors.Is(err, ErrNotFound) {
		return nil // it was taken away meanwhile
	}
	return err
}

// next returns the first open task of a kind.
func (r *Runner) next(ctx context.Context, kind string) (t Task, found bool, err error) {
	reader, err := r.Store.Read(ctx)
	if err != nil {
		return t, false, err
	}
	defer func() { err = errors.Join(err, reader.Close()) }()
	all, err := List(ctx, reader, kind)
	for i := range all {
		if all[i].Open {
			return all[i], true, err
		}
	}
	return t, false, err
}

// Guard makes a transaction of a task fail if another process does the tasks by now.
func (r *Runner) Guard(ctx context.Context, txn kv.Txn) error {
	if r.Owner == nil {
		return nil
	}
	return r.Owner.Guard(ctx, txn)
}

// Update runs fn in a transaction of a task; see Guard.
func (r *Runner) Update(ctx context.Context, fn func(kv.Txn) error) error {
	return kv.Update(ctx, r.Store, func(txn kv.Txn) error {
		if err := r.Guard(ctx, txn); err != nil {
			return err
		}
		return fn(txn)
	})
}
