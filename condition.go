// SPDX-License-Identifier: Apache-2.0

package weft

import (
	"fmt"

	"github.com/weftdb/weft/internal/data/expr"
	"github.com/weftdb/weft/internal/data/govalue"
	"github.com/weftdb/weft/internal/database"
)

// Condition is a predicate over an item. The zero value is true of all items. One that compares with a value which can't be stored carries that
// fault to the call that uses it, which fails with KindInvalid.
type Condition struct {
	condition expr.Condition
	err       error
}

// Update is a change of an item. The zero value changes nothing. One with a value that can't be stored makes the call that uses it fail with
// KindInvalid.
type Update struct {
	update *expr.Update
	err    error
}

// internal returns the update, and the fault that it carries.
func (u *Update) internal() (*expr.Update, error) {
	switch {
	case u.err != nil:
		return nil, &database.Error{Kind: database.KindInvalid, Err: u.err}
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
		if joined.err == nil {
			joined.err = u.err
		}
	}
	joined.update = govalue.Updates(in...)
	return joined
}

// Field names an attribute, or a value inside one, in conditions and updates.
type Field struct {
	name  string
	field govalue.Field
}

// Attribute returns the field for an attribute's name and, if given, the steps into its document: names of members (string) and list positions (int).
func Attribute(name string, steps ...any) Field {
	return Field{name, govalue.Attribute(name, steps...)}
}

// fault is that of values which can't be stored; nil: all can be.
func (f Field) fault(values ...any) error {
	if err := govalue.Storable(values...); err != nil {
		return fmt.Errorf("attribute %s: %w", f.name, err)
	}
	return nil
}

// Equal is true of items whose field equals x.
func (f Field) Equal(x any) Condition { return Condition{f.field.Equal(x), f.fault(x)} }

// NotEqual is true of items whose field differs from x or is missing.
func (f Field) NotEqual(x any) Condition { return Condition{f.field.NotEqual(x), f.fault(x)} }

// Less is true of items whose field is of x's type and less than x.
func (f Field) Less(x any) Condition { return Condition{f.field.Less(x), f.fault(x)} }

// AtMost is true of items whose field is of x's type and not greater than x.
func (f Field) AtMost(x any) Condition { return Condition{f.field.AtMost(x), f.fault(x)} }

// Greater is true of items whose field is of x's type and greater than x.
func (f Field) Greater(x any) Condition { return Condition{f.field.Greater(x), f.fault(x)} }

// AtLeast is true of items whose field is of x's type and not less than x.
func (f Field) AtLeast(x any) Condition { return Condition{f.field.AtLeast(x), f.fault(x)} }

// Between is true of items whose field lies between low and high, both included.
func (f Field) Between(low, high any) Condition {
	return Condition{f.field.Between(low, high), f.fault(low, high)}
}

// In is true of items whose field equals one of xs.
func (f Field) In(xs ...any) Condition { return Condition{f.field.In(xs...), f.fault(xs...)} }

// BeginsWith is true of items whose field is a string or binary that starts with prefix.
func (f Field) BeginsWith(prefix any) Condition {
	return Condition{f.field.BeginsWith(prefix), f.fault(prefix)}
}

// Contains is true of items whose field contains x: a string its part, a set or list its element.
func (f Field) Contains(x any) Condition { return Condition{f.field.Contains(x), f.fault(x)} }

// Exists is true of items that have the field.
func (f Field) Exists() Condition { return Condition{condition: f.field.Exists()} }

// Missing is true of items that lack the field.
func (f Field) Missing() Condition { return Condition{condition: f.field.Missing()} }

// Set is the update that puts x into the field.
func (f Field) Set(x any) Update { return Update{f.field.Set(x), f.fault(x)} }

// Add is the update that adds a number to the field, or members to a set; a missing field counts as 0 or the empty set.
func (f Field) Add(x any) Update { return Update{f.field.Add(x), f.fault(x)} }

// Remove is the update that removes the field.
func (f Field) Remove() Update { return Update{update: f.field.Remove()} }
