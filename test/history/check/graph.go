// SPDX-License-Identifier: Apache-2.0

package check

import (
	"slices"
	"sort"
)

// kind is a set of kinds of edges.
type kind uint8

const (
	ww kind = 1 << iota
	wr
	rw
	rt
	via // from a node that is no transaction: whatever led to it goes on
)

// edge is one reason why a node must come before another.
type edge struct {
	from, to int32
	key      int32 // whose list says so; -1: time
	kind     kind
}

// graph has the transactions as nodes, and after them nodes that save edges: a barrier for each return, which all later
// calls hang on, and a node for each key's appends that no list shows.
type graph struct {
	nodes int
	edges []edge  // sorted by from
	first []int32 // by node: its first edge; one more at the end
}

func (g *graph) add(from, to, key int32, k kind) {
	if from != to {
		g.edges = append(g.edges, edge{from, to, key, k})
	}
}

// node makes a new node that is no transaction.
func (g *graph) node() int32 {
	g.nodes++
	return int32(g.nodes - 1)
}

// seal sorts the edges.
func (g *graph) seal() {
	g.first = make([]int32, g.nodes+1)
	for _, e := range g.edges {
		g.first[e.from+1]++
	}
	for i := range g.nodes {
		g.first[i+1] += g.first[i]
	}
	sorted, next := make([]edge, len(g.edges)), slices.Clone(g.first)
	for _, e := range g.edges {
		sorted[next[e.from]] = e
		next[e.from]++
	}
	g.edges = sorted
}

// out returns the edges of a node.
func (g *graph) out(node int32) []edge { return g.edges[g.first[node]:g.first[node+1]] }

// build makes the graph of a history.
func (c *checker) build() *graph {
	g := &graph{nodes: len(c.history)}
	for _, key := range c.keys {
		c.order(g, key, c.lists[key])
	}
	c.time(g)
	g.seal()
	return g
}

// step is one writer of a list with its last element there.
type step struct {
	txn int32
	end int // how long the list is after its appends
}

// steps are the writers of the longest list that took effect, those of neighbouring elements once.
func (c *checker) steps(l *list) []step {
	var steps []step
	for i, e := range l.longest {
		w, ok := c.writers[e]
		switch {
		case !ok || !c.effect[w.txn]:
		case len(steps) > 0 && steps[len(steps)-1].txn == w.txn:
			steps[len(steps)-1].end = i + 1
		default:
			steps = append(steps, step{w.txn, i + 1})
		}
	}
	return steps
}

// order adds what the lists of one key say.
func (c *checker) order(g *graph, key int32, l *list) {
	steps := c.steps(l)
	for i := range len(steps) - 1 {
		g.add(steps[i].txn, steps[i+1].txn, key, ww)
	}
	tail := c.tail(g, key, l)
	if len(steps) > 0 {
		tail.after(g, steps[len(steps)-1].txn, key, ww)
	}
	for _, r := range l.reads {
		if r.again || !slices.Equal(r.list, l.longest[:len(r.list)]) {
			continue // its place in the order is not known
		}
		// The first step that the read does not show whole.
		next := sort.Search(len(steps), func(i int) bool { return steps[i].end > len(r.list) })
		if len(r.list) > 0 {
			if w, ok := c.writers[r.list[len(r.list)-1]]; ok && c.effect[w.txn] {
				g.add(w.txn, r.txn, key, wr)
			}
		}
		switch {
		case next == len(steps):
			tail.after(g, r.txn, key, rw)
		case steps[next].txn != r.txn: // else it comes before the next one as a writer
			g.add(r.txn, steps[next].txn, key, rw)
		}
	}
}

// tailEdgesMax bounds the edges of a transaction that is of the tail itself.
const tailEdgesMax = 16

// tail are the transactions whose appends come after all that the lists of a key show, in no known order.
type tail struct {
	node int32 // comes before all of them
	txns []int32
}

func (c *checker) tail(g *graph, key int32, l *list) tail {
	if len(l.tail) == 0 {
		return tail{}
	}
	t := tail{node: g.node()}
	for _, e := range l.tail {
		if txn := c.writers[e].txn; !slices.Contains(t.txns[max(0, len(t.txns)-1):], txn) {
			t.txns = append(t.txns, txn)
			g.add(t.node, txn, key, via)
		}
	}
	return t
}

// after puts the whole tail after a transaction.
func (t tail) after(g *graph, txn, key int32, k kind) {
	switch {
	case len(t.txns) == 0:
	case !slices.Contains(t.txns, txn):
		g.add(txn, t.node, key, k)
	default:
		// An edge to the node would lead back to the transaction.
		for _, other := range t.txns[:min(len(t.txns), tailEdgesMax)] {
			g.add(txn, other, key, k)
		}
	}
}

// time adds a barrier for each return, and hangs each call on the last barrier before it.
func (c *checker) time(g *graph) {
	var returns []int32
	for i := range c.history {
		if c.effect[i] && c.history[i].Outcome == Committed {
			returns = append(returns, int32(i))
		}
	}
	slices.SortFunc(returns, func(a, b int32) int {
		switch x, y := c.history[a].Return, c.history[b].Return; {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return int(a - b)
	})
	barriers := g.nodes
	for i, txn := range returns {
		b := g.node()
		g.add(txn, b, -1, rt)
		if i > 0 {
			g.add(b-1, b, -1, rt)
		}
	}
	for i := range c.history {
		if !c.effect[i] {
			continue
		}
		before := sort.Search(len(returns),
			func(j int) bool { return c.history[returns[j]].Return >= c.history[i].Call })
		if before > 0 {
			g.add(int32(barriers+before-1), int32(i), -1, rt)
		}
	}
}
