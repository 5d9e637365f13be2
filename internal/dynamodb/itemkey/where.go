// SPDX-License-Identifier: Apache-2.0

package itemkey

import (
	"slices"

	"github.com/weftdb/weft/internal/data/expr"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/dynamodb/exception"
	"github.com/weftdb/weft/internal/dynamodb/expression"
)

// branchesMax is the number of alternatives of a condition that are looked at; one with more of them is a filter.
const branchesMax = 100

// Where is the part of a condition that is about the key of an index.
type Where struct {
	// Bound says that the condition gives the partition key its value, or one of several.
	Bound bool
	// One says that it leaves one item of a table at most, which Key names.
	One bool
	// Key are the conditions on the key, if there is one alternative.
	Key []expression.KeyCondition
	// Members is the number of values in the longest IN for an attribute of the partition key, 0 without one.
	Members int
	// Filter is the rest of the condition; it may repeat the part about the key.
	Filter expr.Condition

	bounds   expr.Condition // nil with One, of which Key says all
	branches [][]expression.KeyCondition
}

// Leading are the values of the first part of the partition key.
func (w *Where) Leading(x *schema.Index) (values []value.Value) {
	part := &x.Stated()[0]
	for _, key := range append(w.branches, w.Key) {
		for _, c := range key {
			if c.Op == expression.KeyEqual && Means(part, c.Attribute) {
				values = append(values, c.A)
			}
		}
	}
	return values
}

// Bounds is the condition on the key alone, nil without Bound.
func (w *Where) Bounds(x *schema.Index) (expr.Condition, error) {
	if w.bounds != nil || !w.One {
		return w.bounds, nil
	}
	bounds, err := Bind(x, w.Key)
	return expr.Conjunction(bounds...), err
}

// TakeApart finds what a condition says about the key of an index. A value that the key can't have is an error.
func TakeApart(x *schema.Index, c expr.Condition) (w Where, err error) {
	ok, members := false, 0
	if asksSeveral(x, c) {
		if members = longestIn(x.Stated()[:x.PartitionParts], c); members > membersMax {
			return w, exception.Validationf("The IN operator is provided with too many operands; number of operands: %d",
				members)
		}
		w, ok, err = takeBranches(x, c)
	}
	if !ok && err == nil {
		w, err = takeConjuncts(x, conjunctsOf(c))
	}
	w.Members = members
	return w, err
}

// membersMax is the number of values that IN may give an attribute of the partition key.
const membersMax = 50

// longestIn is the number of values in the longest IN for one of the parts.
func longestIn(parts []schema.KeyPart, c expr.Condition) (longest int) {
	switch c := c.(type) {
	case *expr.And:
		for _, one := range c.List {
			longest = max(longest, longestIn(parts, one))
		}
	case *expr.Or:
		for _, one := range c.List {
			longest = max(longest, longestIn(parts, one))
		}
	case *expr.In:
		if path, ok := c.X.(*expr.Path); ok && len(path.Steps) == 0 && Has(parts, path.Name) {
			return len(c.List)
		}
	}
	return longest
}

// conjunctsOf is expr.Conjuncts, without a new list where there is one.
func conjunctsOf(c expr.Condition) []expr.Condition {
	and, ok := c.(*expr.And)
	if !ok || slices.ContainsFunc(and.List, isAnd) {
		return expr.Conjuncts(c)
	}
	return and.List
}

func isAnd(c expr.Condition) bool {
	_, ok := c.(*expr.And)
	return ok
}

// asksSeveral reports whether one of the conditions that must hold has alternatives for the key.
func asksSeveral(x *schema.Index, c expr.Condition) bool {
	if !isAnd(c) {
		return hasAlternatives(x, c)
	}
	return slices.ContainsFunc(conjunctsOf(c), func(one expr.Condition) bool { return hasAlternatives(x, one) })
}

func hasAlternatives(x *schema.Index, c expr.Condition) bool {
	switch c.(type) {
	case *expr.Or, *expr.In:
		for path := range expr.Paths(c) {
			if Has(x.Stated(), path.Name) {
				return true
			}
		}
	}
	return false
}

// takeConjuncts is TakeApart for conditions that must all hold.
func takeConjuncts(x *schema.Index, list []expr.Condition) (w Where, err error) {
	t := taker{conditions: make([]condition, len(list)), key: make([]expression.KeyCondition, 0, 2)}
	for i, c := range list {
		t.conditions[i].KeyCondition, t.conditions[i].isKey = keyConditionOf(c)
	}
	parts := x.Stated()
	for i := range parts {
		if t.takeEqual(&parts[i]) {
			continue
		}
		if i < x.PartitionParts {
			return Where{Filter: expr.Conjunction(list...)}, nil
		}
		t.takeRange(&parts[i])
		break
	}
	w = Where{Bound: true, Key: t.key, One: FindsOne(x, t.key), Filter: t.rest(list)}
	if w.One && !hasComputed(parts) {
		return w, checkBounds(x, t.key)
	}
	bounds, err := Bind(x, t.key)
	w.bounds = expr.Conjunction(append(bounds, t.further...)...)
	return w, err
}

