// SPDX-License-Identifier: Apache-2.0

package job

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/weftdb/weft/internal/index/indexkey"
	"github.com/weftdb/weft/internal/rows/record"
)

// lane does jobs one after another: those that free space, or the others.
type lane struct {
	removals bool
	wake     chan struct{}
	current  *Job               // guarded by Runner.mu; nil: it is idle
	cancel   context.CancelFunc // ends the current job's context
}

func (l *lane) wakeUp() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

func (l *lane) takes(j *Job) bool { return l.removals == (j.Kind == DropTable || j.Kind == DropIndex) }

// clashes reports whether two jobs must not run at the same time. The older one soon finds that its table or index was
// dropped.
func clashes(a, b *Job) bool {
	return a.Table == b.Table && (a.Kind == DropTable || b.Kind == DropTable || a.Index == b.Index)
}

func (r *Runner) runLanes(ctx context.Context) {
	var group sync.WaitGroup
	for _, l := range r.lanes {
		group.Go(func() { r.run(ctx, l) })
	}
	go func() {
		defer close(r.ended)
		group.Wait()
	}()
}

func (r *Runner) run(ctx context.Context, l *lane) {
	for ctx.Err() == nil {
		work, j, ok := r.next(ctx, l)
		if !ok {
			select {
			case <-l.wake:
			case <-ctx.Done():
			}
			continue
		}
		err := r.do(work, &j)
		failed := r.note(work, j, err)
		r.leave(l)
		if failed {
			r.restAfter(ctx, l)
		}
	}
}

// note notes what became of a job, and reports whether it failed and is to be tried again after a rest.
func (r *Runner) note(ctx context.Context, j Job, err error) (failed bool) {
	if err == nil {
		r.update(j, true)
		r.Logger.Info("job done", "job", j.ID, "kind", j.Kind, "table", j.Table, "index", j.Index, "rows", j.Done)
		return false
	}
	if ctx.Err() != nil || r.owner != nil && !r.owner.Owned() && isLeft(err) {
		return false
	}
	r.noteFailure(j, err)
	return true
}

// next returns the oldest job of a lane that clashes with none that is being done, and begins it.
func (r *Runner) next(ctx context.Context, l *lane) (work context.Context, j Job, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.resting || r.owner != nil && !r.owner.Owned() {
		return nil, Job{}, false
	}
	for i := range r.jobs {
		if j := r.jobs[i]; l.takes(&j) && !r.isBlocked(&j) {
			l.current = &Job{Kind: j.Kind, Table: j.Table, Index: j.Index}
			work, l.cancel = context.WithCancel(ctx)
			return work, j, true
		}
	}
	return nil, Job{}, false
}

// isBlocked reports whether a job clashes with one that is being done. The caller holds mu.
func (r *Runner) isBlocked(j *Job) bool {
	for _, l := range r.lanes {
		if l.current != nil && clashes(l.current, j) {
			return true
		}
	}
	return false
}

// leave says that a lane's job is not being done any more, which another lane may wait for.
func (r *Runner) leave(l *lane) {
	r.mu.Lock()
	l.cancel()
	l.current, l.cancel = nil, nil
	r.notify()
	r.mu.Unlock()
	for _, other := range r.lanes {
		if other != l {
			other.wakeUp()
		}
	}
}

// noteFailure notes the fault and puts the job behind the others.
func (r *Runner) noteFailure(j Job, err error) {
	r.Logger.Error("job failed; will retry", "job", j.ID, "kind", j.Kind, "table", j.Table, "index", j.Index, "error",
		err)
	j.Duplicate, _ = errors.AsType[*record.DuplicateError](err)
	j.Fault, j.Misfit = err.Error(), j.Duplicate != nil || indexkey.IsMisfit(err)
	r.update(j, false)
}

// restAfter rests after a failure, so that a job that can't be done holds up nobody for ever.
func (r *Runner) restAfter(ctx context.Context, l *lane) {
	select {
	case <-time.After(retryPause):
	case <-l.wake: // another job was added
	case <-ctx.Done():
	}
}

// Rest ends what is being done, between two batches, and returns once nothing is. No job and no look for expired rows
// begins until resume is called, which reads the jobs anew: they, and the tables, may be others by then. It is for a
// store that no other process has. Errors: ctx's; then nothing rests.
func (r *Runner) Rest(ctx context.Context) (resume func(context.Context) error, err error) {
	select {
	case <-r.expiry.turn:
	case <-ctx.Done():
		return nil, orClosed(r.work, ctx.Err())
	}
	r.mu.Lock()
	r.resting = true
	for _, l := range r.lanes {
		if l.cancel != nil {
			l.cancel()
		}
	}
	for r.isBusy() && err == nil {
		changed := r.changed
		r.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			err = ctx.Err()
		}
		r.mu.Lock()
	}
	r.mu.Unlock()
	if err != nil {
		return nil, errors.Join(err, r.resume(context.WithoutCancel(ctx)))
	}
	return r.resume, nil
}

// isBusy reports whether a job is being done. The caller holds mu.
func (r *Runner) isBusy() bool {
	for _, l := range r.lanes {
		if l.current != nil {
			return true
		}
	}
	return false
}

// resume goes on with what is stored.
func (r *Runner) resume(ctx context.Context) error {
	stored, err := load(ctx, r.Store)
	for _, id := range r.Catalog.IDs() {
		r.expiry.watch(id)
	}
	r.mu.Lock()
	if r.resting = false; err == nil {
		r.jobs = stored
	}
	r.notify()
	r.mu.Unlock()
	r.expiry.turn <- struct{}{}
	r.wakeUp()
	return err
}
