// SPDX-License-Identifier: Apache-2.0

package loadgen

import (
	"context"
	"errors"
	"sync"
	"time"
)

// Cell is one measurement to take of a peer.
type Cell struct {
	Operation string
	Clients   int
	Seconds   float64
}

// Result is the measurement of one cell.
type Result struct {
	Operations   int64
	Seconds      float64 // from the end of the warm-up to the last answer
	P50          float64 // microseconds, as the three below
	P95          float64
	P99          float64
	P999         float64
	CPUSeconds   float64   // used by the server during Seconds
	RSSPeakBytes int64     // of the server's process; in process this includes the clients
	OthersCPU    float64   // cores that were busy with something else meanwhile
	Extra        []float64 `json:",omitempty"` // as Comparison.Extra names them
}

// Rate is operations a second.
func (r *Result) Rate() float64 { return float64(r.Operations) / r.Seconds }

// CPUMicros is the server's CPU time for one operation.
func (r *Result) CPUMicros() float64 { return r.CPUSeconds * 1e6 / float64(max(r.Operations, 1)) }

// Worker is one client: Do runs one operation and returns when it has been answered.
type Worker interface {
	Do() error
	Close() error
}

// warmShare is the part of a cell that is run before measuring begins.
const warmShare = 0.15

// Loop runs the workers, each asking again as soon as it is answered, and measures. cpu returns the seconds of CPU that
// the server has used so far.
func Loop(ctx context.Context, workers []Worker, seconds float64, cpu func() float64) (Result, error) {
	begun := time.Now()
	warm := begun.Add(time.Duration(seconds * warmShare * float64(time.Second)))
	end := warm.Add(time.Duration(seconds * float64(time.Second)))
	histograms := make([]Histogram, len(workers))
	var group Group
	for i, w := range workers {
		group.Run(func() error { return ask(ctx, w, &histograms[i], warm, end) })
	}
	time.Sleep(time.Until(warm))
	before := cpu()
	err := group.Wait()
	r := Result{Seconds: time.Since(warm).Seconds(), CPUSeconds: cpu() - before}
	var all Histogram
	for i := range histograms {
		all.Merge(&histograms[i])
	}
	r.Operations, r.P50, r.P95, r.P99, r.P999 = all.total, all.Quantile(0.5), all.Quantile(0.95), all.Quantile(0.99),
		all.Quantile(0.999)
	return r, err
}

// ask is one client's loop. An operation counts if it ends after warm; it is begun before end.
func ask(ctx context.Context, w Worker, h *Histogram, warm, end time.Time) error {
	begun := time.Now()
	for begun.Before(end) {
		if err := w.Do(); err != nil {
			return err
		}
		now := time.Now()
		if now.After(warm) {
			h.Add(now.Sub(begun))
		}
		begun = now
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// MakeWorkers makes n workers; after an error none is left.
func MakeWorkers[W Worker](n int, make func(i int) (W, error)) (workers []Worker, err error) {
	for i := range n {
		w, err := make(i)
		if err != nil {
			return nil, errors.Join(err, CloseWorkers(workers))
		}
		workers = append(workers, w)
	}
	return workers, nil
}

// CloseWorkers closes all workers.
func CloseWorkers(workers []Worker) error {
	var errs []error
	for _, w := range workers {
		errs = append(errs, w.Close())
	}
	return errors.Join(errs...)
}

// Group runs functions at the same time and keeps all their errors. The zero value is ready.
type Group struct {
	group  sync.WaitGroup
	mu     sync.Mutex
	errors []error
}

// Run runs a function beside the others.
func (g *Group) Run(do func() error) {
	g.group.Go(func() {
		if err := do(); err != nil {
			g.mu.Lock()
			g.errors = append(g.errors, err)
			g.mu.Unlock()
		}
	})
}

// Wait waits for all functions and returns their errors.
func (g *Group) Wait() error {
	g.group.Wait()
	return errors.Join(g.errors...)
}
