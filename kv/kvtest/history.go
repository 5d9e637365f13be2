// SPDX-License-Identifier: Apache-2.0

package kvtest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/kv/mem"
)

// seedVariable is the environment variable that repeats a random history.
const seedVariable = "KVTEST_SEED"

const historySteps, historyOpenMax = 600, 5

func historyChecks() []check {
	return []check{
		{"a random history shows what the model shows", func(h *harness) { randomHistory(h, false) }},
		{"a random history with reopening shows what the model shows", func(h *harness) {
			if h.engine.Reopen == nil {
				h.Skip("the engine keeps nothing")
			}
			randomHistory(h, true)
		}},
	}
}

// seed returns a random seed, or the one of the environment, and prints it.
func (h *harness) seed() uint64 {
	seed := rand.Uint64()
	if text := os.Getenv(seedVariable); text != "" {
		given, err := strconv.ParseUint(text, 10, 64)
		h.must(err)
		seed = given
	}
	h.Logf("repeat with %s=%d", seedVariable, seed)
	return seed
}

// pair is one transaction or reader on the engine and the same one on the model.
type pair struct {
	name           string
	engine, model  view
	txn, modelTxn  kv.Txn // nil for a reader
	began          int    // len(history.attempts) at its begin
	written, guard []string
	close          func()
}

// attempt holds the writes and guards of a transaction that tried to commit.
type attempt []string

// history drives an engine and the model by the same random steps, in one goroutine.
type history struct {
	*harness
	random   *rand.Rand
	model    *mem.Store
	open     []*pair
	attempts []attempt
	lines    []string
	count    int
}

func randomHistory(h *harness, reopening bool) {
	run := &history{harness: h, random: rand.New(rand.NewPCG(h.seed(), 0)), model: mem.Open(mem.Options{})}
	defer func() {
		if h.Failed() {
			h.Logf("the history was\n%s", strings.Join(run.lines, "\n"))
		}
	}()
	for range historySteps {
		run.step()
		if reopening && run.random.IntN(100) == 0 {
			run.reopen()
		}
	}
	run.finish()
}

func (r *history) note(format string, args ...any) {
	r.lines = append(r.lines, fmt.Sprintf(format, args...))
}

// key returns one of few keys, so that transactions meet.
func (r *history) key() string {
	keys := edgeKeys()
	return keys[r.random.IntN(len(keys))]
}

func (r *history) step() {
	if len(r.open) == 0 || (len(r.open) < historyOpenMax && r.random.IntN(8) == 0) {
		r.begin()
		return
	}
	i := r.random.IntN(len(r.open))
	p := r.open[i]
	choice := r.random.IntN(20)
	switch {
	case choice < 3:
		r.get(p)
	case choice < 7:
		r.scanOne(p)
	case choice < 9:
		r.getSome(p)
	case choice < 18 && p.txn != nil:
		r.write(p)
	default:
		r.end(p)
		r.open = slices.Delete(r.open, i, i+1)
	}
}

func (r *history) begin() {
	r.count++
	p := &pair{began: len(r.attempts)}
	if r.random.IntN(4) == 0 {
		engine := r.read()
		model, err := r.model.Read(r.ctx)
		r.must(err)
		p.name, p.engine, p.model = fmt.Sprint("reader ", r.count), engine, model
		p.close = func() { r.must(engine.Close()) }
	} else {
		engine := r.harness.begin()
		model, err := r.model.Begin(r.ctx)
		r.must(err)
		r.get(&pair{name: "pin", engine: engine, model: model}) // both have read now: neither is blind
		p.name, p.engine, p.model, p.txn, p.modelTxn = fmt.Sprint("txn ", r.count), engine, model, engine, model
		p.close = func() { engine.Rollback(); model.Rollback() }
	}
	r.note("%s begins", p.name)
	r.open = append(r.open, p)
}

func (r *history) get(p *pair) {
	key := r.key()
	want := r.harness.get(p.model, key)
	r.note("%s gets %q: %q", p.name, key, want)
	r.expect(p.engine, key, want)
}

func (r *history) getSome(p *pair) {
	var keys []string
	for range r.random.IntN(6) {
		keys = append(keys, r.key())
	}
	r.note("%s gets many %q", p.name, keys)
	r.expectMany(p.engine, keys, r.scan(p.model, kv.Range{}, false))
}

