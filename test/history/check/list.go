// SPDX-License-Identifier: Apache-2.0

package check

import (
	"fmt"
	"slices"
)

// writer is the append of an element.
type writer struct {
	txn  int32
	key  int32
	at   int32 // its place in the transaction
	last bool  // of its transaction to that list
}

// reading is a transaction's reading of a list.
type reading struct {
	txn   int32
	shown []int32 // with its own appends
	list  []int32 // without them: the version of the list that the transaction stands on
	again bool    // it had read the list before, so list says nothing new
}

// list is the knowledge about one key.
type list struct {
	reads   []reading // of committed transactions
	appends []int32   // elements of transactions that are not aborted, in the order of the history
	longest []int32   // the longest list read: the order of its appends
	reader  int32     // who read it
	tail    []int32   // elements of transactions that took effect, which no list shows
}

// checker is the state of one check.
type checker struct {
	history History
	writers map[int32]writer // by element
	lists   map[int32]*list  // by key
	// of lists, in the order of the history, so that a check of one history always finds the same
	keys    []int32
	effect  []bool // by transaction: it took effect for all that is known
	verdict *Verdict
}

// Check judges a history. Errors: two appends have one element, or a transaction returned before it was called.
func Check(h History) (*Verdict, error) {
	c := &checker{history: h, writers: make(map[int32]writer, len(h)), lists: map[int32]*list{},
		effect: make([]bool, len(h)), verdict: &Verdict{}}
	if err := c.index(); err != nil {
		return nil, err
	}
	c.gather()
	for _, key := range c.keys {
		c.judgeReads(key, c.lists[key])
	}
	c.spread()
	for _, key := range c.keys {
		c.judgeLost(key, c.lists[key])
	}
	c.judgeGraph()
	return c.verdict, nil
}

// index maps elements to the transactions that appended them.
func (c *checker) index() error {
	for i := range c.history {
		t := &c.history[i]
		if t.Return < t.Call {
			return fmt.Errorf("transaction %d returned before it was called", i)
		}
		for j := range t.Ops {
			op := &t.Ops[j]
			if !op.Append {
				continue
			}
			if other, ok := c.writers[op.Element]; ok {
				return fmt.Errorf("transactions %d and %d both append %d: elements must be unique", other.txn, i,
					op.Element)
			}
			last := !slices.ContainsFunc(t.Ops[j+1:],
				func(later Op) bool { return later.Append && later.Key == op.Key })
			c.writers[op.Element] = writer{int32(i), op.Key, int32(j), last}
		}
	}
	return nil
}

func (c *checker) list(key int32) *list {
	l := c.lists[key]
	if l == nil {
		l = &list{reader: -1}
		c.lists[key] = l
		c.keys = append(c.keys, key)
	}
	return l
}

// gather takes every transaction apart by keys, judging what can be judged by it alone.
func (c *checker) gather() {
	for i := range c.history {
		t := &c.history[i]
		c.effect[i] = t.Outcome == Committed
		for j := range t.Ops {
			op := &t.Ops[j]
			switch {
			case t.Outcome == Aborted:
			case op.Append:
				l := c.list(op.Key)
				l.appends = append(l.appends, op.Element)
			case t.Outcome == Committed:
				c.gatherRead(int32(i), t, j)
			}
		}
	}
}

// gatherRead compares a read with what its transaction did before, and keeps what it shows of others.
func (c *checker) gatherRead(txn int32, t *Txn, at int) {
	op := &t.Ops[at]
	var seen []int32 // what an earlier read of the transaction showed
	hasSeen := false
	var own []int32 // what it appended since, or from its beginning
	for j := range t.Ops[:at] {
		switch before := &t.Ops[j]; {
		case before.Key != op.Key:
		case before.Append:
			own = append(own, before.Element)
		default:
			seen, own, hasSeen = before.List, own[:0], true
		}
	}
	for j := range t.Ops[at+1:] {
		if later := &t.Ops[at+1+j]; later.Append && slices.Contains(op.List, later.Element) {
			c.verdict.add(FutureRead, fmt.Sprintf("%s, before %s: %s", op, later, t), int(txn))
		}
	}
	stands := len(op.List) - len(own)
	switch {
	case stands < 0 || !slices.Equal(op.List[stands:], own) || hasSeen && !slices.Equal(op.List[:stands], seen):
		c.verdict.add(Internal, fmt.Sprintf("%s after %v and own appends %v: %s", op, seen, own, t), int(txn))
	default:
		l := c.list(op.Key)
		l.reads = append(l.reads, reading{txn, op.List, op.List[:stands], hasSeen})
		if len(op.List) > len(l.longest) {
			l.longest, l.reader = op.List, txn
		}
	}
}

