// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"slices"

	"github.com/weftdb/weft/internal/data/expr"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/definition"
)

// readObserved reads the conjuncts of WHERE that no index serves wholly, for those who watch what is asked: the advisor
// proposes indexes for them.
func (s *Source) readObserved(r reader) (list []predicate) {
	r.columns = nil
	for i, e := range s.trees {
		if !isObserved(s.predicates[i]) {
			continue
		}
		if r.columns == nil { // most statements need none
			r.columns = declaredColumns(s.Table)
		}
		list = append(list, r.read(e, false))
	}
	return list
}

// isObserved reports whether a part of the condition is about columns of which no index is made, or looks for a
// pattern.
func isObserved(p predicate) bool {
	switch p := p.(type) {
	case unknown, *pattern:
		return true
	case all:
		return slices.ContainsFunc(p, isObserved)
	case anyOf:
		return slices.ContainsFunc(p, isObserved)
	}
	return false
}

// declaredColumns are the columns with a type, as if search indexes had them all.
func declaredColumns(t *definition.Table) map[string]*column {
	columns := map[string]*column{}
	for i := range t.Columns {
		if c := newColumn(t, t.Columns[i].Name, 0); c != nil && c.sql.Base != datum.Untyped {
			c.searched, c.infix = true, true
			columns[c.name] = c
		}
	}
	return columns
}

// observedCondition is the condition that the observed conjuncts make with the values of one execution. Nothing depends
// on it, so faults of their values are passed over.
func (s *Source) observedCondition(x *Execution) expr.Condition {
	if len(s.watched) == 0 {
		return nil
	}
	var list []expr.Condition
	b := binder{context: x.Context}
	for _, one := range s.watched {
		l := one.bind(&b)
		if condition := l.condition(); condition != nil && !l.never {
			list = append(list, condition)
		}
	}
	return expr.Conjunction(list...)
}
