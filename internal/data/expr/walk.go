// SPDX-License-Identifier: Apache-2.0

package expr

import "iter"

// Paths yields every document path that a condition reads.
func Paths(c Condition) iter.Seq[*Path] {
	return func(yield func(*Path) bool) { conditionPaths(c, yield) }
}

// Paths yields the paths of Touched.
func (u *Update) Paths() iter.Seq[*Path] {
	return func(yield func(*Path) bool) {
		for i := range u.Set {
			if !yield(&u.Set[i].Path) {
				return
			}
		}
		for i := range u.Remove {
			if !yield(&u.Remove[i]) {
				return
			}
		}
		for i := range u.Add {
			if !yield(&u.Add[i].Path) {
				return
			}
		}
		for i := range u.Delete {
			if !yield(&u.Delete[i].Path) {
				return
			}
		}
	}
}

// Reads yields every document path that the update's right-hand sides read. Those that it writes to are Touched.
func (u *Update) Reads() iter.Seq[*Path] {
	return func(yield func(*Path) bool) {
		for i := range u.Set {
			if !operandPaths(yield, u.Set[i].To) {
				return
			}
		}
	}
}

// conditionPaths returns false once yield has.
func conditionPaths(c Condition, yield func(*Path) bool) bool {
	switch c := c.(type) {
	case *Compare:
		return operandPaths(yield, c.A, c.B)
	case *Between:
		return operandPaths(yield, c.X, c.Low, c.High)
	case *In:
		return operandPaths(yield, c.X) && operandPaths(yield, c.List...)
	case *And:
		return listPaths(c.List, yield)
	case *Or:
		return listPaths(c.List, yield)
	case *Not:
		return conditionPaths(c.Of, yield)
	case *Exists:
		return yield(&c.Path)
	case *NotExists:
		return yield(&c.Path)
	case *HasType:
		return operandPaths(yield, c.X)
	case *BeginsWith:
		return operandPaths(yield, c.X, c.Prefix)
	case *Contains:
		return operandPaths(yield, c.X, c.Member)
	case *Matches:
		for i := range c.Paths {
			if !yield(&c.Paths[i]) {
				return false
			}
		}
	}
	return true
}

func listPaths(list []Condition, yield func(*Path) bool) bool {
	for _, c := range list {
		if !conditionPaths(c, yield) {
			return false
		}
	}
	return true
}

func operandPaths(yield func(*Path) bool, operands ...Operand) bool {
	for _, o := range operands {
		more := true
		switch o := o.(type) {
		case *Path:
			more = yield(o)
		case *Size:
			more = yield(&o.Path)
		case *IfNotExists:
			more = yield(&o.Path) && operandPaths(yield, o.Default)
		case *ListAppend:
			more = operandPaths(yield, o.A, o.B)
		case *Arithmetic:
			more = operandPaths(yield, o.A, o.B)
		}
		if !more {
			return false
		}
	}
	return true
}

// Conjuncts are the conditions that must all be true for c to be; a nil condition has none.
func Conjuncts(c Condition) []Condition {
	and, ok := c.(*And)
	switch {
	case c == nil:
		return nil
	case !ok:
		return []Condition{c}
	}
	return appendConjuncts(make([]Condition, 0, len(and.List)), and)
}

func appendConjuncts(list []Condition, c *And) []Condition {
	for _, member := range c.List {
		if nested, ok := member.(*And); ok {
			list = appendConjuncts(list, nested)
		} else if member != nil {
			list = append(list, member)
		}
	}
	return list
}

// Both returns the conjunction of two conditions; nil is always true.
func Both(a, b Condition) Condition {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return &And{List: []Condition{a, b}}
}

// Conjunction is the condition that is true if all of the list are: nil, the one member, or an *And.
func Conjunction(list ...Condition) Condition {
	switch len(list) {
	case 0:
		return nil
	case 1:
		return list[0]
	}
	return &And{List: list}
}
