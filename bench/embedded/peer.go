// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/pprof"
	"strings"

	"github.com/weftdb/weft/bench/loadgen"
)

// The peers, as they are called on the command line and in the report.
const (
	peerWeft      = "weft"
	peerBolt      = "bbolt"
	peerBoltBatch = "bbolt-batch"
	peerBadger    = "badger"
	peerSQLite    = "sqlite"
	peerPebble    = "pebble"
)

func peerNames() []string {
	return []string{peerWeft, peerBolt, peerBoltBatch, peerBadger, peerSQLite, peerPebble}
}

// The operations.
const (
	opGet    = "get"
	opPut    = "put"
	opBatch  = "batch"
	opScan   = "scan"
	opQuery  = "query"
	opDecode = "decode"
)

func operationNames() []string { return []string{opGet, opPut, opBatch, opScan, opQuery, opDecode} }

const (
	ownerItems = 100 // of each owner: what a query finds
	batchItems = 100
	loadItems  = 1000 // in one commit while loading
	cacheBytes = 64 << 20
	putBytes   = 1000 // of the text of an item that is put
	textBytes  = 140  // of the text of an item with an index
)

// item is what all peers store.
type item struct {
	ID    int64  `weft:"id,key" json:"id"`
	Owner int64  `weft:"owner" json:"owner"`
	At    int64  `weft:"at" json:"at"`
	Name  string `weft:"name" json:"name"`
	Text  string `weft:"text" json:"text"`
}

// newItem makes an item. Owners' items lie apart, and their order by time is not that of their ids.
func newItem(id int64, rows, bytes int) item {
	owners := int64(rows / ownerItems)
	return item{ID: id, Owner: id % owners, At: 1_700_000_000 + id*7919%1_000_003,
		Name: fmt.Sprintf("customer %08d", id), Text: textOf(id, bytes)}
}

// textOf is a text that can be compressed about as well as any.
func textOf(seed int64, bytes int) string {
	const words = "the order of a customer is on its way to the harbour and will be there by noon "
	var b strings.Builder
	for random := rand.New(rand.NewPCG(uint64(seed), 1)); b.Len() < bytes; {
		at := random.IntN(len(words) - 8)
		b.WriteString(words[at : at+8])
		fmt.Fprintf(&b, "%x ", random.Uint32())
	}
	return b.String()[:bytes]
}

// store is an embedded database with two tables: items, which has an index by owner and time, and large ones, which has
// none. Each call that writes is one durable commit.
type store interface {
	load(ctx context.Context, items []item) error
	put(ctx context.Context, large []item) error
	get(ctx context.Context, id int64) (item, error)
	scan(ctx context.Context, see func(*item)) error
	query(ctx context.Context, owner int64, see func(*item)) error
	// decoder returns what makes a struct of a stored item.
	decoder(ctx context.Context, id int64) (func(*item) error, error)
	Close() error
}

// errCannot is what a store returns that lacks an operation.
var errCannot = errors.New("this peer can't do that")

// peer is a store with its items.
type peer struct {
	store
	name    string
	rows    int
	profile *os.File // that is being written
}

