// SPDX-License-Identifier: Apache-2.0

package record

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// Rivalries are the rows that other processes write at the same time. Of all that commit a row at once, one wins, and
// the others begin again. A winner that began its next commit at once would win as often as they, who have waited
// longer: it rests for as long as it has lost itself. The zero value has none. It is safe for concurrent use.
type Rivalries struct {
	count atomic.Int64 // of rows
	mu    sync.Mutex
	rows  map[string]rivalry // by key
}

// rivalry is what is known of one row.
type rivalry struct {
	pause time.Duration // after a commit
	until time.Time
}

const (
	restMost  = 20 * time.Millisecond
	restLeast = 100 * time.Microsecond
	// rivalriesMost bounds the rows that are remembered.
	rivalriesMost = 1000
)

// Has reports whether a row has rivals.
func (r *Rivalries) Has(key []byte) (yes bool) {
	if r.count.Load() == 0 {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	_, yes = r.rows[string(key)]
	return yes
}

// Rest waits until the next commit of a row is due, or ctx ends.
func (r *Rivalries) Rest(ctx context.Context, key []byte) {
	if r.count.Load() == 0 {
		return
	}
	r.mu.Lock()
	pause := time.Until(r.rows[string(key)].until)
	r.mu.Unlock()
	if pause <= 0 {
		return
	}
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// Note notes for how long a commit of a row has lost to others before it won.
func (r *Rivalries) Note(key []byte, lost time.Duration) {
	if lost == 0 && r.count.Load() == 0 {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	next := min(max(lost, r.rows[string(key)].pause*3/4), restMost)
	if next < restLeast {
		delete(r.rows, string(key))
	} else {
		if r.rows == nil || len(r.rows) >= rivalriesMost {
			r.rows = map[string]rivalry{}
		}
		r.rows[string(key)] = rivalry{next, time.Now().Add(next)}
	}
	r.count.Store(int64(len(r.rows)))
}