// checkBounds refuses values that no key can have in conditions on all parts of one.
func checkBounds(x *schema.Index, key []expression.KeyCondition) error {
	parts := x.Stated()
	for i := range parts {
		if at := conditionOn(key, parts[i].Name, AttributeName(&parts[i])); at >= 0 {
			if err := checkBound(x, i, &key[at]); err != nil {
				return err
			}
		}
	}
	return nil
}

// condition is one of those that must hold.
type condition struct {
	expression.KeyCondition
	isKey, taken bool
}

// taker takes the conditions on a key out of others.
type taker struct {
	conditions []condition
	key        []expression.KeyCondition
	further    []expr.Condition // more ranges of the last part
}

// rest holds the conditions that were not taken.
func (t *taker) rest(list []expr.Condition) expr.Condition {
	var rest []expr.Condition
	for i := range list {
		if !t.conditions[i].taken {
			rest = append(rest, list[i])
		}
	}
	return expr.Conjunction(rest...)
}

// takeEqual takes the equality with a part, or with all the columns that it is computed of.
func (t *taker) takeEqual(part *schema.KeyPart) bool {
	if t.takeOn(part.Name, AttributeName(part)) {
		return true
	}
	if !part.Computed() {
		return false
	}
	return !slices.ContainsFunc(part.Args,
		func(a schema.Argument) bool { return a.Column != "" && !t.takeOn(a.Column, a.Column) })
}

func (t *taker) takeOn(name, shown string) bool {
	if equals(t.key, name, shown) {
		return true
	}
	for i := range t.conditions {
		c := &t.conditions[i]
		if c.isKey && c.Op == expression.KeyEqual && (c.Attribute == name || c.Attribute == shown) {
			t.key, c.taken = append(t.key, c.KeyCondition), true
			return true
		}
	}
	return false
}

// takeRange takes the ranges of a part.
func (t *taker) takeRange(part *schema.KeyPart) {
	first := true
	for i := range t.conditions {
		c := &t.conditions[i]
		if !c.isKey || c.taken || !Means(part, c.Attribute) || c.Op == expression.KeyEqual {
			continue
		}
		c.taken = first || Takes(part, c.A)
		switch {
		case first:
			t.key, first = append(t.key, c.KeyCondition), false
		case c.taken:
			t.further = append(t.further, boundOf(AttributeName(part), &c.KeyCondition))
		}
	}
}

// keyConditionOf returns a comparison of an attribute with values as a key condition; ok is false for all else.
func keyConditionOf(c expr.Condition) (key expression.KeyCondition, ok bool) {
	switch c := c.(type) {
	case *expr.Compare:
		op, x, y := c.Op, c.A, c.B
		if _, literal := x.(*expr.Literal); literal {
			op, x, y = op.Swap(), y, x
		}
		if op == expr.NotEqual {
			return key, false
		}
		key.Op = keyOperators[op]
		return key, fill(&key, x, y, nil)
	case *expr.Between:
		key.Op = expression.KeyBetween
		return key, fill(&key, c.X, c.Low, c.High)
	case *expr.BeginsWith:
		key.Op = expression.KeyBeginsWith
		return key, fill(&key, c.X, c.Prefix, nil)
	}
	return key, false
}

// keyOperators are the operators of comparisons. // immutable
var keyOperators = [...]expression.KeyOperator{expr.Equal: expression.KeyEqual, expr.Less: expression.KeyLess,
	expr.LessOrEqual: expression.KeyLessOrEqual,
	expr.Greater:     expression.KeyGreater, expr.GreaterOrEqual: expression.KeyGreaterOrEqual}

// fill fills in the attribute and the values; b may be nil.
func fill(key *expression.KeyCondition, x, a, b expr.Operand) bool {
	path, ok := x.(*expr.Path)
	first, isValue := a.(*expr.Literal)
	if !ok || !isValue || len(path.Steps) > 0 {
		return false
	}
	key.Attribute, key.A = path.Name, first.Value
	if b == nil {
		return true
	}
	second, ok := b.(*expr.Literal)
	if ok {
		key.B = second.Value
	}
	return ok
}

// takeBranches is TakeApart for a condition with alternatives; ok is false if there are too many, or if not all of them
// bind the key.
func takeBranches(x *schema.Index, c expr.Condition) (w Where, ok bool, err error) {
	branches := branchesOf(x, c)
	if len(branches) == 0 {
		return w, false, nil
	}
	or, whole, all := &expr.Or{}, true, make([]Where, len(branches))
	for i, list := range branches {
		if all[i], err = takeConjuncts(x, list); err != nil || !all[i].Bound {
			return w, false, err
		}
		bounds, err := all[i].Bounds(x)
		if err != nil {
			return w, false, err
		}
		or.List = append(or.List, bounds)
		whole = whole && all[i].Filter == nil
		w.branches = append(w.branches, all[i].Key)
	}
	if overlap(x, all) {
		return w, false, exception.Validation(
			"Overlapping conditions with range keys are not supported in where clause")
	}
	if w.Bound, w.bounds = true, or; !whole {
		w.Filter = c
	}
	if len(all) == 1 {
		return all[0], true, nil
	}
	return w, true, nil
}

