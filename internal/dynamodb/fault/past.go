// SPDX-License-Identifier: Apache-2.0

package fault

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/weftdb/weft/internal/database"
)

// viewShare is the share of the longest lag that lies at least between two views.
const viewShare = 20

// past keeps what a database was before its last writes, for as long as the longest lag.
type past struct {
	mu    sync.Mutex
	lag   time.Duration // the longest; 0: nothing is kept
	views []*pastView   // in the order of time
}

// pastView is the database right before a write.
type pastView struct {
	*database.View
	at    time.Time
	users int
	over  bool // the last user closes it
}

// keep says what the longest lag is.
func (p *past) keep(lag time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.lag = lag; lag == 0 {
		p.drop(len(p.views))
	}
}

// note keeps the database as it is, before a write, unless it has done so a moment ago.
func (p *past) note(ctx context.Context, db *database.DB) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	if n := len(p.views); n > 0 && !p.views[n-1].HasTablesOfNow() {
		p.drop(n) // nobody reads them any more
	}
	if last := len(p.views) - 1; p.lag == 0 || last >= 0 && now.Sub(p.views[last].at) < p.lag/viewShare {
		return nil
	}
	view, err := db.View(ctx)
	if err != nil {
		return err
	}
	p.drop(slices.IndexFunc(append(p.views, &pastView{at: now}),
		func(v *pastView) bool { return now.Sub(v.at) <= p.lag }))
	p.views = append(p.views, &pastView{View: view, at: now})
	return nil
}

// drop closes the first views, or leaves that to their users. The caller holds mu.
func (p *past) drop(n int) {
	for _, v := range p.views[:n] {
		if v.over = true; v.users == 0 {
			v.Close()
		}
	}
	p.views = slices.Delete(p.views, 0, n)
}

// before returns the database as it was so long ago; nil if nothing was written since. A change of a table since makes
// it the present one. release must be called in the end.
func (p *past) before(lag time.Duration) (view *database.View, release func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	since := time.Now().Add(-lag)
	at := slices.IndexFunc(p.views, func(v *pastView) bool { return !v.at.Before(since) })
	if at < 0 || !p.views[at].HasTablesOfNow() {
		return nil, func() {}
	}
	v := p.views[at]
	v.users++
	return v.View, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if v.users--; v.over && v.users == 0 {
			v.Close()
		}
	}
}

// lagKey is the key of a context's lag.
type lagKey struct{}

// View is the state that a read of a request shows, in a context of Run: an earlier state, if a rule with a Lag wants
// that and the read is eventually consistent; nil for the latest commits. release must be called once it is read. Of a
// nil Plan it is nil.
func (p *Plan) View(ctx context.Context, consistent bool) (view *database.View, release func()) {
	if p == nil || consistent {
		return nil, func() {}
	}
	lag, _ := ctx.Value(lagKey{}).(time.Duration)
	if lag == 0 {
		return nil, func() {}
	}
	return p.past.before(lag)
}
