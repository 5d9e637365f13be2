// SPDX-License-Identifier: Apache-2.0

package weft

import (
	"github.com/weftdb/weft/internal/expr"
	"github.com/weftdb/weft/internal/govalue"
)

// Condition is a predicate over an item. The zero value is true of all items.
type Condition struct{ condition expr.Condition }

// Update is a change of an item.
type Update struct{ update *expr.Update }

// All is true if every condition is.
func All(conditions ...Condition) Condition {
	return Condition{govalue.All(expressions(conditions)...)}
}

// Any is true if one of the conditions is.
func Any(conditions ...Condition) Condition {
	return Condition{govalue.Any(expressions(conditions)...)}
}

// Not is true if the condition is not.
func Not(condition Condition) Condition { return Condition{govalue.Not(condition.condition)} }

// Updates joins several updates of different fields into one.
func Updates(updates ...Update) Update {
	in := make([]*expr.Update, len(updates))
	for i := range updates {
		in[i] = updates[i].update
	}
	return Update{govalue.Updates(in...)}
}

// Field names an attribute, or a value inside one, in conditions and updates.
type Field struct{ field govalue.Field }

// Attribute returns the field for an attribute's name and, if given, the steps into its document: names of members (string) and list positions (int).
func Attribute(name string, steps ...any) Field { return Field{govalue.Attribute(name, steps...)} }

// Equal is true of items whose field equals x.
func (f Field) Equal(x any) Condition { return Condition{f.field.Equal(x)} }

// NotEqual is true of items whose field differs from x or is missing.
func (f Field) NotEqual(x any) Condition { return Condition{f.field.NotEqual(x)} }

// Less is true of items whose field is of x's type and less than x.
func (f Field) Less(x any) Condition { return Condition{f.field.Less(x)} }

// AtMost is true of items whose field is of x's type and not greater than x.
func (f Field) AtMost(x any) Condition { return Condition{f.field.AtMost(x)} }

// Greater is true of items whose field is of x's type and greater than x.
func (f Field) Greater(x any) Condition { return Condition{f.field.Greater(x)} }

// AtLeast is true of items whose field is of x's type and not less than x.
func (f Field) AtLeast(x any) Condition { return Condition{f.field.AtLeast(x)} }

// Between is true of items whose field lies between low and high, both included.
func (f Field) Between(low, high any) Condition { return Condition{f.field.Between(low, high)} }

// In is true of items whose field equals one of xs.
func (f Field) In(xs ...any) Condition { return Condition{f.field.In(xs...)} }

// BeginsWith is true of items whose field is a string or binary that starts with prefix.
func (f Field) BeginsWith(prefix any) Condition { return Condition{f.field.BeginsWith(prefix)} }

// Contains is true of items whose field contains x: a string its part, a set or list its element.
func (f Field) Contains(x any) Condition { return Condition{f.field.Contains(x)} }

// Exists is true of items that have the field.
func (f Field) Exists() Condition { return Condition{f.field.Exists()} }

// Missing is true of items that lack the field.
func (f Field) Missing() Condition { return Condition{f.field.Missing()} }

// Set is the update that puts x into the field.
func (f Field) Set(x any) Update { return Update{f.field.Set(x)} }

// Add is the update that adds a number to the field, or members to a set; a missing field counts as 0 or the empty set.
func (f Field) Add(x any) Update { return Update{f.field.Add(x)} }

// Remove is the update that removes the field.
func (f Field) Remove() Update { return Update{f.field.Remove()} }