// branchesOf returns the alternatives of a condition, each as a list of conditions; nil if there are too many.
func branchesOf(x *schema.Index, c expr.Condition) (branches [][]expr.Condition) {
	switch c := c.(type) {
	case *expr.And:
		branches = [][]expr.Condition{nil}
		for _, one := range c.List {
			if branches = product(branches, branchesOf(x, one)); branches == nil {
				return nil
			}
		}
		return branches
	case *expr.Or:
		for _, one := range c.List {
			some := branchesOf(x, one)
			if branches = append(branches, some...); some == nil || len(branches) > branchesMax {
				return nil
			}
		}
		return branches
	case *expr.In:
		if hasAlternatives(x, c) {
			return membersOf(c)
		}
	}
	return [][]expr.Condition{{c}}
}

// product joins each of some branches with each of others.
func product(some, others [][]expr.Condition) (all [][]expr.Condition) {
	if len(some)*len(others) > branchesMax {
		return nil
	}
	for _, a := range some {
		for _, b := range others {
			all = append(all, slices.Concat(a, b))
		}
	}
	return all
}

// membersOf are the comparisons with each of a list, each value once.
func membersOf(c *expr.In) (branches [][]expr.Condition) {
	var met []value.Value
	for _, o := range c.List {
		literal, ok := o.(*expr.Literal)
		if !ok {
			return [][]expr.Condition{{c}}
		}
		if slices.ContainsFunc(met, func(v value.Value) bool { return value.Equal(v, literal.Value) }) {
			continue
		}
		met = append(met, literal.Value)
		branches = append(branches, []expr.Condition{&expr.Compare{A: c.X, B: o}})
	}
	return branches
}

// overlap reports whether two alternatives have the same partition and ranges of the sort key that meet.
func overlap(x *schema.Index, all []Where) bool {
	parts := x.Stated()
	if len(parts) != x.PartitionParts+1 || hasComputed(parts) {
		return false
	}
	sort := &parts[x.PartitionParts]
	for i := range all {
		for j := range i {
			if samePartition(parts[:x.PartitionParts], all[i].Key, all[j].Key) && meet(sort, all[i].Key, all[j].Key) {
				return true
			}
		}
	}
	return false
}

func samePartition(parts []schema.KeyPart, a, b []expression.KeyCondition) bool {
	for i := range parts {
		shown := AttributeName(&parts[i])
		at, bt := conditionOn(a, parts[i].Name, shown), conditionOn(b, parts[i].Name, shown)
		if at < 0 || bt < 0 || !value.Equal(a[at].A, b[bt].A) {
			return false
		}
	}
	return true
}

// meet reports whether a sort key can fulfil the conditions of two alternatives, both of which have one.
func meet(sort *schema.KeyPart, a, b []expression.KeyCondition) bool {
	at, bt := conditionOn(a, sort.Name, AttributeName(sort)), conditionOn(b, sort.Name, AttributeName(sort))
	return at >= 0 && bt >= 0 && !isBelow(&a[at], &b[bt]) && !isBelow(&b[bt], &a[at])
}

// isBelow reports whether all that fulfils one condition lies below all that fulfils the other.
func isBelow(low, high *expression.KeyCondition) bool {
	end, endIn := upperEnd(low)
	begin, beginIn := lowerEnd(high)
	if end == nil || begin == nil {
		return false
	}
	order, comparable := value.Compare(end, begin)
	return comparable && (order < 0 || order == 0 && !(endIn && beginIn))
}

// upperEnd is the upper end of a condition's range, nil if it has none; in reports whether it belongs to that.
func upperEnd(c *expression.KeyCondition) (end value.Value, in bool) {
	switch c.Op {
	case expression.KeyEqual, expression.KeyLessOrEqual:
		return c.A, true
	case expression.KeyLess:
		return c.A, false
	case expression.KeyBetween:
		return c.B, true
	case expression.KeyBeginsWith:
		return behindPrefix(c.A), false
	}
	return nil, false
}

func lowerEnd(c *expression.KeyCondition) (begin value.Value, in bool) {
	switch c.Op {
	case expression.KeyLess, expression.KeyLessOrEqual:
		return nil, false
	case expression.KeyGreater:
		return c.A, false
	}
	return c.A, true
}

// behindPrefix is the lowest value above all that begin with a prefix; nil if there is none.
func behindPrefix(prefix value.Value) value.Value {
	text := slices.Clone(prefix.Bytes())
	for n := len(text); n > 0; n-- {
		if text[n-1] == 0xff {
			continue
		}
		text = text[:n]
		if text[n-1]++; prefix.Kind() == value.Binary {
			return value.AppendBinary(nil, text)
		}
		return value.AppendString(nil, text)
	}
	return nil
}
