// SPDX-License-Identifier: Apache-2.0

package execute

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"

	"github.com/weftdb/weft/internal/resource/memory"
	"github.com/weftdb/weft/internal/rows/query"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/evaluate"
	"github.com/weftdb/weft/internal/sql/operator"
	"github.com/weftdb/weft/internal/sql/plan"
)

// grouper gathers rows into groups. Where rows of a group come together there is one group at a time; else they are
// found by their keys in memory, and rows of groups beyond that are sorted by their keys and gathered after.
type grouper struct {
	runner   *runner
	of       *plan.Groups
	context  *evaluate.Context
	key      []byte
	found    map[string]*group
	list     []*group // in the order in which they were met
	one      *group   // the only one at hand, where rows of a group come together
	oneKey   []byte
	integers *integerGroups
	bytes    int
	bytesMax int
	memory   memory.Share
	spill    *query.Sorter
	record   []byte
	row      []datum.Datum // keys, dependents and results of a group
	groups   int64
}

// group is one group.
type group struct {
	key          string        // of groups that are found by it
	values       []datum.Datum // keys and dependents
	accumulators []evaluate.Accumulator
}

// integerGroups are groups that were met lately, by the integer that is their only key: what most rows belong to is
// found without making a key.
type integerGroups [256]struct {
	key   int64
	group *group
}

// at is the place of a key.
func (l *integerGroups) at(key int64) uint8 { return uint8(uint64(key) * 0x9E3779B97F4A7C15 >> 56) }

// groupOverhead is the approximate memory of a group besides its keys and accumulators.
const groupOverhead = 160

func (r *runner) newGrouper() *grouper {
	g := r.request.Statement.Groups
	settings := r.request.Settings.WithDefaults()
	return &grouper{runner: r, of: g, context: r.request.Context, bytesMax: settings.GroupBytesMax,
		memory: memory.Share{Of: settings.Memory},
		row:    make([]datum.Datum, len(g.Keys)+len(g.Dependents)+len(g.Aggregates))}
}

// groups runs a statement with groups.
func (r *runner) groups(ctx context.Context) (err error) {
	if r.output.full() {
		return nil
	}
	if done, err := r.countAll(ctx); done || err != nil {
		return err
	}
	if err := r.lockPoint(ctx); err != nil {
		return err
	}
	if done, err := r.ends(ctx); done || err != nil {
		return err
	}
	if done, err := r.groupsParallel(ctx); done || err != nil && !errors.Is(err, errCrowded) {
		return err
	}
	g := r.newGrouper()
	defer g.memory.Release()
	request := r.request
	if err := r.rows.open(ctx, request.View, request.Statement.Source, &request.Execution, &r.access); err != nil {
		return err
	}
	together := r.access.Grouped && len(g.of.Keys) > 0
	for r.rows.Next() {
		passed := false
		if r.locks() {
			passed, err = r.lock(ctx)
		}
		switch {
		case err != nil || passed:
		case together:
			err = g.addOrdered()
		default:
			err = g.add()
		}
		if err != nil || r.output.full() {
			break
		}
		request.Context.Reset()
	}
	if closed := r.rows.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = g.finish(ctx)
	}
	r.groupsMade = g.groups
	if g.spill != nil {
		if closed := g.spill.Close(); err == nil {
			err = closed
		}
	}
	return err
}

// nowhereGroup is an aggregate without FROM: of one row.
func (r *runner) nowhereGroup(ctx context.Context) error {
	g := r.newGrouper()
	if r.output.left != 0 {
		if err := g.add(); err != nil {
			return err
		}
	}
	return g.finish(ctx)
}

// makeKey computes the group that the row at hand belongs to.
func (g *grouper) makeKey() error {
	g.key = g.key[:0]
	for i, program := range g.of.Keys {
		d, err := g.keyOf(i, program)
		if err != nil {
			return err
		}
		g.key = d.AppendKey(g.key)
	}
	return nil
}

func (g *grouper) keyOf(i int, program *evaluate.Program) (datum.Datum, error) {
	if slot := g.of.KeySlots[i]; slot >= 0 {
		return g.context.Row[slot], nil
	}
	return program.Value(g.context)
}

// create makes a group of the row at hand.
func (g *grouper) create() (*group, error) {
	one := &group{accumulators: make([]evaluate.Accumulator, len(g.of.Aggregates))}
	for i, program := range g.of.Keys {
		d, err := g.keyOf(i, program)
		if err != nil {
			return nil, err
		}
		one.values = append(one.values, d.Clone())
	}
	for _, slot := range g.of.Dependents {
		one.values = append(one.values, g.context.Row[slot].Clone())
	}
	g.bytes += groupOverhead + 2*len(g.key)
	for i, a := range g.of.Aggregates {
		one.accumulators[i] = a.New()
		g.bytes += one.accumulators[i].Bytes()
	}
	g.groups++
	return one, nil
}

// take adds the row at hand to a group.
func (g *grouper) take(one *group) error {
	for _, a := range one.accumulators {
		if !g.of.Growing {
			if err := a.Add(g.context); err != nil {
				return err
			}
			continue
		}
		before := a.Bytes()
		if err := a.Add(g.context); err != nil {
			return err
		}
		g.bytes += a.Bytes() - before
	}
	return nil
}

// add takes the row at hand, in whatever order rows come.
func (g *grouper) add() error {
	one, key, isInteger := g.recentGroup()
	if one == nil {
		var err error
		if one, err = g.find(); one == nil {
			return err
		}
		if isInteger {
			g.remember(key, one)
		}
	}
	if err := g.take(one); err != nil {
		return err
	}
	if g.of.Growing && (g.bytes > 2*g.bytesMax || !g.memory.Hold(int64(g.bytes)*2)) {
		return groupMemory("an aggregate of a group", g.bytesMax)
	}
	return nil
}

