// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"context"
	"encoding/binary"
	"errors"

	"github.com/weftdb/weft/internal/rows/query"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/evaluate"
)

// groupBytes is the approximate memory of a group besides its keys and accumulators.
const groupBytes = 192

// Group gathers rows into groups and yields, in the row of Out, the values of a group's keys, of its dependents, and
// the results of its aggregates. Rows of groups beyond memory are sorted in files and gathered after. Without keys all
// rows are one group, even if there are none.
type Group struct {
	Input      Rows
	Keys       []*evaluate.Program
	Dependents []int // slots of columns that have one value in a group
	Aggregates []*evaluate.Aggregate
	// Rollup adds, for each number of leading keys down to none, groups of these alone, in which the other keys and the
	// dependents are NULL. Groups come in the order of their keys then, each behind those that it sums up. Behind the
	// results stands the number of leading keys.
	Rollup bool
	// Together says that rows of a group come one behind the other.
	Together bool
	// Growing says that what some aggregate keeps grows with the rows of a group.
	Growing bool
	// Parts are groups of parts of the input, over contexts of their own, which gather them at once; what they have is
	// joined in their order, as if one had read it all. If they find no memory, the input is read instead. nil: none.
	Parts   []*Group
	Slots   []int // of the input's rows
	Context *evaluate.Context
	Out     *evaluate.Context
	Budget  *Budget
	Counts  Counts

	source  Rows // the input, or, of Rollup, the input sorted
	found   map[string]*group
	list    []*group
	next    int // of list
	memory  share
	put     *query.Sorter // rows that were put off; nil: none
	room    query.Sorter  // for put
	sorts   share
	recent  *recentGroups
	key     []byte
	ends    []int // where each key ends in key
	record  []byte
	streams bool // groups come one behind the other now
	ordered openGroups
	pulse   pulse
}

// group is one group.
type group struct {
	key          string        // of groups that are found by it
	level        int           // how many leading keys it is of; only with Rollup
	values       []datum.Datum // keys and dependents
	accumulators []evaluate.Accumulator
}

// openGroups are the groups at hand where groups come one behind the other: of each level one, where a level is a
// number of leading keys.
type openGroups struct {
	levels      []*group
	key         []byte
	ends        []int
	emit, until int  // levels that are to be yielded, from emit down to until
	pending     bool // the row at hand is not yet in
	any, ended  bool
}

// Open begins; groups that come in any order are gathered now.
func (g *Group) Open(ctx context.Context) error {
	if err := g.Close(); err != nil {
		return err
	}
	g.Counts.Opens++
	g.pulse.ctx, g.next = ctx, 0
	g.memory.begin(g.Budget, &g.Counts)
	if joined, err := g.openParts(ctx); joined || err != nil {
		return err
	}
	g.source = g.Input
	if g.Rollup {
		sort := &Sort{Input: g.Input, Slots: g.Slots, Context: g.Context, Budget: g.Budget}
		for _, key := range g.Keys {
			sort.Order = append(sort.Order, Ordering{By: key})
		}
		g.source = sort
	}
	g.beginOrdered()
	open := g.gather
	if g.streams = g.Together || g.Rollup; g.streams {
		open = g.source.Open
	}
	if err := open(ctx); err != nil {
		return errors.Join(err, g.Close())
	}
	return nil
}

func (g *Group) beginOrdered() {
	g.ordered = openGroups{levels: make([]*group, len(g.Keys)+1), emit: -1, ends: g.ordered.ends[:0],
		key: g.ordered.key[:0]}
}

// gather reads all rows.
func (g *Group) gather(ctx context.Context) error {
	g.found = map[string]*group{}
	err := each(ctx, g.source, func() error {
		err := g.add()
		g.Context.Reset()
		return err
	})
	if len(g.Keys) == 0 && len(g.list) == 0 {
		g.list = append(g.list, g.empty())
	}
	if err != nil || g.put == nil {
		return err
	}
	return g.put.Finish()
}

