// SPDX-License-Identifier: Apache-2.0

package weft

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/weftdb/weft/internal/data/expr"
	"github.com/weftdb/weft/internal/data/govalue"
	"github.com/weftdb/weft/internal/data/value"
)

// Condition is a predicate over an item. The zero value is true of all items. One that compares with a value which
// can't be stored carries that fault to the call that uses it, which fails with KindInvalid.
type Condition struct {
	condition expr.Condition
	err       error
}

// Update is a change of an item. The zero value changes nothing. One with a value that can't be stored makes the
// call that uses it fail with KindInvalid.
type Update struct {
	update *expr.Update
	err    error
}

// internal returns the update, and the fault that it carries.
func (u *Update) internal() (*expr.Update, error) {
	switch {
	case u.err != nil:
		return nil, u.err
	case u.update == nil:
		return new(expr.Update), nil
	}
	return u.update, nil
}

// All is true if every condition is.
func All(conditions ...Condition) Condition {
	list, err := expressions(conditions)
	return Condition{govalue.All(list...), err}
}

// Any is true if one of the conditions is.
func Any(conditions ...Condition) Condition {
	list, err := expressions(conditions)
	for _, c := range conditions {
		if c.condition == nil && c.err == nil {
			return Condition{} // it is true of all items
		}
	}
	return Condition{govalue.Any(list...), err}
}

// Not is true if the condition is not.
func Not(condition Condition) Condition {
	if condition.condition == nil {
		return Condition{govalue.Any(), condition.err} // of nothing: no item meets it
	}
	return Condition{govalue.Not(condition.condition), condition.err}
}

// expressions returns those of conditions that say something, and the first fault that one carries.
func expressions(conditions []Condition) (in []expr.Condition, err error) {
	in = make([]expr.Condition, 0, len(conditions))
	for _, c := range conditions {
		if c.condition != nil {
			in = append(in, c.condition)
		}
		if err == nil && c.err != nil {
			err = c.err
		}
	}
	return in, err
}

// Updates joins several updates of different fields into one.
func Updates(updates ...Update) Update {
	var joined Update
	in := make([]*expr.Update, 0, len(updates))
	for _, u := range updates {
		if u.update != nil {
			in = append(in, u.update)
		}
		joined.err = cmp.Or(joined.err, u.err)
	}
	joined.update = govalue.Updates(in...)
	return joined
}

// Field names an attribute, or a value inside one, in conditions and updates.
// One that names nothing carries that fault to the call that uses it, as a value does which can't be stored.
type Field struct {
	name  string
	field govalue.Field
	err   error
}

// Attribute returns the field for an attribute's name and, if given, the steps into its document: names of members
// (string) and list positions (int).
func Attribute(name string, steps ...any) Field {
	f := Field{name: name, field: govalue.Attribute(name, steps...)}
	for _, step := range steps {
		switch step := step.(type) {
		case string:
		case int:
			if step < 0 {
				f.err = fmt.Errorf("attribute %s: position %d of a list: the first one is 0", name, step)
			}
		default:
			f.err = fmt.Errorf("attribute %s: a step is the name of a member (string) or a position (int), not a %T",
				name, step)
		}
	}
	return f
}

// fault returns the reason why the field names nothing; nil: it names something.
func (f Field) fault() error {
	if f.name == "" {
		return errors.New("a field of weft.Attribute has no name")
	}
	return f.err
}

// encode returns the stored form of values, and the fault of the field or of the first one that can't be stored.
func (f Field) encode(values ...any) (stored []any, err error) {
	stored = make([]any, len(values))
	if err := f.fault(); err != nil {
		return stored, err
	}
	for i, x := range values {
		v, err := govalue.AppendValue(nil, x)
		if err != nil {
			return stored, fmt.Errorf("attribute %s: %w", f.name, err)
		}
		stored[i] = value.Value(v)
	}
	return stored, nil
}

// compare makes the condition that the field and a value are in a relation.
func (f Field) compare(relation func(govalue.Field, any) expr.Condition, x any) Condition {
	stored, err := f.encode(x)
	return Condition{relation(f.field, stored[0]), err}
}

// Equal is true of items whose field equals x.
func (f Field) Equal(x any) Condition { return f.compare(govalue.Field.Equal, x) }

// NotEqual is true of items whose field differs from x or is missing.
func (f Field) NotEqual(x any) Condition { return f.compare(govalue.Field.NotEqual, x) }

// Less is true of items whose field is of x's type and less than x.
func (f Field) Less(x any) Condition { return f.compare(govalue.Field.Less, x) }

// AtMost is true of items whose field is of x's type and not greater than x.
func (f Field) AtMost(x any) Condition { return f.compare(govalue.Field.AtMost, x) }

// Greater is true of items whose field is of x's type and greater than x.
func (f Field) Greater(x any) Condition { return f.compare(govalue.Field.Greater, x) }

// AtLeast is true of items whose field is of x's type and not less than x.
func (f Field) AtLeast(x any) Condition { return f.compare(govalue.Field.AtLeast, x) }

// Between is true of items whose field lies between low and high, both included.
func (f Field) Between(low, high any) Condition {
	stored, err := f.encode(low, high)
	return Condition{f.field.Between(stored[0], stored[1]), err}
}

// In is true of items whose field equals one of xs.
func (f Field) In(xs ...any) Condition {
	stored, err := f.encode(xs...)
	return Condition{f.field.In(stored...), err}
}

// BeginsWith is true of items whose field is a string or binary that starts with prefix.
func (f Field) BeginsWith(prefix any) Condition { return f.compare(govalue.Field.BeginsWith, prefix) }

// Contains is true of items whose field contains x: a string its part, a set or list its element.
func (f Field) Contains(x any) Condition { return f.compare(govalue.Field.Contains, x) }

// Exists is true of items that have the field.
func (f Field) Exists() Condition { return Condition{f.field.Exists(), f.fault()} }

// Missing is true of items that lack the field.
func (f Field) Missing() Condition { return Condition{f.field.Missing(), f.fault()} }

// Set is the update that puts x into the field.
func (f Field) Set(x any) Update { return f.change(govalue.Field.Set, x) }

// Add is the update that adds a number to the field, or members to a set; a missing field counts as 0 or the empty
// set.
func (f Field) Add(x any) Update { return f.change(govalue.Field.Add, x) }

func (f Field) change(change func(govalue.Field, any) *expr.Update, x any) Update {
	stored, err := f.encode(x)
	return Update{change(f.field, stored[0]), err}
}

// Remove is the update that removes the field.
func (f Field) Remove() Update { return Update{f.field.Remove(), f.fault()} }
