// SPDX-License-Identifier: Apache-2.0

package itemkey

import (
	"slices"
	"strings"

	"github.com/weftdb/weft/internal/data/expr"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/dynamodb/exception"
	"github.com/weftdb/weft/internal/dynamodb/expression"
)

// HasLocal reports whether a table has local indexes.
func HasLocal(table *schema.Table) bool {
	for i := range table.Indexes {
		if table.Indexes[i].Local {
			return true
		}
	}
	return false
}

// Bind makes the conditions of a walk of the key conditions: every part of the partition key equals a value, then come
// parts of the sort key from the first on, the last of which may be a range. Where all columns of a computed part equal
// values, so does the part.
func Bind(x *schema.Index, conditions []expression.KeyCondition) ([]expr.Condition, error) {
	parts := x.Stated()
	if len(conditions) > max(2, len(parts)) && !hasComputed(parts) {
		return nil, exception.Validationf(
			"The number of query conditions (%d) exceeds the number of key attributes defined in the schema (%d)",
			len(conditions), len(parts))
	}
	b := binder{conditions: conditions, used: make([]bool, len(conditions))}
	for i := range parts {
		if i == x.PartitionParts {
			if err := checkGaps(parts[i:], conditions); err != nil {
				return nil, err
			}
		}
		at := conditionOn(conditions, parts[i].Name, AttributeName(&parts[i]))
		if at < 0 {
			ok, err := b.columns(&parts[i])
			if err != nil {
				return nil, err
			}
			if ok {
				continue
			}
			if i < x.PartitionParts || b.left() > 0 {
				return nil, MissingPart(&parts[i])
			}
			return b.bounds, nil
		}
		b.use(at, AttributeName(&parts[i]))
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

func hasComputed(parts []schema.KeyPart) bool {
	return slices.ContainsFunc(parts, func(p schema.KeyPart) bool { return p.Computed() })
}

// checkGaps wants equality for all sort attributes in front of the last that has a condition, in an index with several
// of them.
func checkGaps(sorts []schema.KeyPart, conditions []expression.KeyCondition) error {
	if len(sorts) < 2 || hasComputed(sorts) {
		return nil
	}
	last := len(sorts) - 1
	for last >= 0 && conditionOn(conditions, sorts[last].Name, AttributeName(&sorts[last])) < 0 {
		last--
	}
	var gaps []string
	for i := range max(last, 0) {
		if !equals(conditions, sorts[i].Name, AttributeName(&sorts[i])) {
			gaps = append(gaps, AttributeName(&sorts[i]))
		}
	}
	if gaps == nil {
		return nil
	}
	return exception.Validationf("RANGE key attributes %s must have equality conditions specified in the query because a condition is present on key attribute %s",
		strings.Join(gaps, ", "), AttributeName(&sorts[last]))
}

// equals reports whether a condition gives the attribute of either name its value.
func equals(conditions []expression.KeyCondition, name, shown string) bool {
	at := conditionOn(conditions, name, shown)
	return at >= 0 && conditions[at].Op == expression.KeyEqual
}

// FindsOne reports whether the conditions leave one item at most: they give each part of a table's key its value, those
// that are not stated, too.
func FindsOne(x *schema.Index, conditions []expression.KeyCondition) bool {
	return x.IsPrimary() && !slices.ContainsFunc(x.Visible(),
		func(part schema.KeyPart) bool { return !gives(conditions, &part) })
}

// gives reports whether conditions give a part its value, or all columns that it is computed of.
func gives(conditions []expression.KeyCondition, part *schema.KeyPart) bool {
	if equals(conditions, part.Name, AttributeName(part)) {
		return true
	}
	for _, a := range part.Args {
		if a.Column != "" && !equals(conditions, a.Column, a.Column) {
			return false
		}
	}
	return part.Computed()
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
func (b *binder) columns(part *schema.KeyPart) (ok bool, err error) {
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

// MissingPart says that a part of a key has no condition.
func MissingPart(part *schema.KeyPart) error {
	return exception.Validationf("Query condition missed key schema element: %s", AttributeName(part))
}

// conditionOn is the place of the condition on the attribute of either name, -1 if there is none.
func conditionOn(conditions []expression.KeyCondition, name, shown string) int {
	return slices.IndexFunc(conditions, func(c expression.KeyCondition) bool {
		return c.Attribute == name ||
			c.Attribute == shown
	})
}

// checkBound refuses values that no key can have.
func checkBound(x *schema.Index, part int, condition *expression.KeyCondition) error {
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
