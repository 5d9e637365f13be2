// SPDX-License-Identifier: Apache-2.0

package itemkey

import (
	"slices"

	"github.com/weftdb/weft"
	"github.com/weftdb/weft/internal/dynamodb/exception"
	"github.com/weftdb/weft/internal/dynamodb/expression"
	"github.com/weftdb/weft/internal/expr"
	"github.com/weftdb/weft/internal/value"
)

// Bind makes the conditions of a walk of the key conditions: every part of the partition key equals a value, then come parts of the sort
// key from the first on, the last of which may be a range. Where all columns of a computed part equal values, so does the part.
func Bind(x *weft.Index, conditions []expression.KeyCondition) ([]expr.Condition, error) {
	parts := x.Stated()
	if len(conditions) > 2 && len(parts) <= 2 && !slices.ContainsFunc(parts, func(p weft.KeyPart) bool { return p.Computed() }) {
		return nil, exception.Validation("Conditions can be of length 1 or 2 only")
	}
	b := binder{conditions: conditions, used: make([]bool, len(conditions))}
	for i := range parts {
		at := conditionOn(conditions, parts[i].Name, Shown(&parts[i]))
		if at < 0 {
			ok, err := b.columns(&parts[i])
			if err != nil {
				return nil, err
			}
			if ok {
				continue
			}
			if i < x.PartitionParts || b.left() > 0 {
				return nil, Missed(&parts[i])
			}
			return b.bounds, nil
		}
		b.use(at, Shown(&parts[i]))
		if conditions[at].Op != expression.KeyEqual && (i < x.PartitionParts || b.left() > 0) {
			return nil, exception.Validation("Query key condition not supported")
		}
		if err := checkBound(x, i, &conditions[at]); err != nil {
			return nil, err
		}
	}
	if b.left() > 0 {
		return nil, exception.Validation("Query key condition not supported")
	}
	return b.bounds, nil
}

// binder takes key conditions one by one.
type binder struct {
	conditions []expression.KeyCondition
	used       []bool
	bounds     []expr.Condition
}

// use takes condition i, which is on the attribute that items and page keys show under a name.
func (b *binder) use(i int, shown string) {
	if !b.used[i] {
		b.used[i], b.bounds = true, append(b.bounds, boundOf(shown, &b.conditions[i]))
	}
}

func (b *binder) left() (n int) {
	for _, used := range b.used {
		if !used {
			n++
		}
	}
	return n
}

// columns takes the conditions on the columns of a computed part; ok is false if there are none.
func (b *binder) columns(part *weft.KeyPart) (ok bool, err error) {
	missing := ""
	for _, a := range part.Args {
		if a.Column == "" || !part.Computed() {
			continue
		}
		at := conditionOn(b.conditions, a.Column, a.Column)
		switch {
		case at < 0:
			missing = a.Column
			continue
		case b.conditions[at].Op != expression.KeyEqual:
			return false, exception.Validation("Query key condition not supported")
		case !takes(a.Type, b.conditions[at].A):
			return false, exception.InvalidValue("Condition parameter type does not match schema type")
		}
		ok = true
		b.use(at, a.Column)
	}
	if ok && missing != "" {
		return false, exception.Validationf("Query condition missed key schema element: %s", missing)
	}
	return ok, nil
}

// Missed says that a part of a key has no condition.
func Missed(part *weft.KeyPart) error {
	return exception.Validationf("Query condition missed key schema element: %s", Shown(part))
}

// conditionOn is the place of the condition on the attribute of either name, -1 if there is none.
func conditionOn(conditions []expression.KeyCondition, name, shown string) int {
	return slices.IndexFunc(conditions, func(c expression.KeyCondition) bool { return c.Attribute == name || c.Attribute == shown })
}

// checkBound refuses values that no key can have.
func checkBound(x *weft.Index, part int, condition *expression.KeyCondition) error {
	for _, v := range [...]value.Value{condition.A, condition.B} {
		if v.IsMissing() {
			continue
		}
		if !Takes(&x.Visible()[part], v) {
			return exception.InvalidValue("Condition parameter type does not match schema type")
		}
		if err := CheckValue(x, part, v); err != nil {
			return err
		}
	}
	return nil
}

// boundOf is a key condition as a condition on the attribute by which items and page keys show the part.
func boundOf(shown string, condition *expression.KeyCondition) expr.Condition {
	path, a := &expr.Path{Name: shown}, &expr.Literal{Value: condition.A}
	switch condition.Op {
	case expression.KeyBetween:
		return &expr.Between{X: path, Low: a, High: &expr.Literal{Value: condition.B}}
	case expression.KeyBeginsWith:
		return &expr.BeginsWith{X: path, Prefix: a}
	}
	return &expr.Compare{Op: comparisonOf(condition.Op), A: path, B: a}
}

func comparisonOf(op expression.KeyOperator) expr.Comparison {
	switch op {
	case expression.KeyLess:
		return expr.Less
	case expression.KeyLessOrEqual:
		return expr.LessOrEqual
	case expression.KeyGreater:
		return expr.Greater
	case expression.KeyGreaterOrEqual:
		return expr.GreaterOrEqual
	}
	return expr.Equal
}
