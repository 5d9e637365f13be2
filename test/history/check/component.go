// SPDX-License-Identifier: Apache-2.0

package check

// components numbers the strongly connected components that the edges of some kinds make, and returns the component of
// each node and the number of nodes in each component. It is Tarjan's algorithm without recursion.
func (g *graph) components(allowed kind) (of []int32, sizes []int32) {
	t := tarjan{g: g, allowed: allowed, of: make([]int32, g.nodes), index: make([]int32, g.nodes),
		low: make([]int32, g.nodes), at: make([]int32, g.nodes)}
	for i := range t.of {
		t.of[i] = -1
	}
	for node := range g.nodes {
		if t.index[node] == 0 {
			t.visit(int32(node))
		}
	}
	return t.of, t.sizes
}

// tarjan is the state of the algorithm. index counts from 1; 0 is a node not yet seen.
type tarjan struct {
	g             *graph
	allowed       kind
	of, sizes     []int32
	index, low    []int32
	at            []int32 // by node: how many of its edges are done
	counter       int32
	stack, active []int32
}

func (t *tarjan) enter(node int32) {
	t.counter++
	t.index[node], t.low[node] = t.counter, t.counter
	t.stack = append(t.stack, node)
	t.active = append(t.active, node)
}

func (t *tarjan) visit(root int32) {
	t.enter(root)
	for len(t.active) > 0 {
		node := t.active[len(t.active)-1]
		if next, ok := t.next(node); ok {
			if t.index[next] == 0 {
				t.enter(next)
			} else if t.of[next] < 0 {
				t.low[node] = min(t.low[node], t.index[next])
			}
			continue
		}
		t.active = t.active[:len(t.active)-1]
		if len(t.active) > 0 {
			parent := t.active[len(t.active)-1]
			t.low[parent] = min(t.low[parent], t.low[node])
		}
		if t.low[node] == t.index[node] {
			t.leave(node)
		}
	}
}

// next takes the next allowed edge of a node.
func (t *tarjan) next(node int32) (to int32, ok bool) {
	edges := t.g.out(node)
	for int(t.at[node]) < len(edges) {
		e := &edges[t.at[node]]
		t.at[node]++
		if e.kind&t.allowed != 0 {
			return e.to, true
		}
	}
	return 0, false
}

// leave takes the component of a node off the stack.
func (t *tarjan) leave(root int32) {
	number, size := int32(len(t.sizes)), int32(0)
	for {
		node := t.stack[len(t.stack)-1]
		t.stack = t.stack[:len(t.stack)-1]
		t.of[node] = number
		size++
		if node == root {
			break
		}
	}
	t.sizes = append(t.sizes, size)
}
