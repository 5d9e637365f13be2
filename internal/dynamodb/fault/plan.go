// SPDX-License-Identifier: Apache-2.0

package fault

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/dynamodb/exception"
)

// Plan is the rules that requests may meet. The zero value has none. It is safe for concurrent use.
type Plan struct {
	past  past
	some  atomic.Bool // there are rules; read without the lock
	mu    sync.Mutex
	rules []Rule
}

// Add adds rules behind those that there are. The first one with an error that a request meets is the one that counts;
// latencies add up. Errors: what is wrong with a rule; then none is added.
func (p *Plan) Add(rules ...Rule) error {
	for i := range rules {
		if err := rules[i].Check(); err != nil {
			return err
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, r := range rules {
		r.Met = 0
		p.rules = append(p.rules, r)
	}
	p.past.keep(p.longestLag())
	p.some.Store(len(p.rules) > 0)
	return nil
}

// Clear drops all rules.
func (p *Plan) Clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rules = nil
	p.some.Store(false)
	p.past.keep(0)
}

func (p *Plan) longestLag() (longest time.Duration) {
	for i := range p.rules {
		longest = max(longest, time.Duration(p.rules[i].Lag))
	}
	return longest
}

// Rules lists the rules, with how often each was met. Those that are over are in the list, too.
func (p *Plan) Rules() []Rule {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.rules)
}

// Request is a request of an operation by its name.
type Request struct {
	DB        *database.DB
	Operation string
	ReadOnly  bool
	Body      []byte
	// Run carries a body out and appends the answer to dst.
	Run func(ctx context.Context, body, dst []byte) ([]byte, error)
}

// Run carries a request out, unless a rule wants otherwise. A nil Plan has no rules.
func (p *Plan) Run(ctx context.Context, r Request, dst []byte) ([]byte, error) {
	if p == nil || !p.some.Load() {
		return r.Run(ctx, r.Body, dst)
	}
	asked := ask(r.Operation, r.Body)
	rule, latency, lag := p.meet(asked)
	if latency > 0 {
		select {
		case <-time.After(latency):
		case <-ctx.Done():
			return nil, exception.New(exception.KindUnavailable, "The request was given up before it was done")
		}
	}
	if lag > 0 {
		ctx = context.WithValue(ctx, lagKey{}, lag)
	}
	if !r.ReadOnly {
		if err := p.past.note(ctx, r.DB); err != nil {
			return nil, err
		}
	}
	switch {
	case rule == nil:
		return r.Run(ctx, r.Body, dst)
	case rule.Error == Unprocessed:
		return rule.runPart(ctx, &r, dst)
	case rule.Done:
		if _, err := r.Run(ctx, r.Body, nil); err != nil {
			return nil, err
		}
	}
	return nil, rule.fault(asked)
}

// meet counts a request for the rules that it meets, and returns the one with an error that counts; nil: none does.
func (p *Plan) meet(asked *asked) (decides *Rule, latency, lag time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := range p.rules {
		r := &p.rules[i]
		if !r.applies(asked) || r.Error != "" && decides != nil {
			continue
		}
		if r.Share > 0 && r.Error != Unprocessed && rand.Float64() >= r.Share {
			continue
		}
		r.Met++
		latency, lag = latency+time.Duration(r.Latency), max(lag, time.Duration(r.Lag))
		if r.Error != "" {
			one := *r
			decides = &one
		}
	}
	return decides, latency, lag
}

// applies reports whether a rule is about a request, and not over.
func (r *Rule) applies(asked *asked) bool {
	return (r.Times == 0 || r.Met < r.Times) && (r.Operation == "" || r.Operation == asked.operation) &&
		(r.Table == "" || slices.Contains(asked.tables, r.Table)) && (r.Error != Unprocessed || asked.batch) &&
		(r.Lag == 0 || asked.eventual)
}
