// SPDX-License-Identifier: Apache-2.0

package access

import (
	"slices"

	"github.com/weftdb/weft/internal/data/expr"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/index/indexkey"
)

// alternativesMax is the number of alternatives that are looked at; beyond it an Or is only a filter.
const alternativesMax = 2000

// disjunction is an Or over several attributes as its alternatives, Ors within Ors among them.
type disjunction struct {
	conjunct int // position in chooser.conjuncts
	branches []branch
}

// branch holds one alternative's conditions on single attributes.
type branch struct {
	constraints []constraint
	// partial says that it says more than that.
	partial bool
}

// findDisjunctions reads the Ors that are no constraint on one attribute.
func (c *chooser) findDisjunctions() {
	for i := range c.conjuncts {
		or, ok := c.conjuncts[i].condition.(*expr.Or)
		if !ok || c.conjuncts[i].constrained {
			continue
		}
		if branches := c.branchesOf(or); branches != nil {
			c.disjunctions = append(c.disjunctions, disjunction{i, branches})
		}
	}
}

// branchesOf returns the alternatives that a condition is made of; nil if they are too many.
func (c *chooser) branchesOf(condition expr.Condition) []branch {
	if k, ok := constrain(condition); ok {
		return []branch{{[]constraint{k}, c.isComputed(k.name)}} // what no row has must be checked, to be found false
	}
	switch condition := condition.(type) {
	case *expr.Or:
		var all []branch
		for _, one := range condition.List {
			some := c.branchesOf(one)
			if all = append(all, some...); some == nil || len(all) > alternativesMax {
				return nil
			}
		}
		return all
	case *expr.And:
		all := []branch{{}}
		for _, one := range condition.List {
			some := c.branchesOf(one)
			if some == nil || len(some)*len(all) > alternativesMax {
				some = []branch{{partial: true}}
			}
			all = product(all, some)
		}
		return all
	}
	return []branch{{partial: true}}
}

// product returns what holds if one of a and one of b do.
func product(a, b []branch) []branch {
	all := make([]branch, 0, len(a)*len(b))
	for i := range a {
		for j := range b {
			all = append(all, branch{slices.Concat(a[i].constraints, b[j].constraints), a[i].partial || b[j].partial})
		}
	}
	return all
}

// bounds is indexkey.Bounds.
func (b *branch) bounds(name string) (bounds []indexkey.Bound) {
	for i := range b.constraints {
		if b.constraints[i].name == name {
			bounds = append(bounds, b.constraints[i].bound)
		}
	}
	return bounds
}

// choices returns the parts of the condition that help with x, and the disjunctions that the alternatives come from.
func (c *chooser) choices(x *schema.Index) (choices indexkey.Choices, alternatives []branch, used []int) {
	choices.All = c.bounds
	for i := range c.disjunctions {
		branches := c.disjunctions[i].branches
		if len(branches)*max(len(alternatives), 1) > alternativesMax || !allName(branches, x) {
			continue
		}
		used = append(used, i)
		if alternatives == nil {
			alternatives = branches
		} else {
			alternatives = product(alternatives, branches)
		}
	}
	for i := range alternatives {
		choices.Any = append(choices.Any, alternatives[i].bounds)
	}
	return choices, alternatives, used
}

// allName reports whether every branch says something of a column of x.
func allName(branches []branch, x *schema.Index) bool {
	for i := range branches {
		if !slices.ContainsFunc(branches[i].constraints, func(k constraint) bool { return isIn(x, k.name) }) {
			return false
		}
	}
	return true
}

func isIn(x *schema.Index, name string) bool {
	for i := range x.Key {
		p := &x.Key[i]
		if p.Name == name || slices.ContainsFunc(p.Args, func(a schema.Argument) bool { return a.Column == name }) {
			return true
		}
	}
	return false
}

// areGuaranteed reports whether the spans of every alternative guarantee all that it says, so that no disjunction among
// them need be checked.
func (c *chooser) areGuaranteed(plan *indexkey.Plan, alternatives []branch, x *schema.Index) bool {
	for i := range alternatives {
		one := &alternatives[i]
		if one.partial {
			return false
		}
		for j := range one.constraints {
			if k := &one.constraints[j]; !plan.GuaranteesIn(i, k.name) || x.KeepNulls && !k.exact() {
				return false
			}
		}
	}
	return len(alternatives) > 0
}
