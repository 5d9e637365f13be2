// SPDX-License-Identifier: Apache-2.0

package expression

import "github.com/weftdb/weft/internal/data/expr"

// nodes is the memory of the trees of one request: of the nodes that most expressions have. It is used again after
// reset, and the trees with it.
type nodes struct {
	paths      memory[expr.Path]
	literals   memory[expr.Literal]
	compares   memory[expr.Compare]
	exists     memory[expr.Exists]
	notExists  memory[expr.NotExists]
	sums       memory[expr.Arithmetic]
	ands       memory[expr.And]
	conditions memory[expr.Condition]
	updates    memory[expr.Update]
	sets       memory[expr.SetAction]
	adds       memory[expr.AddAction]
}

func (n *nodes) reset() {
	n.paths.reset()
	n.literals.reset()
	n.compares.reset()
	n.exists.reset()
	n.notExists.reset()
	n.sums.reset()
	n.ands.reset()
	n.conditions.reset()
	n.updates.reset()
	n.sets.reset()
	n.adds.reset()
}

// memory gives out values of one type. Values that it has given out stay where they are until reset.
type memory[T any] struct{ used []T }

// take returns the place of one value.
func (m *memory[T]) take(v T) *T {
	taken := append(m.list(1), v)
	return &taken[0]
}

// listRoom is the number of elements for which a list has room.
const listRoom = 4

// list returns an empty list with room for n elements.
func (m *memory[T]) list(n int) []T {
	if len(m.used)+n > cap(m.used) {
		m.used = make([]T, 0, max(n, 2*cap(m.used)))
	}
	at := len(m.used)
	m.used = m.used[:at+n]
	return m.used[at : at : at+n]
}

// keptMax is the number of values whose room is kept: more than nearly all expressions have.
const keptMax = 64

func (m *memory[T]) reset() {
	if cap(m.used) > keptMax {
		m.used = nil
	}
	clear(m.used)
	m.used = m.used[:0]
}