// empty is the group of no rows.
func (g *Group) empty() *group {
	one := &group{values: make([]datum.Datum, len(g.Keys)+len(g.Dependents)),
		accumulators: make([]evaluate.Accumulator, len(g.Aggregates))}
	for i, a := range g.Aggregates {
		one.accumulators[i] = a.New()
	}
	return one
}

func (g *Group) makeKey() error {
	g.key, g.ends = g.key[:0], g.ends[:0]
	for _, program := range g.Keys {
		d, err := program.Value(g.Context)
		if err != nil {
			return err
		}
		g.key = d.AppendKey(g.key)
		g.ends = append(g.ends, len(g.key))
	}
	return nil
}

// add takes the row at hand into its group, or puts it off.
func (g *Group) add() error {
	key, isInteger := int64(0), false
	switch len(g.Keys) {
	case 0:
		if len(g.list) == 1 {
			return g.take(g.list[0])
		}
	case 1:
		if key, isInteger = g.Keys[0].Integer(g.Context); isInteger {
			if one := g.recent.find(key); one != nil {
				return g.take(one)
			}
		}
	}
	one, err := g.find()
	if one == nil || err != nil {
		return err
	}
	if isInteger {
		if g.recent == nil {
			g.recent = new(recentGroups)
		}
		*g.recent.at(key) = recentGroup{key, one}
	}
	return g.take(one)
}

// find finds or makes the group of the row at hand. nil without an error: the row was put off.
func (g *Group) find() (*group, error) {
	if err := g.makeKey(); err != nil {
		return nil, err
	}
	one := g.found[string(g.key)]
	if one == nil {
		if g.put != nil || !g.memory.take(int64(groupBytes+3*len(g.key)+accumulatorBytes*len(g.Aggregates))) {
			return nil, g.putOff()
		}
		var err error
		if one, err = g.create(len(g.Keys)); err != nil {
			return nil, err
		}
		one.key = string(g.key)
		g.found[one.key] = one
		g.list = append(g.list, one)
	}
	return one, nil
}

// create makes a group of the leading keys of the row at hand.
func (g *Group) create(level int) (*group, error) {
	one := g.empty()
	one.level = level
	for i, program := range g.Keys[:level] {
		d, err := program.Value(g.Context)
		if err != nil {
			return nil, err
		}
		one.values[i] = d.Clone()
	}
	if level == len(g.Keys) {
		for i, slot := range g.Dependents {
			one.values[len(g.Keys)+i] = g.Context.Row[slot].Clone()
		}
	}
	return one, nil
}

// take adds the row at hand to a group.
func (g *Group) take(one *group) error {
	for _, a := range one.accumulators {
		before := 0
		if g.Growing {
			before = a.Bytes()
		}
		if err := a.Add(g.Context); err != nil {
			return err
		}
		if g.Growing && !g.memory.take(int64(a.Bytes()-before)) {
			return g.memory.of.full("an aggregate of a group")
		}
	}
	return nil
}

// putOff keeps the row at hand for later, in the order of its key.
func (g *Group) putOff() error {
	if g.put == nil {
		if g.memory.of.Spill == nil {
			return g.memory.of.full("GROUP BY")
		}
		g.put = g.sorts.sorter(g.Budget, &g.Counts, 0, &g.room)
	}
	record := appendSlots(append(g.record[:0], g.key...), g.Context.Row, g.Slots)
	g.record = binary.BigEndian.AppendUint32(record, uint32(len(g.key)))
	return sortError(g.put.Add(g.record), g.sorts.of)
}

// Next moves to the next group.
func (g *Group) Next() (bool, error) {
	if g.source == nil && len(g.list) == 0 {
		return false, nil
	}
	if !g.streams {
		if g.next < len(g.list) {
			one := g.list[g.next]
			g.list[g.next] = nil
			g.next++
			return true, g.yield(one)
		}
		if g.put == nil {
			return false, nil
		}
		g.found, g.list, g.recent, g.streams = nil, nil, nil, true
		g.memory.release()
	}
	for {
		ok, err := g.stream()
		if ok || err != nil || g.ordered.ended && g.ordered.emit < g.ordered.until {
			return ok && err == nil, err
		}
		if err := g.pulse.check(); err != nil {
			return false, err
		}
	}
}

