// SPDX-License-Identifier: Apache-2.0

package job

import (
	"context"
	"errors"
)

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
