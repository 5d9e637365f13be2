// SPDX-License-Identifier: Apache-2.0

package job

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/weftdb/weft/internal/advice/heat"
	"github.com/weftdb/weft/internal/data/catalog"
	"github.com/weftdb/weft/internal/data/keyspace"
	"github.com/weftdb/weft/internal/rows/record"
	"github.com/weftdb/weft/kv"
)

// Options configures a Runner. All fields except Admin, Pause and those of expiry are required.
type Options struct {
	Store   kv.Store
	Admin   kv.Admin // nil: space is freed row by row
	Catalog *catalog.Catalog
	Latches *record.Latches
	Logger  *slog.Logger
	Pause   time.Duration // rest after each batch; default none
	// SortBytes is the memory in which the entries of an index are sorted; more go through temporary files. Default 64
	// MiB.
	SortBytes int
	Now       func() time.Time
	// ExpiryInterval is the interval between two searches for expired rows; negative: only by Expire. Default 1 second.
	ExpiryInterval time.Duration
	// Owns is asked which work this process does for all that share the store; nil: all, since there are no others.
	Owns func(work string) Owner
	// Poll is the interval between two searches for jobs that other processes filed or did. It counts with Owns alone,
	// and must be positive then.
	Poll time.Duration
	// Rings grows when a job may have been filed elsewhere. It counts with Owns alone, and is required then.
	Rings func() uint64
	// Idle keeps everything from being done in the background.
	Idle bool
	// Expired is called with how many expired rows of a table each commit deleted; nil: none. It is called from one
	// goroutine at a time.
	Expired func(table string, rows int64)
}

// Owner reports whether this process owns work that one process does for all.
type Owner interface {
	// Owned reports whether this process owned the work when it last looked.
	Owned() bool
	// Guard makes a transaction fail unless it still does when the transaction commits.
	Guard(ctx context.Context, txn kv.Txn) error
}

// The works that have owners.
const (
	WorkJobs   = "jobs"
	WorkExpiry = "expiry"
	// WorkCollect is letting the store drop old versions.
	WorkCollect = "collect"
)

// retryPause is the time a failed job waits for its next attempt.
const retryPause = 2 * time.Second

// Runner does the jobs of one process: oldest first; removals run next to everything else, so that no long build keeps
// space from being freed.
type Runner struct {
	Options
	work   context.Context // ends with Close
	cancel context.CancelFunc
	lanes  [2]*lane
	ended  chan struct{}
	expiry *expiry
	owner  Owner // of the jobs; nil: this process, always

	collected chan struct{} // closed when old versions are not collected any more

	mu      sync.Mutex
	jobs    []Job         // unfinished, oldest first; of lanes, too, what they do
	changed chan struct{} // closed and renewed at each change of jobs
	resting bool          // see Rest
}

// Start loads unfinished jobs and begins to work in the background.
func Start(ctx context.Context, options Options) (*Runner, error) {
	options.Store = heat.Own(options.Store)
	jobs, err := load(ctx, options.Store)
	if err != nil {
		return nil, err
	}
	expiry, err := newExpiry(ctx, options)
	if err != nil {
		return nil, err
	}
	work, cancel := context.WithCancel(context.WithoutCancel(ctx))
	r := &Runner{
		Options: options, work: work, cancel: cancel, ended: make(chan struct{}), expiry: expiry, jobs: jobs,
		changed: make(chan struct{}),
		lanes:   [2]*lane{{wake: make(chan struct{}, 1)}, {wake: make(chan struct{}, 1), removals: true}},
	}
	expiry.work = work
	if options.Idle {
		cancel()
	}
	if options.Owns != nil {
		r.owner, expiry.owner = options.Owns(WorkJobs), options.Owns(WorkExpiry)
		go r.follow(work)
	}
	r.runLanes(work)
	go expiry.run()
	r.startCollecting(work)
	return r, nil
}

// Close stops the work between two batches and returns when it has stopped. Jobs go on at the next Start.
func (r *Runner) Close() {
	r.cancel()
	<-r.ended
	<-r.collected
	r.expiry.waitStopped()
}

// Add hands over a job that was filed.
func (r *Runner) Add(j Job) {
	if j.Kind == BuildIndex {
		r.expiry.watch(j.Table)
	}
	r.mu.Lock()
	if !slices.ContainsFunc(r.jobs, func(other Job) bool { return other.ID == j.ID }) {
		r.jobs = append(r.jobs, j)
	}
	r.notify()
	r.mu.Unlock()
	r.wakeUp()
}

func (r *Runner) wakeUp() {
	for _, l := range r.lanes {
		l.wakeUp()
	}
}

// Watch looks for expired rows in a table that was not there when the Runner was started.
func (r *Runner) Watch(table uint32) { r.expiry.watch(table) }

// List returns the unfinished jobs, oldest first.
func (r *Runner) List() []Job {
	r.mu.Lock()
	defer r.mu.Unlock()
	list := slices.Clone(r.jobs)
	for i := range list {
		j := &list[i]
		j.Running = slices.ContainsFunc(r.lanes[:], func(l *lane) bool {
			return l.current != nil && l.current.Kind == j.Kind && l.current.Table == j.Table &&
				l.current.Index == j.Index
		})
	}
	return list
}

// Wait returns when no job is left, or with ctx's error.
func (r *Runner) Wait(ctx context.Context) error {
	if r.owner != nil {
		r.reload(ctx)
	}
	for {
		r.mu.Lock()
		left, changed := len(r.jobs), r.changed
		r.mu.Unlock()
		if left == 0 && r.owner != nil { // what others did may not be installed here yet
			_, _, err := r.Catalog.Refresh(ctx)
			return err
		}
		if left == 0 {
			return nil
		}
		select {
		case <-changed:
		case <-r.ended:
			return kv.ErrClosed
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// notify wakes Wait. The caller holds mu.
func (r *Runner) notify() {
	close(r.changed)
	r.changed = make(chan struct{})
}

// update stores what List shows of a job, or takes it off the list; a job with a fault goes to the end.
func (r *Runner) update(j Job, done bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	at := slices.IndexFunc(r.jobs, func(other Job) bool { return other.ID == j.ID })
	if at < 0 {
		return
	}
	switch {
	case done:
		r.jobs = slices.Delete(r.jobs, at, at+1)
	case j.Fault != "":
		r.jobs = append(slices.Delete(r.jobs, at, at+1), j)
	default:
		r.jobs[at] = j
	}
	r.notify()
}

func (r *Runner) do(ctx context.Context, j *Job) error {
	j.Fault, j.Misfit, j.Duplicate = "", false, nil
	if _, filed, err := r.Store.Get(ctx, keyspace.AppendJob(nil, j.ID), nil); err != nil || !filed {
		return err // the store returned to a mark before the job was handed over
	}
	switch j.Kind {
	case BuildIndex:
		return r.buildIndex(ctx, j)
	case DropIndex:
		return r.dropIndex(ctx, j)
	case DropTable:
		return r.dropTable(ctx, j)
	case Compact:
		return r.compact(ctx, j)
	}
	return fmt.Errorf("job: this program does not know the kind %q", j.Kind)
}

// gone reports whether a job has nothing left to do because its table or index is no longer there.
func gone(err error) bool { return errors.Is(err, catalog.ErrNotFound) }
