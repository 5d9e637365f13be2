// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"sync"
	"time"
)

// cell is one measurement to take of a peer.
type cell struct {
	Operation string
	Clients   int
	Seconds   float64
}

// result is what a cell gave.
type result struct {
	Operations   int64
	Seconds      float64 // from the end of the warm-up to the last answer
	P50          float64 // microseconds, as the two below
	P99          float64
	P999         float64
	CPUSeconds   float64 // used by the server during Seconds
	RSSPeakBytes int64   // of the server's process; in process this includes the clients
	OthersCPU    float64 // cores that were busy with something else meanwhile
}

func (r *result) rate() float64 { return float64(r.Operations) / r.Seconds }

// cpuMicros is the server's CPU time for one operation.
func (r *result) cpuMicros() float64 { return r.CPUSeconds * 1e6 / float64(max(r.Operations, 1)) }

// worker is one client: Do runs one operation and returns when it has been answered.
type worker interface {
	Do() error
	Close() error
}

// warmShare is the part of a cell that is run before measuring begins.
const warmShare = 0.15

// loop runs the workers, each asking again as soon as it is answered, and measures. cpu returns the seconds of CPU that the server has
// used so far.
func loop(ctx context.Context, workers []worker, seconds float64, cpu func() float64) (result, error) {
	begun := time.Now()
	warm := begun.Add(time.Duration(seconds * warmShare * float64(time.Second)))
	end := warm.Add(time.Duration(seconds * float64(time.Second)))
	histograms := make([]histogram, len(workers))
	var group errgroup
	for i, w := range workers {
		group.run(func() error { return ask(ctx, w, &histograms[i], warm, end) })
	}
	time.Sleep(time.Until(warm))
	before := cpu()
	err := group.wait()
	r := result{Seconds: time.Since(warm).Seconds(), CPUSeconds: cpu() - before}
	var all histogram
	for i := range histograms {
		all.merge(&histograms[i])
	}
	r.Operations, r.P50, r.P99, r.P999 = all.total, all.quantile(0.5), all.quantile(0.99), all.quantile(0.999)
	return r, err
}

// ask is one client's loop. An operation counts if it ends after warm; it is begun before end.
func ask(ctx context.Context, w worker, h *histogram, warm, end time.Time) error {
	begun := time.Now()
	for begun.Before(end) {
		if err := w.Do(); err != nil {
			return err
		}
		now := time.Now()
		if now.After(warm) {
			h.add(now.Sub(begun))
		}
		begun = now
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// makeWorkers makes n workers; after an error none is left.
func makeWorkers[W worker](n int, make func(i int) (W, error)) (workers []worker, err error) {
	for i := range n {
		w, err := make(i)
		if err != nil {
			return nil, errors.Join(err, closeWorkers(workers))
		}
		workers = append(workers, w)
	}
	return workers, nil
}

func closeWorkers(workers []worker) error {
	var errs []error
	for _, w := range workers {
		errs = append(errs, w.Close())
	}
	return errors.Join(errs...)
}

// errgroup runs functions at the same time and keeps all their errors. The zero value is ready.
type errgroup struct {
	group  sync.WaitGroup
	mu     sync.Mutex
	errors []error
}

func (g *errgroup) run(do func() error) {
	g.group.Go(func() {
		if err := do(); err != nil {
			g.mu.Lock()
			g.errors = append(g.errors, err)
			g.mu.Unlock()
		}
	})
}

func (g *errgroup) wait() error {
	g.group.Wait()
	return errors.Join(g.errors...)
}
