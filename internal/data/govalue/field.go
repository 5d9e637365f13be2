// SPDX-License-Identifier: Apache-2.0

package govalue

import (
	"github.com/weftdb/weft/internal/data/expr"
)

// Field names an attribute, or a value inside one, in conditions and updates: a name followed by fields (string) and
// list positions (int).
type Field struct{ path expr.Path }

// Attribute returns the field for an attribute's name and, if given, the steps into its document.
func Attribute(name string, steps ...any) Field {
	f := Field{path: expr.Path{Name: name}}
	for _, step := range steps {
		switch step := step.(type) {
		case int:
			f.path.Steps = append(f.path.Steps, expr.Step{Index: step})
		case string:
			f.path.Steps = append(f.path.Steps, expr.Step{Field: step, Index: -1})
		}
	}
	return f
}

// literal encodes a Go value of one of Document's types. One that can't be stored becomes a missing value, which no
// attribute equals.
func literal(x any) *expr.Literal {
	v, err := AppendValue(nil, x)
	if err != nil {
		return &expr.Literal{}
	}
	return &expr.Literal{Value: v}
}

func (f Field) compare(op expr.Comparison, x any) expr.Condition {
	return &expr.Compare{Op: op, A: &f.path, B: literal(x)}
}

// Equal is true of items whose field equals x.
func (f Field) Equal(x any) expr.Condition { return f.compare(expr.Equal, x) }

// NotEqual is true of items whose field differs from x or is missing.
func (f Field) NotEqual(x any) expr.Condition { return f.compare(expr.NotEqual, x) }

// Less is true of items whose field is of x's type and less than x.
func (f Field) Less(x any) expr.Condition { return f.compare(expr.Less, x) }

// AtMost is true of items whose field is of x's type and not greater than x.
func (f Field) AtMost(x any) expr.Condition { return f.compare(expr.LessOrEqual, x) }

// Greater is true of items whose field is of x's type and greater than x.
func (f Field) Greater(x any) expr.Condition { return f.compare(expr.Greater, x) }

// AtLeast is true of items whose field is of x's type and not less than x.
func (f Field) AtLeast(x any) expr.Condition { return f.compare(expr.GreaterOrEqual, x) }

// Between is true of items whose field lies between low and high, both included.
func (f Field) Between(low, high any) expr.Condition {
	return &expr.Between{X: &f.path, Low: literal(low), High: literal(high)}
}

// In is true of items whose field equals one of xs.
func (f Field) In(xs ...any) expr.Condition {
	in := &expr.In{X: &f.path}
	for _, x := range xs {
		in.List = append(in.List, literal(x))
	}
	return in
}

// BeginsWith is true of items whose field is a string or binary that starts with prefix.
func (f Field) BeginsWith(prefix any) expr.Condition {
	return &expr.BeginsWith{X: &f.path, Prefix: literal(prefix)}
}

// Contains is true of items whose field contains x: a string its part, a set or list its element.
func (f Field) Contains(x any) expr.Condition { return &expr.Contains{X: &f.path, Member: literal(x)} }

// Exists is true of items that have the field.
func (f Field) Exists() expr.Condition { return &expr.Exists{Path: f.path} }

// Missing is true of items that lack the field.
func (f Field) Missing() expr.Condition { return &expr.NotExists{Path: f.path} }

// Set is the update that puts x into the field.
func (f Field) Set(x any) *expr.Update {
	return &expr.Update{Set: []expr.SetAction{{Path: f.path, To: literal(x)}}}
}

// Add is the update that adds a number to the field, or members to a set; a missing field counts as 0 or the empty set.
func (f Field) Add(x any) *expr.Update {
	return &expr.Update{Add: []expr.AddAction{{Path: f.path, Value: literal(x).Value}}}
}

// Remove is the update that removes the field.
func (f Field) Remove() *expr.Update { return &expr.Update{Remove: []expr.Path{f.path}} }

// All is true if every condition is; nil if there is none.
func All(conditions ...expr.Condition) expr.Condition {
	switch len(conditions) {
	case 0:
		return nil
	case 1:
		return conditions[0]
	}
	return &expr.And{List: conditions}
}

// Any is true if one of the conditions is.
func Any(conditions ...expr.Condition) expr.Condition { return &expr.Or{List: conditions} }

// Not is true if the condition is not.
func Not(condition expr.Condition) expr.Condition { return &expr.Not{Of: condition} }

// Updates joins several updates of different fields into one.
func Updates(updates ...*expr.Update) *expr.Update {
	joined := new(expr.Update)
	for _, u := range updates {
		joined.Set = append(joined.Set, u.Set...)
		joined.Remove = append(joined.Remove, u.Remove...)
		joined.Add = append(joined.Add, u.Add...)
		joined.Delete = append(joined.Delete, u.Delete...)
	}
	return joined
}