// openPeer makes a store and loads it.
func openPeer(ctx context.Context, c *config, name string) (*peer, error) {
	open := map[string]func(context.Context, string) (store, error){
		peerWeft: openWeft, peerBadger: openBadger, peerSQLite: openSQLite, peerPebble: openPebble,
		peerBolt:      func(_ context.Context, dir string) (store, error) { return openBolt(dir, false) },
		peerBoltBatch: func(_ context.Context, dir string) (store, error) { return openBolt(dir, true) },
	}[name]
	dir := filepath.Join(c.Dir, name)
	if err := os.Mkdir(dir, 0o755); err != nil {
		return nil, err
	}
	s, err := open(ctx, dir)
	if err != nil {
		return nil, err
	}
	p := &peer{store: s, name: name, rows: c.Rows}
	if err := p.fill(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return p, nil
}

// fill loads both tables.
func (p *peer) fill(ctx context.Context) error {
	for from := 0; from < p.rows; from += loadItems {
		var items, large []item
		for id := int64(from); id < int64(min(from+loadItems, p.rows)); id++ {
			items, large = append(items, newItem(id, p.rows, textBytes)), append(large, newItem(id, p.rows, putBytes))
		}
		if err := errors.Join(p.load(ctx, items), p.put(ctx, large)); err != nil {
			return err
		}
	}
	return nil
}

// Name implements loadgen.Peer.
func (p *peer) Name() string { return p.name }

// PID implements loadgen.Peer: all peers are in this process.
func (p *peer) PID() int { return os.Getpid() }

// Profile implements loadgen.Peer.
func (p *peer) Profile(path string) (err error) {
	if path == "" {
		pprof.StopCPUProfile()
		return p.profile.Close()
	}
	if p.profile, err = os.Create(path); err != nil {
		return err
	}
	return pprof.StartCPUProfile(p.profile)
}

// Run implements loadgen.Peer.
func (p *peer) Run(ctx context.Context, x loadgen.Cell) (loadgen.Result, error) {
	return loadgen.RunWorkers(ctx, p.PID(), x, func(i int) (loadgen.Worker, error) {
		return newWorker(ctx, p, x.Operation, uint64(i))
	})
}

// worker is one goroutine that asks a peer.
type worker struct {
	peer   *peer
	ctx    context.Context
	random *rand.Rand
	do     func() error
	texts  []string // of items that are put
	decode func(*item) error
	into   item
}

func newWorker(ctx context.Context, p *peer, operation string, seed uint64) (w *worker, err error) {
	w = &worker{peer: p, ctx: ctx, random: rand.New(rand.NewPCG(seed, 2))}
	w.do = map[string]func() error{opGet: w.get, opQuery: w.query, opScan: w.scan,
		opPut:    func() error { return w.put(1) },
		opBatch:  func() error { return w.put(batchItems) },
		opDecode: func() error { return w.decode(&w.into) }}[operation]
	for i := range int64(64) {
		w.texts = append(w.texts, textOf(int64(seed)<<32+i, putBytes))
	}
	if operation == opDecode {
		w.decode, err = p.decoder(ctx, w.id())
	}
	return w, err
}

// Do implements loadgen.Worker.
func (w *worker) Do() error { return w.do() }

// Close implements loadgen.Worker.
func (w *worker) Close() error { return nil }

func (w *worker) id() int64 { return w.random.Int64N(int64(w.peer.rows)) }

func (w *worker) get() error {
	id := w.id()
	x, err := w.peer.get(w.ctx, id)
	if err == nil && (x.ID != id || len(x.Text) != textBytes) {
		err = fmt.Errorf("%s gives %+v for %d", w.peer.name, x, id)
	}
	return err
}

// put replaces some items with neighbouring ids.
func (w *worker) put(count int) error {
	first, items := w.id(), make([]item, count)
	for i := range items {
		id := (first + int64(i)) % int64(w.peer.rows)
		items[i] = item{ID: id, Owner: id, At: w.random.Int64(), Name: "customer", Text: w.texts[w.random.IntN(64)]}
	}
	return w.peer.put(w.ctx, items)
}

func (w *worker) scan() error {
	return w.count(w.peer.rows, func(see func(*item)) error { return w.peer.scan(w.ctx, see) })
}

func (w *worker) query() error {
	owner, last := w.random.Int64N(int64(w.peer.rows/ownerItems)), int64(0)
	var err error
	return errors.Join(w.count(ownerItems, func(see func(*item)) error {
		return w.peer.query(w.ctx, owner, func(x *item) {
			if see(x); x.Owner != owner || x.At < last {
				err = fmt.Errorf("%s gives %+v for owner %d", w.peer.name, *x, owner)
			}
			last = x.At
		})
	}), err)
}

// count walks over items, of which there must be so many, and all whole.
func (w *worker) count(want int, walk func(see func(*item)) error) error {
	got := 0
	err := walk(func(x *item) {
		if len(x.Text) == textBytes {
			got++
		}
	})
	if err == nil && got != want {
		err = fmt.Errorf("%s gives %d items, not %d", w.peer.name, got, want)
	}
	return err
}
