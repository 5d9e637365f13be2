// SPDX-License-Identifier: Apache-2.0

package check

import (
	"fmt"
	"slices"
	"strings"
)

// stepsMax bounds the edges followed in search of cycles for the report, so that a history full of faults is judged in
// time, too.
const stepsMax = 20_000_000

// judgeGraph looks for cycles. A history without any is done after one walk over the graph.
func (c *checker) judgeGraph() {
	g := c.build()
	c.verdict.Edges = len(g.edges)
	of, sizes := g.components(ww | wr | rw | rt | via)
	if len(sizes) == g.nodes {
		return
	}
	s := &search{graph: g, checker: c, from: make([]int32, g.nodes), seen: make([]int32, g.nodes), budget: stepsMax}
	faulty := map[int32]bool{} // components that have a cycle which needs no time
	found := func(c cycle) { faulty[of[c[0].from]] = true }
	s.level(ww, ww, map[int32]bool{}, found)
	s.level(wr, ww|wr, map[int32]bool{}, found)
	reported := map[int32]bool{}
	s.level(rw, ww|wr, reported, found)
	s.level(rw, ww|wr|rw, reported, found)
	s.inTime(of, sizes, faulty)
	if s.budget < 0 {
		c.verdict.Truncated = true
	}
}

// cycle is a closed walk along edges.
type cycle []edge

// search finds short cycles.
type search struct {
	*graph
	checker *checker
	of      []int32 // the component of each node
	seen    []int32 // by node: the number of the walk that has seen it
	from    []int32 // by node: the edge by which that walk came to it
	walks   int32
	budget  int
	queue   []int32
}

// level reports cycles that have an edge of the kind needed and go back along edges of other kinds. Transactions that
// were reported are not reported again.
func (s *search) level(needed, back kind, reported map[int32]bool, found func(cycle)) {
	var sizes []int32
	s.of, sizes = s.components(needed | back | via)
	for i := range s.edges {
		e := &s.edges[i]
		if e.kind&needed == 0 || s.of[e.from] != s.of[e.to] || sizes[s.of[e.from]] < 2 || reported[e.from] ||
			s.budget < 0 {
			continue
		}
		cycle := s.shortest(e, back)
		if cycle == nil {
			continue
		}
		for _, part := range cycle {
			reported[part.from] = true
		}
		s.report(classOf(cycle), cycle)
		found(cycle)
	}
}

// shortest closes the cycle that begins with an edge, best by edges of the same key.
func (s *search) shortest(e *edge, back kind) cycle {
	walk := s.path(e.to, e.from, back|via, func(next *edge) bool { return next.key == e.key })
	if walk == nil {
		walk = s.path(e.to, e.from, back|via, nil)
	}
	if walk == nil {
		return nil
	}
	return append(cycle{*e}, walk...)
}

// path is the shortest walk from one node to another inside their component.
func (s *search) path(from, to int32, allowed kind, also func(*edge) bool) []edge {
	s.walks++
	s.queue = append(s.queue[:0], from)
	s.seen[from], s.from[from] = s.walks, -1
	for at := 0; at < len(s.queue) && s.budget >= 0; at++ {
		node := s.queue[at]
		if node == to {
			return s.trace(node)
		}
		for i := s.first[node]; i < s.first[node+1]; i++ {
			e := &s.edges[i]
			s.budget--
			if e.kind&allowed == 0 || s.seen[e.to] == s.walks || s.of[e.to] != s.of[from] || also != nil && !also(e) {
				continue
			}
			s.seen[e.to], s.from[e.to] = s.walks, i
			s.queue = append(s.queue, e.to)
		}
	}
	return nil
}

// trace goes back along the edges of a walk.
func (s *search) trace(node int32) []edge {
	var walk []edge
	for s.from[node] >= 0 {
		e := s.edges[s.from[node]]
		walk = append(walk, e)
		node = e.from
	}
	slices.Reverse(walk)
	return walk
}

// inTime reports one cycle with time for each component that has no other.
func (s *search) inTime(of, sizes []int32, faulty map[int32]bool) {
	s.of = of
	for i := range s.edges {
		e := &s.edges[i]
		if e.kind == rt || e.kind == via || of[e.from] != of[e.to] || sizes[of[e.from]] < 2 || faulty[of[e.from]] ||
			s.budget < 0 {
			continue
		}
		back := s.path(e.to, e.from, ww|wr|rw|rt|via, nil)
		if back == nil {
			continue
		}
		faulty[of[e.from]] = true
		s.report(RealTime, append(cycle{*e}, back...))
	}
}

// classOf names a cycle that needs no time.
func classOf(found cycle) Class {
	readWrites, length, kinds, oneKey := 0, 0, kind(0), true
	for _, e := range found {
		kinds |= e.kind
		if e.kind != via {
			length++
		}
		oneKey = oneKey && e.key == found[0].key
		if e.kind == rw {
			readWrites++
		}
	}
	switch {
	case readWrites == 0 && kinds&wr == 0:
		return WriteCycle
	case readWrites == 0:
		return CircularFlow
	case readWrites == 1 && oneKey && found[len(found)-1].kind == ww, readWrites == 2 && length == 2 && oneKey:
		return LostUpdate
	case readWrites == 1:
		return ReadSkew
	case readWrites == 2 && length == 2:
		return WriteSkew
	}
	return AntiDependency
}

// report describes a cycle, its barriers left out, with its transactions below.
func (s *search) report(class Class, found cycle) {
	var walk, lines strings.Builder
	var txns []int
	waited := false
	for _, e := range found {
		if int(e.from) < len(s.checker.history) {
			txns = append(txns, int(e.from))
			fmt.Fprintf(&walk, "T%d ", e.from)
			fmt.Fprintf(&lines, "\n  T%d %s", e.from, &s.checker.history[e.from])
		}
		switch {
		case e.kind == rt && !waited:
			walk.WriteString("-rt-> ")
		case e.kind != rt && e.kind != via:
			fmt.Fprintf(&walk, "-%s k%d-> ", kindName(e.kind), e.key)
		}
		waited = e.kind == rt && int(e.to) >= len(s.checker.history)
	}
	fmt.Fprintf(&walk, "T%d", found[0].from)
	s.checker.verdict.add(class, walk.String()+lines.String(), txns...)
}

func kindName(k kind) string {
	switch k {
	case ww:
		return "ww"
	case wr:
		return "wr"
	}
	return "rw"
}
