// SPDX-License-Identifier: Apache-2.0

// Package throttle holds requests to the throughput that is set for tables and global indexes, as DynamoDB does: a
// bucket of capacity units for the reads and one for the writes of each, which fills at the rate that is provisioned,
// or is the bound of on-demand throughput, and keeps what was not used for five minutes.
//
// A request is admitted if the least that it can cost is there, and takes what it has cost when that is known.
//
// Knows: the rates in the settings of tables and indexes, a clock.
// Never: requests, items, what a refusal is called.
package throttle

import (
	"cmp"
	"hash/maphash"
	"sync"
	"time"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/dynamodb/tablemodel"
)

// Options are the settings of a Limiter. The zero value works.
type Options struct {
	// Now is the clock. Default: time.Now.
	Now func() time.Time
	// Keys limits what is asked of single keys, too, as DynamoDB's partitions do.
	Keys bool
	// Report makes that nothing is refused: what would be is only told.
	Report bool
	// Throttled, if not nil, is called for each limit that a request exceeds, Consumed for what a request takes of a
	// table or an index. They must be quick and safe for concurrent use.
	Throttled func(*Event)
	Consumed  func(table *schema.Table, index string, d Direction, units float64)
	// Refused, if not nil, is called for each request that is refused as a whole, or would be.
	Refused func(table *schema.Table, operation string)
}

// Limiter has the buckets of all tables. It is safe for concurrent use; New makes one.
type Limiter struct {
	options Options

	mu     sync.Mutex
	tables map[uint32]*limits // by the tables' ids
	keys   keys
}

// New returns a Limiter whose buckets are as if nothing was asked of the tables since they were made.
func New(o Options) *Limiter {
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Limiter{options: o, tables: map[uint32]*limits{}, keys: keys{maphash.MakeSeed(), map[keyID]*bucket{}}}
}

// Reports reports whether nothing is refused.
func (l *Limiter) Reports() bool { return l.options.Report }

// LimitsKeys reports whether Admit wants the keys of requests.
func (l *Limiter) LimitsKeys() bool { return l.options.Keys }

// Direction reports whether a request reads or writes.
type Direction uint8

// The directions.
const (
	Read Direction = iota
	Write
	directions
)

// String is "Read" or "Write".
func (d Direction) String() string { return [...]string{"Read", "Write"}[d] }

// Excess is a limit that a request exceeds.
type Excess struct {
	Index    string // "": the table's
	OnDemand bool   // nothing is provisioned: it is a bound of on-demand throughput
	Key      bool   // it is that of a single key
	Direction
}

// Reason is DynamoDB's name for the excess, such as "TableReadProvisionedThroughputExceeded".
func (e *Excess) Reason() string {
	what, limit := "Table", "ProvisionedThroughputExceeded"
	if e.Index != "" {
		what = "Index"
	}
	switch {
	case e.Key:
		limit = "KeyRangeThroughputExceeded"
	case e.OnDemand:
		limit = "MaxOnDemandThroughputExceeded"
	}
	return what + e.Direction.String() + limit
}

// Event is one excess of a request.
type Event struct {
	Table *schema.Table
	Excess
	Key []byte // of the item or the partition, as the store has it; nil: none
}

// tablesMax bounds what is kept: beyond it all is forgotten.
const tablesMax = 10_000

// limits are the buckets of a table and its global indexes.
type limits struct {
	version uint64 // of the descriptor that they were read from
	objects []object
}

// object is the table, which comes first, or a global index.
type object struct {
	id       uint32 // of the index
	name     string
	onDemand bool
	buckets  [directions]bucket
}

// Admit returns the limits that a request for a table exceeds, or for one of its indexes ("": the table itself): those
// that have less than so many units. A write must be admitted by all global indexes. key is that of the item or the
// partition, nil if there is none, or LimitsKeys is false; if nothing is exceeded the units are taken of it.
func (l *Limiter) Admit(table *schema.Table, index string, d Direction, units float64, key []byte) (list []Excess) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.options.Now()
	held := l.of(table, now)
	for i := range held.objects {
		o := &held.objects[i]
		need := units
		switch {
		case o == held.find(index):
		case d == Read:
			continue
		default:
			need = min(need, 1) // an entry may be small, whatever the item
		}
		if o.buckets[d].has(need, now) {
			continue
		}
		list = append(list, Excess{Index: o.name, OnDemand: o.onDemand, Direction: d})
	}
	if key == nil {
		return list
	}
	b := l.keys.of(key, d, now)
	if !b.has(units, now) {
		o := held.find(index)
		return append(list, Excess{Index: o.name, OnDemand: o.onDemand, Key: true, Direction: d})
	}
	if list == nil {
		b.level -= units
	}
	return list
}

// TakeOfKey takes units of a key that Admit was handed.
func (l *Limiter) TakeOfKey(key []byte, d Direction, units float64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.keys.of(key, d, l.options.Now()).level -= units
}

// Tell reports the limit that a request exceeds; key is the key of its item or partition, nil if it has none.
func (l *Limiter) Tell(table *schema.Table, list []Excess, key []byte) {
	if l.options.Throttled == nil {
		return
	}
	for i := range list {
		l.options.Throttled(&Event{table, list[i], key})
	}
}

// Refuse tells of a request that is refused as a whole, or would be.
func (l *Limiter) Refuse(table *schema.Table, operation string) {
	if l.options.Refused != nil {
		l.options.Refused(table, operation)
	}
}

