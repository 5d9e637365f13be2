// SPDX-License-Identifier: Apache-2.0

package filter

// list is the common part of AND and OR.
type list struct {
	plain
	states []state
}

func (l *list) any(is func(state) bool) bool {
	for _, s := range l.states {
		if is(s) {
			return true
		}
	}
	return false
}

func (l *list) seesRows() bool { return l.any(state.seesRows) }

func (l *list) prune(cells []Cell) []Cell {
	for _, s := range l.states {
		cells = s.prune(cells)
	}
	return cells
}

// andState includes what all of its filters include.
type andState struct {
	list
	seeking []state // those that said so of the last cell
}

func (l *andState) reset() {
	for _, s := range l.states {
		s.reset()
	}
	l.seeking = l.seeking[:0]
}

// skips asks all filters, because some learn the row's key by it.
func (l *andState) skips(row []byte) bool {
	skips := false
	for _, s := range l.states {
		if s.isDone() || s.skips(row) {
			skips = true
		}
	}
	return skips
}

// judge asks until a filter does not include the cell, so that the ones behind it do not count it. Of those, the ones
// that can seek and remember nothing are asked where to.
func (l *andState) judge(row []byte, c *Cell) answer {
	a := include
	l.seeking = l.seeking[:0]
	for _, s := range l.states {
		if !a.in && !s.seeks() {
			continue
		}
		if a.in && s.isDone() {
			a = answer{step: max(a.step, nextFamily)}
			continue
		}
		b := s.judge(row, c)
		if b.step == seek {
			l.seeking = append(l.seeking, s)
		}
		if a.in || b.step == seek {
			a = answer{in: a.in && b.in, step: max(a.step, b.step)}
		}
	}
	return a
}

func (l *andState) seek(row []byte, c *Cell) target {
	var last target
	for _, s := range l.seeking {
		if t := s.seek(row, c); !last.isSet() || last.isBefore(t) {
			last = t
		}
	}
	return last
}

func (l *andState) change(c *Cell) {
	for _, s := range l.states {
		s.change(c)
	}
}

func (l *andState) rejects() bool { return l.any(state.rejects) }
func (l *andState) isDone() bool  { return l.any(state.isDone) }

// orState includes what one of its filters includes.
type orState struct {
	list
	last []lastAnswer // of each filter
}

// lastAnswer is a filter's answer about a cell. It is not asked again before the cell to which its step goes.
type lastAnswer struct {
	answer
	of     Cell
	target target
}

func (l *orState) reset() {
	for i, s := range l.states {
		s.reset()
		l.last[i] = lastAnswer{}
	}
}

// skips asks all filters, because some learn the row's key by it.
func (l *orState) skips(row []byte) bool {
	skips := true
	for _, s := range l.states {
		if !s.isDone() && !s.skips(row) {
			skips = false
		}
	}
	return skips
}

func (l *orState) judge(row []byte, c *Cell) answer {
	a, isFirst := answer{}, true
	for i, s := range l.states {
		last := &l.last[i]
		if s.isDone() {
			last.in = false
			continue
		}
		if last.step.passes(&last.of, c, last.target) {
			last.in = false
		} else {
			l.ask(i, row, c)
		}
		if isFirst {
			a, isFirst = last.answer, false
		} else {
			a = either(a, last.answer)
		}
	}
	return a
}

func (l *orState) ask(i int, row []byte, c *Cell) {
	last := &l.last[i]
	*last = lastAnswer{answer: l.states[i].judge(row, c)}
	if last.step == nextCell {
		return
	}
	last.of = *c
	if last.step == seek {
		last.target = l.states[i].seek(row, c)
	}
}

// either joins the answers of two filters of which one suffices: the read goes on by the shorter step, and seeks if
// both do.
func either(a, b answer) answer {
	s := min(a.step, b.step)
	if a.step != b.step && max(a.step, b.step) == seek {
		s = nextCell
	}
	return answer{in: a.in || b.in, step: s}
}

func (l *orState) seek(row []byte, c *Cell) target {
	var first target
	for _, s := range l.states {
		if s.isDone() {
			continue
		}
		t := s.seek(row, c)
		if !t.isSet() {
			return t
		}
		if !first.isSet() || t.isBefore(first) {
			first = t
		}
	}
	return first
}

// change asks only the filters that include the cell.
func (l *orState) change(c *Cell) {
	for i, s := range l.states {
		if l.last[i].in {
			s.change(c)
		}
	}
}

func (l *orState) rejects() bool {
	return !l.any(func(s state) bool { return !s.rejects() })
}

func (l *orState) isDone() bool {
	return !l.any(func(s state) bool { return !s.isDone() })
}
