// SPDX-License-Identifier: Apache-2.0

package legacy

import (
	"errors"
	"iter"
	"slices"

	"github.com/weftdb/weft/internal/data/expr"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/dynamodb/attributejson"
	"github.com/weftdb/weft/internal/dynamodb/exception"
)

// Updates is the parameter AttributeUpdates. The zero value is a parameter that is not given. It serves one
// goroutine at a time.
type Updates struct {
	given bool
	list  []update
	arena arena
}

// update is the action on one attribute.
type update struct {
	attribute string
	action    string // as given
	hasAction bool
	value     value.Value
	fault     string // what is wrong with the value
}

// Reset forgets the parameter and keeps its memory, unless that is large. Trees that were made of it are of no more
// use.
func (u *Updates) Reset() {
	u.given = false
	u.list = reuse(u.list, entriesMax)
	u.arena.reset()
}

// Read reads the parameter: a map from attributes' names to their actions,
// {"a":{"Action":"PUT","Value":{"N":"1"}}}. The errors are *attributejson.SyntaxError and *attributejson.TypeError.
func (u *Updates) Read(r *attributejson.Reader) error {
	u.Reset()
	u.given = true
	err := object(r, attributejson.MapOf("AttributeValueUpdate"), func(name []byte) error {
		u.list = append(u.list, update{attribute: string(name)})
		return u.readUpdate(r, &u.list[len(u.list)-1])
	})
	if err != nil || len(u.list) < 2 {
		return err
	}
	names := make([]string, 0, len(u.list))
	for name := range u.Attributes() {
		names = append(names, name)
	}
	return distinct(names, r)
}

func (u *Updates) readUpdate(r *attributejson.Reader, one *update) error {
	return object(r, attributejson.Element("AttributeValueUpdate"), func(name []byte) error {
		switch string(name) {
		case "Action":
			text, err := r.String()
			one.action, one.hasAction = string(text), true
			return err
		case "Value":
			v, fault, err := u.arena.value(r, attributejson.Field("AttributeValue"))
			one.value, one.fault = v, fault
			return err
		}
		return r.Skip()
	})
}

// IsGiven reports whether the parameter was read since the last Reset, be it empty.
func (u *Updates) IsGiven() bool { return u.given }

// Attributes yields the names of the attributes that something is done to, each once, in the order of the request.
func (u *Updates) Attributes() iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := range u.list {
			if !yield(u.list[i].attribute) {
				return
			}
		}
	}
}

// Constrain adds what single members of the parameter get wrong.
func (u *Updates) Constrain(faults *exception.Constraints, parameter string) {
	for i := range u.list {
		one := &u.list[i]
		if one.hasAction && !slices.Contains(actions, one.action) {
			faults.Enum(one.action, parameter+"."+one.attribute+".member.action", actions)
		}
	}
}

// check judges what is done to an attribute. No action is PUT.
func (one *update) check() error {
	if err := checkName(one.attribute); err != nil {
		return err
	}
	kind := one.value.Kind()
	switch {
	case one.fault != "":
		return refuse(one.fault)
	case kind == value.Missing && one.action != "DELETE":
		return invalid("Only DELETE action is allowed when no attribute value is specified")
	case kind == value.Missing:
		return nil
	case one.action == "DELETE" && !sets.has(kind):
		return invalid("DELETE action with value is not supported for the type " + kind.String())
	case one.action == "ADD" && !addable.has(kind):
		return invalid("ADD action is not supported for the type " + kind.String())
	case one.hasAction && !slices.Contains(actions, one.action): // AppendFaults tells it better
		return invalid("Unknown Action for Attribute: " + one.attribute)
	}
	return nil
}

// Update judges the parameter and is its tree. The caller has seen to AppendFaults before. The error is an
// *expression.Error. What Apply then gets wrong over an item is for Wording.
//
// A tree with Remove or Delete but neither Set nor Add only takes things away. Over an item that is not there, DynamoDB
// makes none for it, while it makes one for an empty tree.
func (u *Updates) Update() (*expr.Update, error) {
	tree := new(expr.Update)
	for i := range u.list {
		one := &u.list[i]
		if err := one.check(); err != nil {
			return nil, err
		}
		one.appendTo(tree)
	}
	return tree, nil
}

func (one *update) appendTo(tree *expr.Update) {
	path := expr.Path{Name: one.attribute}
	switch {
	case one.action == "DELETE" && one.value.IsMissing():
		tree.Remove = append(tree.Remove, path)
	case one.action == "DELETE":
		tree.Delete = append(tree.Delete, expr.DeleteAction{Path: path, Value: one.value})
	case one.action == "ADD" && one.value.Kind() == value.List:
		tree.Set = append(tree.Set, expr.SetAction{Path: path, To: appendOperand(path, one.value)})
	case one.action == "ADD":
		tree.Add = append(tree.Add, expr.AddAction{Path: path, Value: one.value})
	default:
		tree.Set = append(tree.Set, expr.SetAction{Path: path, To: &expr.Literal{Value: one.value}})
	}
}

// appendOperand is the list at the path, or an empty one, followed by more: what ADD makes of a list, which in
// expressions it does not know.
func appendOperand(path expr.Path, more value.Value) expr.Operand {
	empty, err := value.EndList(value.BeginList(nil), 0)
	if err != nil { // an empty list is well-formed
		empty = nil
	}
	return &expr.ListAppend{A: &expr.IfNotExists{Path: path, Default: &expr.Literal{Value: empty}},
		B: &expr.Literal{Value: more}}
}

// Wording is the error of applying an update that was made of AttributeUpdates, in the words that DynamoDB has for
// these. Errors that expressions share are returned as they are.
func Wording(err error) error {
	var fault *expr.Error
	if errors.As(err, &fault) && fault.Fault == expr.FaultOperandType {
		return &expr.Error{Fault: fault.Fault, Message: "Type mismatch for attribute to update"}
	}
	return err
}