// judgeReads holds all lists of one key against the longest.
func (c *checker) judgeReads(key int32, l *list) {
	c.judgeElements(key, l.longest, l.reader)
	for _, r := range l.reads {
		if !slices.Equal(r.shown, l.longest[:len(r.shown)]) {
			c.verdict.add(IncompatibleOrder, fmt.Sprintf("k%d was %v and %v", key, r.shown, l.longest), int(r.txn),
				int(l.reader))
			c.judgeElements(key, r.shown, r.txn)
		}
		if len(r.list) == 0 || r.again {
			continue
		}
		last := r.list[len(r.list)-1]
		if w, ok := c.writers[last]; ok && !w.last && w.txn != r.txn && c.history[w.txn].Outcome != Aborted {
			c.verdict.add(IntermediateRead,
				fmt.Sprintf("k%d was %v, but %d is not the last append of its transaction", key, r.list, last),
				int(r.txn), int(w.txn))
		}
	}
}

// judgeElements looks at each element of a list by itself, and marks the transactions that appended them as effective.
func (c *checker) judgeElements(key int32, elements []int32, reader int32) {
	seen := make(map[int32]bool, len(elements))
	dirty, from := int32(0), -1
	before := writer{txn: -1}
	for _, e := range elements {
		w, ok := c.writers[e]
		switch {
		case seen[e]:
			c.verdict.add(Duplicate, fmt.Sprintf("k%d was %v, with %d twice", key, elements, e), int(reader),
				int(w.txn))
		case !ok || w.key != key:
			c.verdict.add(Unwritten, fmt.Sprintf("k%d was %v, but nobody appended %d to it", key, elements, e),
				int(reader))
		case c.history[w.txn].Outcome == Aborted:
			c.verdict.add(AbortedRead, fmt.Sprintf("k%d was %v, but %d was aborted", key, elements, e), int(reader),
				int(w.txn))
			dirty, from = e, int(w.txn)
		case from >= 0 && int(w.txn) != from:
			c.verdict.add(DirtyUpdate, fmt.Sprintf("k%d was %v, with %d after %d, which was aborted", key, elements, e,
				dirty), int(w.txn), from)
			from = -1
		}
		if ok && w.txn == before.txn && w.at < before.at && !seen[e] {
			c.verdict.add(Internal, fmt.Sprintf("k%d was %v, with %d in the wrong order: %s", key, elements, e,
				&c.history[w.txn]), int(w.txn))
		}
		if ok && c.history[w.txn].Outcome != Aborted {
			c.effect[w.txn] = true
		}
		before = w
		if !ok {
			before.txn = -1
		}
		seen[e] = true
	}
}

// spread finds the appends that took effect but stand in no longest list. All of a transaction takes effect if one
// append of it does.
func (c *checker) spread() {
	for i := range c.effect {
		if c.effect[i] {
			c.verdict.Committed++
		}
	}
	for _, key := range c.keys {
		l := c.lists[key]
		shown := make(map[int32]bool, len(l.longest))
		for _, e := range l.longest {
			shown[e] = true
		}
		for _, e := range l.appends {
			if c.effect[c.writers[e].txn] && !shown[e] {
				l.tail = append(l.tail, e)
			}
		}
	}
}

// judgeLost looks for acknowledged appends that the read which began last does not show, although it began after the
// acknowledgement.
func (c *checker) judgeLost(key int32, l *list) {
	if len(l.reads) == 0 || len(l.tail) == 0 {
		return
	}
	latest := l.reads[0]
	for _, r := range l.reads {
		if c.history[r.txn].Call > c.history[latest.txn].Call {
			latest = r
		}
	}
	for _, e := range l.tail {
		w := c.writers[e]
		if t := &c.history[w.txn]; t.Outcome == Committed && t.Return < c.history[latest.txn].Call &&
			!slices.Contains(latest.list, e) {
			c.verdict.add(LostElement, fmt.Sprintf("k%d was %v in the end, without %d, which was acknowledged", key,
				latest.list, e), int(w.txn), int(latest.txn))
		}
	}
}
