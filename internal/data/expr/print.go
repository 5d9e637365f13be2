// SPDX-License-Identifier: Apache-2.0

package expr

import (
	"strconv"

	"github.com/weftdb/weft/internal/data/value"
)

// Notation writes trees as text, for explanations, logs and tests. The zero value writes names and literals as
// value.AppendText writes names and values.
type Notation struct {
	// Name writes an attribute's or a field's name.
	Name func(dst []byte, name string) []byte
	// Literal writes a literal's value.
	Literal func(dst []byte, v value.Value) []byte
}

// precedence is how tightly a condition holds its parts together; parts that hold less tightly are put in parentheses.
type precedence uint8

const (
	bindingOr precedence = iota
	bindingAnd
	bindingNot
	bindingAll
)

func bindingOf(c Condition) precedence {
	switch c.(type) {
	case *Or:
		return bindingOr
	case *And:
		return bindingAnd
	case *Not:
		return bindingNot
	}
	return bindingAll
}

// AppendCondition appends a condition, with as few parentheses as it takes.
func (n Notation) AppendCondition(dst []byte, c Condition) []byte {
	switch c := c.(type) {
	case *Compare:
		dst = append(n.AppendOperand(dst, c.A), ' ')
		dst = append(append(dst, c.Op.String()...), ' ')
		return n.AppendOperand(dst, c.B)
	case *Between:
		dst = append(n.AppendOperand(dst, c.X), " BETWEEN "...)
		dst = append(n.AppendOperand(dst, c.Low), " AND "...)
		return n.AppendOperand(dst, c.High)
	case *In:
		return n.appendCall(append(n.AppendOperand(dst, c.X), " IN "...), "", c.List...)
	case *And:
		return n.appendJoined(dst, c.List, " AND ", bindingAnd)
	case *Or:
		return n.appendJoined(dst, c.List, " OR ", bindingOr)
	case *Not:
		return n.appendPart(append(dst, "NOT "...), c.Of, bindingNot)
	case *Exists:
		return n.appendCall(dst, "attribute_exists", &c.Path)
	case *NotExists:
		return n.appendCall(dst, "attribute_not_exists", &c.Path)
	case *HasType:
		kind := value.AppendString(nil, []byte(c.Type.String()))
		return n.appendCall(dst, "attribute_type", c.X, &Literal{kind})
	case *BeginsWith:
		return n.appendCall(dst, "begins_with", c.X, c.Prefix)
	case *Contains:
		return n.appendCall(dst, "contains", c.X, c.Member)
	case *Matches:
		operands := make([]Operand, 0, len(c.Paths)+1)
		for i := range c.Paths {
			operands = append(operands, &c.Paths[i])
		}
		return n.appendCall(dst, "matches",
			append(operands, &Literal{value.AppendString(nil, []byte(c.Query.String()))})...)
	}
	return append(dst, "true"...)
}

// appendPart appends a condition inside another of the given binding.
func (n Notation) appendPart(dst []byte, c Condition, outer precedence) []byte {
	if bindingOf(c) >= outer {
		return n.AppendCondition(dst, c)
	}
	return append(n.AppendCondition(append(dst, '('), c), ')')
}

func (n Notation) appendJoined(dst []byte, list []Condition, word string, outer precedence) []byte {
	if len(list) == 0 {
		return strconv.AppendBool(dst, outer == bindingAnd)
	}
	for i, c := range list {
		if i > 0 {
			dst = append(dst, word...)
		}
		dst = n.appendPart(dst, c, outer)
	}
	return dst
}

// AppendOperand appends an operand.
func (n Notation) AppendOperand(dst []byte, o Operand) []byte {
	switch o := o.(type) {
	case *Path:
		return n.AppendPath(dst, o)
	case *Literal:
		if n.Literal == nil {
			return value.AppendText(dst, o.Value)
		}
		return n.Literal(dst, o.Value)
	case *Size:
		return n.appendCall(dst, "size", &o.Path)
	case *IfNotExists:
		return n.appendCall(dst, "if_not_exists", &o.Path, o.Default)
	case *ListAppend:
		return n.appendCall(dst, "list_append", o.A, o.B)
	case *Arithmetic:
		dst = append(n.appendTerm(dst, o.A), ' ')
		dst = append(append(dst, o.Sign.String()...), ' ')
		return n.appendTerm(dst, o.B)
	}
	return append(dst, '?')
}

func (n Notation) appendTerm(dst []byte, o Operand) []byte {
	if _, sum := o.(*Arithmetic); !sum {
		return n.AppendOperand(dst, o)
	}
	return append(n.AppendOperand(append(dst, '('), o), ')')
}

func (n Notation) appendCall(dst []byte, name string, operands ...Operand) []byte {
	dst = append(append(dst, name...), '(')
	for i, o := range operands {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		dst = n.AppendOperand(dst, o)
	}
	return append(dst, ')')
}

// AppendPath appends a document path.
func (n Notation) AppendPath(dst []byte, p *Path) []byte {
	dst = n.appendName(dst, p.Name)
	for _, step := range p.Steps {
		if step.Index < 0 {
			dst = n.appendName(append(dst, '.'), step.Field)
			continue
		}
		dst = strconv.AppendInt(append(dst, '['), int64(step.Index), 10)
		dst = append(dst, ']')
	}
	return dst
}

func (n Notation) appendName(dst []byte, name string) []byte {
	if n.Name != nil {
		return n.Name(dst, name)
	}
	if plainName(name) {
		return append(dst, name...)
	}
	return strconv.AppendQuote(dst, name)
}

func plainName(name string) bool {
	for i, c := range []byte(name) {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return name != ""
}

// AppendPaths appends a projection.
func (n Notation) AppendPaths(dst []byte, paths []Path) []byte {
	for i := range paths {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		dst = n.AppendPath(dst, &paths[i])
	}
	return dst
}

// AppendUpdate appends an update: its sections in the order of Update's fields.
func (n Notation) AppendUpdate(dst []byte, u *Update) []byte {
	start := len(dst)
	for i := range u.Set {
		dst = appendSection(dst, start, i, "SET ")
		dst = append(n.AppendPath(dst, &u.Set[i].Path), " = "...)
		dst = n.AppendOperand(dst, u.Set[i].To)
	}
	for i := range u.Remove {
		dst = n.AppendPath(appendSection(dst, start, i, "REMOVE "), &u.Remove[i])
	}
	for i := range u.Add {
		dst = append(n.AppendPath(appendSection(dst, start, i, "ADD "), &u.Add[i].Path), ' ')
		dst = n.AppendOperand(dst, &Literal{u.Add[i].Value})
	}
	for i := range u.Delete {
		dst = append(n.AppendPath(appendSection(dst, start, i, "DELETE "), &u.Delete[i].Path), ' ')
		dst = n.AppendOperand(dst, &Literal{u.Delete[i].Value})
	}
	return dst
}

// appendSection appends what stands in front of action i of a section.
func appendSection(dst []byte, start, i int, name string) []byte {
	switch {
	case i > 0:
		return append(dst, ", "...)
	case len(dst) > start:
		dst = append(dst, ' ')
	}
	return append(dst, name...)
}