// Take takes units of a table or one of its indexes. Units of a local index are the table's; fewer than none give back.
func (l *Limiter) Take(table *schema.Table, index string, d Direction, units float64) {
	if units == 0 {
		return
	}
	l.mu.Lock()
	o := l.of(table, l.options.Now()).find(index)
	o.buckets[d].level -= units
	name := o.name
	l.mu.Unlock()
	if l.options.Consumed != nil {
		l.options.Consumed(table, name, d, units)
	}
}

// find returns the object that pays for an index: the table for itself and for local indexes.
func (x *limits) find(index string) *object {
	for i := range x.objects {
		if x.objects[i].name == index {
			return &x.objects[i]
		}
	}
	return &x.objects[0]
}

// of returns the limits of a table as its descriptor has them.
func (l *Limiter) of(table *schema.Table, now time.Time) *limits {
	held := l.tables[table.ID]
	if held != nil && held.version >= table.Version {
		return held
	}
	if held == nil {
		if len(l.tables) >= tablesMax {
			clear(l.tables)
		}
		held = &limits{}
		l.tables[table.ID] = held
	}
	held.read(table, now)
	return held
}

// read reads the limits from a descriptor. Settings that can't be read set no limits. Buckets that are known go on.
func (x *limits) read(table *schema.Table, now time.Time) {
	before := x.objects
	x.version, x.objects = table.Version, nil
	rate, _ := tablemodel.RateOf(table)
	x.add(before, object{}, rate, table.CreatedAtMS, now)
	for i := range table.Indexes {
		index := &table.Indexes[i]
		if index.Local || index.Internal || index.Search {
			continue
		}
		rate, _ := tablemodel.RateOfIndex(index)
		x.add(before, object{id: index.ID, name: index.Name}, rate, cmp.Or(index.CreatedAtMS, table.CreatedAtMS), now)
	}
}

// add adds an object with the buckets that it had before, or new ones.
func (x *limits) add(before []object, o object, rate tablemodel.Rate, createdMS int64, now time.Time) {
	o.onDemand = rate.OnDemand
	rates := [directions]float64{Read: float64(rate.Read), Write: float64(rate.Write)}
	known := false
	for i := range before {
		if known = before[i].id == o.id; known {
			o.buckets = before[i].buckets
			break
		}
	}
	for d := range o.buckets {
		if known {
			o.buckets[d].setRate(rates[d], now)
		} else {
			o.buckets[d] = newBucket(rates[d], now.Sub(time.UnixMilli(createdMS)), now)
		}
	}
	x.objects = append(x.objects, o)
}

// burst is the time for which unused capacity can still be used.
const burst = 300 * time.Second

// bucket holds the capacity units that may be used at once. Requests take what they turn out to have cost, so that it
// can fall below zero: others then wait for longer.
type bucket struct {
	rate  float64 // units a second; 0: without a limit
	most  float64 // that it holds
	level float64
	at    time.Time // when level was right
}

// newBucket returns a bucket of a rate that nobody has used for some time.
func newBucket(rate float64, unused time.Duration, now time.Time) bucket {
	b := bucket{rate: rate, most: rate * burst.Seconds(), at: now.Add(-min(max(unused, time.Second), burst))}
	b.fill(now)
	return b
}

// fill adds what has come since the last time. A clock that goes back adds nothing.
func (b *bucket) fill(now time.Time) {
	if elapsed := now.Sub(b.at); elapsed > 0 {
		b.level = min(b.level+b.rate*elapsed.Seconds(), b.most)
	}
	b.at = now
}

// has reports whether so many units are there. A limit below them is enough once it is full.
func (b *bucket) has(units float64, now time.Time) bool {
	if b.rate == 0 {
		return true
	}
	b.fill(now)
	return b.level >= min(units, b.most)
}

// setRate changes the rate from now on. Tokens that are there stay, as far as they fit.
func (b *bucket) setRate(rate float64, now time.Time) {
	if b.rate == 0 {
		*b = newBucket(rate, 0, now)
		return
	}
	b.fill(now)
	b.rate, b.most, b.level = rate, rate*burst.Seconds(), min(b.level, rate*burst.Seconds())
}

// The load that one key can bear in a second, wherever its partition is.
var keyRates = [directions]float64{Read: 3000, Write: 1000} // immutable

// keysMax bounds how many keys are remembered.
const keysMax = 1 << 16

// keys are the buckets of single keys, by their hashes. A key that nothing was asked of for a second is as one that is
// not there.
type keys struct {
	seed    maphash.Seed
	buckets map[keyID]*bucket
}

type keyID struct {
	hash uint64
	d    Direction
}

// of returns the bucket of a key. The limiter's mutex is held.
func (k *keys) of(key []byte, d Direction, now time.Time) *bucket {
	id := keyID{maphash.Bytes(k.seed, key), d}
	b := k.buckets[id]
	if b != nil {
		return b
	}
	if len(k.buckets) >= keysMax {
		k.forget(now)
	}
	b = &bucket{rate: keyRates[d], most: keyRates[d], level: keyRates[d], at: now}
	k.buckets[id] = b
	return b
}

// forget makes room: by the keys that are as new ones, or else by all.
func (k *keys) forget(now time.Time) {
	for id, b := range k.buckets {
		if b.fill(now); b.level == b.most {
			delete(k.buckets, id)
		}
	}
	if len(k.buckets) >= keysMax {
		clear(k.buckets)
	}
}
