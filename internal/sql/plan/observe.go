// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"slices"

	"github.com/weftdb/weft/internal/expr"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/definition"
	"github.com/weftdb/weft/internal/value"
)

// readObserved reads the conjuncts of WHERE that no key serves, for those who watch what is asked: the advisor proposes keys for them.
func (s *Source) readObserved(r reader) (list []predicate) {
	r.columns = nil
	for i, e := range s.trees {
		one := s.predicates[i]
		if hasUnknown(one) {
			if r.columns == nil { // most statements need none
				r.columns = declaredColumns(s.Table)
			}
			list = append(list, r.read(e, false))
		} else if _, ok := one.(*pattern); ok {
			list = append(list, one)
		}
	}
	return list
}

// hasUnknown says whether a part of the condition is about columns of which no key is made.
func hasUnknown(p predicate) bool {
	switch p := p.(type) {
	case unknown:
		return true
	case all:
		return slices.ContainsFunc(p, hasUnknown)
	case anyOf:
		return slices.ContainsFunc(p, hasUnknown)
	}
	return false
}

// declaredColumns are the columns with a type of which keys could be made.
func declaredColumns(t *definition.Table) map[string]*column {
	columns := map[string]*column{}
	for i := range t.Columns {
		if c := newColumn(t, t.Columns[i].Name, 0); c != nil && c.sql.Base != datum.Untyped {
			columns[c.name] = c
		}
	}
	return columns
}

// observedCondition is the condition that the observed conjuncts make with the values of one execution. Nothing depends on it, so faults of their values are passed over.
func (s *Source) observedCondition(x *Execution) expr.Condition {
	if len(s.watched) == 0 {
		return nil
	}
	var list []expr.Condition
	b := binding{context: x.Context}
	for _, one := range s.watched {
		l := one.bind(&b)
		if condition := l.condition(); condition != nil && !l.never {
			list = append(list, condition)
		} else if p, ok := one.(*pattern); ok && l.columns == nil && !l.never {
			part := value.AppendString(nil, b.value(&p.value).Bytes())
			list = append(list, &expr.Contains{X: p.column.attribute(), Member: &expr.Literal{Value: part}})
		}
	}
	return expr.Conjunction(list...)
}