// yield writes a group into the row of Out.
func (g *Group) yield(one *group) (err error) {
	g.Context.Reset()
	copy(g.Out.Row, one.values)
	for i, a := range one.accumulators {
		if g.Out.Row[len(one.values)+i], err = a.Result(g.Context); err != nil {
			return err
		}
	}
	if g.Rollup {
		g.Out.Row[len(one.values)+len(one.accumulators)] = datum.Int(int64(one.level))
	}
	g.Counts.Rows++
	return nil
}

// stream goes one step on where groups come one behind the other. false: nothing is to be yielded yet.
func (g *Group) stream() (bool, error) {
	o := &g.ordered
	switch {
	case o.emit >= o.until:
		one := o.levels[o.emit]
		o.levels[o.emit] = nil
		o.emit--
		return true, g.yield(one)
	case o.pending:
		o.pending = false
		err := g.takeOrdered()
		g.Context.Reset()
		return false, err
	case o.ended:
		return false, nil
	}
	ok, err := g.read()
	if err != nil {
		return false, err
	}
	if !ok {
		return g.endOrdered()
	}
	if err := g.makeKey(); err != nil {
		return false, err
	}
	if same := g.same(); o.any && same < len(g.Keys) {
		o.emit, o.until = len(g.Keys), len(g.Keys)
		if g.Rollup {
			o.until = same + 1
		}
	}
	o.any, o.pending = true, true
	o.key, o.ends = append(o.key[:0], g.key...), append(o.ends[:0], g.ends...)
	return false, nil
}

// endOrdered yields what is left.
func (g *Group) endOrdered() (bool, error) {
	o := &g.ordered
	o.ended = true
	switch {
	case o.any:
		o.emit, o.until = len(g.Keys), len(g.Keys)
		if g.Rollup {
			o.until = 0
		}
	case len(g.Keys) == 0:
		return true, g.yield(g.empty())
	}
	return false, nil
}

// same is the number of leading keys of the row at hand that are those of the groups at hand.
func (g *Group) same() int {
	o, from := &g.ordered, 0
	for i, end := range g.ends {
		if i >= len(o.ends) || o.ends[i] != end || string(o.key[from:end]) != string(g.key[from:end]) {
			return i
		}
		from = end
	}
	return len(g.Keys)
}

// takeOrdered adds the row at hand to the groups at hand.
func (g *Group) takeOrdered() (err error) {
	from := len(g.Keys)
	if g.Rollup {
		from = 0
	}
	for level := from; level <= len(g.Keys); level++ {
		one := g.ordered.levels[level]
		if one == nil {
			if one, err = g.create(level); err != nil {
				return err
			}
			g.ordered.levels[level] = one
		}
		if err := g.take(one); err != nil {
			return err
		}
	}
	return nil
}

// read reads the next row where groups come one behind the other: of the input, or of those that were put off.
func (g *Group) read() (bool, error) {
	if g.put == nil {
		return g.source.Next()
	}
	if !g.put.Next() {
		return false, g.sorts.end(&g.put)
	}
	_, row, err := CutSorted(g.put.Record())
	if err != nil {
		return false, err
	}
	return true, cutSlots(row, g.Context.Row, g.Slots)
}

// Close gives memory and files back.
func (g *Group) Close() error {
	err := g.sorts.end(&g.put)
	for _, p := range g.Parts {
		err = errors.Join(err, p.Close())
	}
	if g.source != nil {
		err = errors.Join(err, g.source.Close())
	}
	g.source, g.found, g.list, g.recent = nil, nil, nil, nil
	g.ordered.levels, g.ordered.any, g.ordered.ended = nil, false, false
	g.memory.release()
	return err
}