// recentGroup is the group of the row at hand, if it is known by an integer or is the only one; nil if it has to be
// found.
func (g *grouper) recentGroup() (one *group, key int64, isInteger bool) {
	switch len(g.of.Keys) {
	case 0:
		if len(g.list) == 1 {
			one = g.list[0]
		}
	case 1:
		if slot := g.of.KeySlots[0]; slot >= 0 {
			key, isInteger = g.context.Row[slot].Integer()
		} else {
			key, isInteger = g.of.Keys[0].Integer(g.context)
		}
		if !isInteger || g.integers == nil {
			break
		}
		if met := &g.integers[g.integers.at(key)]; met.key == key {
			one = met.group
		}
	}
	return one, key, isInteger
}

func (g *grouper) remember(key int64, one *group) {
	if g.integers == nil {
		g.integers = new(integerGroups)
	}
	met := &g.integers[g.integers.at(key)]
	met.key, met.group = key, one
}

// find finds or makes the group of the row at hand. nil without an error: the row was put off.
func (g *grouper) find() (*group, error) {
	if err := g.makeKey(); err != nil {
		return nil, err
	}
	one := g.found[string(g.key)]
	if one == nil {
		if g.bytes > g.bytesMax || !g.memory.Hold(int64(g.bytes)*2) {
			return nil, g.putOff()
		}
		var err error
		if one, err = g.create(); err != nil {
			return nil, err
		}
		if g.found == nil {
			g.found = map[string]*group{}
		}
		one.key = string(g.key)
		g.found[one.key] = one
		g.list = append(g.list, one)
	}
	return one, nil
}

// putOff keeps the row at hand for later, in the order of its key.
func (g *grouper) putOff() error {
	settings := g.runner.request.Settings.WithDefaults()
	if g.spill == nil {
		if settings.Spill == nil {
			return groupMemory("GROUP BY", g.bytesMax)
		}
		g.spill = query.Sort{BytesMax: settings.SortBytesMax, Spill: settings.Spill, Memory: settings.Memory}.Open()
	}
	record := append(g.record[:0], g.key...)
	record = operator.AppendRow(record, g.context.Row)
	g.record = binary.BigEndian.AppendUint32(record, uint32(len(g.key)))
	return g.spill.Add(g.record)
}

// addOrdered takes the row at hand where rows of a group come together.
func (g *grouper) addOrdered() error {
	if err := g.makeKey(); err != nil {
		return err
	}
	if g.one != nil && bytes.Equal(g.key, g.oneKey) {
		return g.take(g.one)
	}
	if err := g.emitOne(); err != nil {
		return err
	}
	if g.runner.output.full() {
		return nil
	}
	one, err := g.create()
	if err != nil {
		return err
	}
	g.one, g.oneKey, g.bytes = one, append(g.oneKey[:0], g.key...), 0
	return g.take(one)
}

// emitOne sends the group at hand.
func (g *grouper) emitOne() error {
	if g.one == nil {
		return nil
	}
	input := g.context.Row
	err := g.emit(g.one)
	g.context.Row, g.one = input, nil
	return err
}

// finish sends what was gathered.
func (g *grouper) finish(ctx context.Context) error {
	if g.one != nil {
		return g.emitOne()
	}
	if len(g.of.Keys) == 0 && len(g.list) == 0 && !g.runner.output.full() {
		if err := g.emptyGroup(); err != nil {
			return err
		}
	}
	for i, one := range g.list {
		if g.runner.output.full() {
			return nil
		}
		if i%checkEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if err := g.emit(one); err != nil {
			return err
		}
		g.list[i] = nil
		g.context.Reset()
	}
	g.found, g.list, g.integers = nil, nil, nil
	return g.finishSpilled(ctx)
}

// emptyGroup is the one group of no rows.
func (g *grouper) emptyGroup() error {
	one := &group{values: make([]datum.Datum, len(g.of.Dependents))}
	for _, a := range g.of.Aggregates {
		one.accumulators = append(one.accumulators, a.New())
	}
	g.groups++
	return g.emit(one)
}

// finishSpilled gathers and sends the rows that were put off.
func (g *grouper) finishSpilled(ctx context.Context) error {
	if g.spill == nil {
		return nil
	}
	if err := g.spill.Finish(); err != nil {
		return err
	}
	slots := g.runner.rows.slots
	for n := 1; !g.runner.output.full() && g.spill.Next(); n++ {
		if n%checkEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		_, record, err := operator.CutSorted(g.spill.Record())
		if err != nil {
			return err
		}
		if err := operator.CutRow(record, slots); err != nil {
			return err
		}
		g.context.Row = slots
		if err := g.addOrdered(); err != nil {
			return err
		}
		g.context.Reset()
	}
	return g.emitOne()
}

// emit computes and sends the row of a group.
func (g *grouper) emit(one *group) (err error) {
	copy(g.row, one.values)
	for i, a := range one.accumulators {
		if g.row[len(one.values)+i], err = a.Result(g.context); err != nil {
			return err
		}
	}
	g.context.Row = g.row
	r := g.runner
	if having := r.request.Statement.Having; having != nil {
		if is, err := having.Truth(g.context); err != nil || !is {
			return err
		}
	}
	if err := r.project(); err != nil {
		return err
	}
	if r.output.sorter != nil {
		if err := r.sortKeys(); err != nil {
			return err
		}
	}
	return r.output.add(r.row, r.keys)
}