func (r *history) bound() []byte {
	if r.random.IntN(4) == 0 {
		return nil
	}
	return []byte(r.key())
}

// scanOne compares a scan with some seeks and moves in it.
func (r *history) scanOne(p *pair) {
	bounds, reverse := kv.Range{Start: r.bound(), End: r.bound()}, r.random.IntN(2) == 0
	r.note("%s scans %s, reverse %t", p.name, rangeText(bounds), reverse)
	engine, model := p.engine.Scan(r.ctx, bounds, reverse), p.model.Scan(r.ctx, bounds, reverse)
	for {
		if r.random.IntN(5) == 0 {
			target := r.key()
			r.note("  seeks %q", target)
			engine.Seek([]byte(target))
			model.Seek([]byte(target))
		}
		if r.random.IntN(8) == 0 {
			bounds = kv.Range{Start: r.bound(), End: r.bound()}
			r.note("  moves to %s", rangeText(bounds))
			engine.Move(bounds)
			model.Move(bounds)
		}
		got, want := engine.Next(), model.Next()
		if got != want || (want && (string(engine.Key()) != string(model.Key()) ||
			string(engine.Value()) != string(model.Value()))) {
			r.Fatalf("%s: the cursor's Next is %t at %q = %q, want %t at %q = %q", p.name, got, engine.Key(),
				engine.Value(), want, model.Key(), model.Value())
		}
		if !want || r.random.IntN(20) == 0 {
			break
		}
	}
	r.must(engine.Close())
	r.must(model.Close())
}

func (r *history) write(p *pair) {
	key := r.key()
	switch r.random.IntN(6) {
	case 0:
		r.note("%s guards %q", p.name, key)
		p.guard = append(p.guard, key)
		r.must(p.txn.Guard([]byte(key)))
		r.must(p.modelTxn.Guard([]byte(key)))
	case 1, 2:
		r.note("%s deletes %q", p.name, key)
		p.written = append(p.written, key)
		r.must(p.txn.Delete([]byte(key)))
		r.must(p.modelTxn.Delete([]byte(key)))
	default:
		value := fmt.Sprint(r.random.IntN(1000))
		if r.random.IntN(8) == 0 {
			value = ""
		}
		r.note("%s sets %q to %q", p.name, key, value)
		p.written = append(p.written, key)
		r.set(p.txn, key, value)
		r.set(p.modelTxn, key, value)
	}
}

// end commits, drops or closes p.
func (r *history) end(p *pair) {
	if p.txn == nil || r.random.IntN(6) == 0 {
		r.note("%s ends", p.name)
		p.close()
		return
	}
	err := p.txn.Commit(r.ctx)
	r.note("%s commits: %v", p.name, err)
	touched := append(slices.Clone(p.written), p.guard...)
	defer func() { r.attempts = append(r.attempts, touched) }()
	if err == nil {
		if err := p.modelTxn.Commit(r.ctx); err != nil {
			r.Fatalf("%s committed, but the model says %v", p.name, err)
		}
		return
	}
	r.mustBe(err, kv.ErrConflict)
	p.modelTxn.Rollback()
	if !r.mayConflict(touched, p.began) {
		r.Fatalf("%s conflicts, but nobody touched its keys since it began", p.name)
	}
}

// mayConflict reports whether a transaction since began tried to commit a write or a guard of a key in touched.
func (r *history) mayConflict(touched []string, began int) bool {
	for _, other := range r.attempts[began:] {
		for _, key := range touched {
			if slices.Contains(other, key) {
				return true
			}
		}
	}
	return false
}

// finish ends everything and compares the latest commits.
func (r *history) finish() {
	for _, p := range r.open {
		p.close()
	}
	r.open = nil
	model, err := r.model.Read(r.ctx)
	r.must(err)
	engine, err := r.store.Read(r.ctx)
	r.must(err)
	r.expectScan(engine, kv.Range{}, false, r.scan(model, kv.Range{}, false))
	r.must(errors.Join(engine.Close(), model.Close()))
}

func (r *history) reopen() {
	r.finish()
	r.note("reopens")
	r.use(r.engine.Reopen(r.T, r.store))
}
