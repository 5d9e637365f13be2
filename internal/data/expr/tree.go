// SPDX-License-Identifier: Apache-2.0

package expr

import "github.com/weftdb/weft/internal/data/value"

// Condition is a node that is true or false for a row.
type Condition interface{ condition() }

// Operand is a node that has a value, or none, for a row.
type Operand interface{ operand() }

// Comparison is the relation of a Compare.
type Comparison uint8

// The six relations.
const (
	Equal Comparison = iota
	NotEqual
	Less
	LessOrEqual
	Greater
	GreaterOrEqual
)

// String is the relation's usual sign.
func (c Comparison) String() string {
	switch c {
	case Equal:
		return "="
	case NotEqual:
		return "<>"
	case Less:
		return "<"
	case LessOrEqual:
		return "<="
	case Greater:
		return ">"
	}
	return ">="
}

// Swap is the relation that holds for (b, a) exactly when c holds for (a, b).
func (c Comparison) Swap() Comparison {
	switch c {
	case Less:
		return Greater
	case LessOrEqual:
		return GreaterOrEqual
	case Greater:
		return Less
	case GreaterOrEqual:
		return LessOrEqual
	}
	return c
}

// Compare is true if the relation holds between A and B.
type Compare struct {
	Op   Comparison
	A, B Operand
}

// Between is true if Low <= X and X <= High.
type Between struct{ X, Low, High Operand }

// In is true if X equals any member of List.
type In struct {
	X    Operand
	List []Operand
}

// And is true if all of List are; an empty list is true. Members are tried in order until one is false.
type And struct{ List []Condition }

// Or is true if any of List is; an empty list is false. Members are tried in order until one is true.
type Or struct{ List []Condition }

// Not is true if Of is false.
type Not struct{ Of Condition }

// Exists is true if Path leads to a value, be it NULL.
type Exists struct{ Path Path }

// NotExists is true if Path leads nowhere.
type NotExists struct{ Path Path }

// HasType is true if X has a value of the given DynamoDB type; every numeric kind counts as Number.
type HasType struct {
	X    Operand
	Type value.Kind
}

// BeginsWith is true if X and Prefix are both strings or both binary, and X starts with Prefix.
type BeginsWith struct{ X, Prefix Operand }

// Contains is true if X is a string or binary with the part Member, or a set or list with the element Member.
type Contains struct{ X, Member Operand }

// Matches is true if the texts of some attributes together match a query in words. Attributes that are no texts have
// none.
type Matches struct {
	Paths []Path
	Query Matcher
}

// Matcher is a query in words. String is the query as it was written.
type Matcher interface {
	MatchesTexts(texts [][]byte) bool
	String() string
}

func (*Compare) condition()    {}
func (*Between) condition()    {}
func (*In) condition()         {}
func (*And) condition()        {}
func (*Or) condition()         {}
func (*Not) condition()        {}
func (*Exists) condition()     {}
func (*NotExists) condition()  {}
func (*HasType) condition()    {}
func (*BeginsWith) condition() {}
func (*Contains) condition()   {}
func (*Matches) condition()    {}

// Path leads from an attribute of the row into its nested values. As an operand it is the value found there.
type Path struct {
	Name  string
	Steps []Step
	// Codec is how the value there holds the one that is meant; bytes that it can't read are no value.
	Codec value.Codec
}

// Step goes from a map to the field of that name, or, if Index is not negative, from a list to the element of that
// index.
type Step struct {
	Field string
	Index int // -1: the step is a field
}

// Literal is a value that does not depend on the row.
type Literal struct{ Value value.Value }

// Size is the size of the value at Path: the UTF-16 units of a string, the bytes of a binary, the elements of a list,
// map or set. Anything else has no size.
type Size struct{ Path Path }

// IfNotExists is the value at Path, or Default if there is none.
type IfNotExists struct {
	Path    Path
	Default Operand
}

// ListAppend is the list A followed by the list B.
type ListAppend struct{ A, B Operand }

// Sign is the operation of an Arithmetic.
type Sign uint8

// The two operations on numbers.
const (
	Plus Sign = iota
	Minus
)

// String is the operation's usual sign.
func (s Sign) String() string {
	if s == Minus {
		return "-"
	}
	return "+"
}

// Arithmetic is the exact sum or difference of two numbers.
type Arithmetic struct {
	Sign Sign
	A, B Operand
}

func (*Path) operand()        {}
func (*Literal) operand()     {}
func (*Size) operand()        {}
func (*IfNotExists) operand() {}
func (*ListAppend) operand()  {}
func (*Arithmetic) operand()  {}

// Update is the changes of one write to a row. No two of its paths may be equal or lead one into the other; see
// Overlap.
type Update struct {
	Set    []SetAction
	Remove []Path
	Add    []AddAction
	Delete []DeleteAction
}

// OnlyRemoves reports whether the update does something, and nothing but remove. Where there is no item it then makes
// none.
func (u *Update) OnlyRemoves() bool {
	return len(u.Set)+len(u.Add) == 0 && len(u.Remove)+len(u.Delete) > 0
}

// SetAction puts the value of To at Path, or after a list's last element if Path's last step is an index beyond it.
type SetAction struct {
	Path Path
	To   Operand
}

// AddAction adds a number to the number at Path, or the members of a set to the set there. Nothing there counts as 0 or
// as the empty set.
type AddAction struct {
	Path  Path
	Value value.Value
}

// DeleteAction takes the members of a set out of the set at Path. A set that becomes empty is removed.
type DeleteAction struct {
	Path  Path
	Value value.Value
}
