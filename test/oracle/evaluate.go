// SPDX-License-Identifier: Apache-2.0

package oracle

import (
	"maps"
	"slices"
	"strings"
	"unicode/utf16"
)

// Texts of updates that have no result.
const (
	textOperand = "An operand in the update expression has an incorrect data type"
	textMissing = "The provided expression refers to an attribute that does not exist in the item"
	textPath    = "The document path provided in the update expression is invalid for update"
)

// holds evaluates a condition over an item; a nil item has no attributes.
func (c *Condition) holds(item Item) bool {
	switch c.Op {
	case "AND":
		return !slices.ContainsFunc(c.Parts, func(part *Condition) bool { return !part.holds(item) })
	case "OR":
		return slices.ContainsFunc(c.Parts, func(part *Condition) bool { return part.holds(item) })
	case "NOT":
		return !c.Parts[0].holds(item)
	}
	values := make([]*Value, len(c.Operands))
	for i, o := range c.Operands {
		values[i] = measured(o, item)
	}
	return test(c.Op, values)
}

// measured is an operand of a condition.
func measured(o Operand, item Item) *Value {
	switch o := o.(type) {
	case *Value:
		return o
	case *Path:
		return o.follow(item)
	case *Call:
		return sizeOf(measured(o.Operands[0], item))
	}
	return nil
}

// sizeOf is the function size: nil of what has no size. That of a text is what languages count that keep texts in
// UTF-16.
func sizeOf(v *Value) *Value {
	switch typeOf(v) {
	case "S":
		units := 0
		for _, character := range v.Text {
			units += utf16.RuneLen(character)
		}
		return ofInt(units)
	case "B":
		return ofInt(len(v.Text))
	case "L", "SS", "NS", "BS":
		return ofInt(len(v.List))
	case "M":
		return ofInt(len(v.Fields))
	}
	return nil
}

// test applies a comparison or a function to values.
func test(op string, v []*Value) bool {
	switch op {
	case "=":
		return equal(v[0], v[1])
	case "<>":
		return !equal(v[0], v[1])
	case "<", "<=", ">", ">=":
		return haveOrder(v[0], v[1]) && signMatches(op, order(v[0], v[1]))
	case "BETWEEN":
		return test(">=", []*Value{v[0], v[1]}) && test("<=", []*Value{v[0], v[2]})
	case "IN":
		return slices.ContainsFunc(v[1:], func(member *Value) bool { return equal(v[0], member) })
	case "attribute_exists":
		return v[0] != nil
	case "attribute_not_exists":
		return v[0] == nil
	case "attribute_type":
		return typeOf(v[0]) == v[1].Text
	case "begins_with":
		return haveOrder(v[0], v[1]) && v[0].Type != "N" && strings.HasPrefix(v[0].Text, v[1].Text)
	}
	return contains(v[0], v[1])
}

func signMatches(op string, sign int) bool {
	switch op {
	case "<":
		return sign < 0
	case "<=":
		return sign <= 0
	case ">":
		return sign > 0
	}
	return sign >= 0
}

func contains(v, member *Value) bool {
	switch {
	case v == nil || member == nil:
		return false
	case v.Type == "S" || v.Type == "B":
		return v.Type == member.Type && strings.Contains(v.Text, member.Text)
	}
	return slices.ContainsFunc(v.List, func(element *Value) bool { return equal(element, member) })
}

// assigned computes what SET assigns. fault is "" or why there is no result.
func assigned(o Operand, item Item) (v *Value, fault string) {
	switch o := o.(type) {
	case *Value:
		return o, ""
	case *Path:
		if v := o.follow(item); v != nil {
			return v, ""
		}
		return nil, textMissing
	}
	call := o.(*Call)
	if call.Function == "if_not_exists" {
		if v := call.Operands[0].(*Path).follow(item); v != nil {
			return v, ""
		}
		return assigned(call.Operands[1], item)
	}
	wanted := "N"
	if call.Function == "list_append" {
		wanted = "L"
	}
	var both [2]*Value
	for i := range both {
		if both[i], fault = assigned(call.Operands[i], item); fault != "" {
			return nil, fault
		}
		if both[i].Type != wanted {
			return nil, textOperand
		}
	}
	switch call.Function {
	case "list_append":
		return List(slices.Concat(both[0].List, both[1].List)...), ""
	case "-":
		both[1] = ofDecimal(both[1].Number.Negate())
	}
	v, fault = sum(both[0], both[1])
	if fault == textPrecision { // ADD says so, SET takes digits that don't fit for a number that is too large
		fault = textOverflow
	}
	return v, fault
}

func sum(a, b *Value) (*Value, string) {
	d, fault := a.Number.Add(b.Number)
	return ofDecimal(d), fault
}

// edits are what an update does to one value and to what is in it: lists keep their old positions until all actions are
// done.
type edits struct {
	here   *Action
	value  *Value // of here
	fields map[string]*edits
	places map[int]*edits
}

// update applies actions to an item, all as of before. Where there is no item, there is one of the key alone to begin
// with. It returns the new item, or the texts of all faults, of which DynamoDB tells one.
func update(actions []Action, item, key Item) (updated Item, faults []string) {
	if item == nil {
		item = key
	}
	root := map[string]*edits{}
	for i := range actions {
		a := &actions[i]
		e := &edits{here: a}
		fault := ""
		switch a.Verb {
		case "SET":
			e.value, fault = assigned(a.To, item)
		case "ADD", "DELETE":
			e.value = a.To.(*Value)
		}
		if fault != "" {
			faults = append(faults, fault)
			continue
		}
		graft(root, a.Path, e)
	}
	updated = maps.Clone(item)
	for name, e := range root {
		v, texts := e.apply(item[name])
		faults = append(faults, texts...)
		if updated[name] = v; v == nil {
			delete(updated, name)
		}
	}
	return updated, faults
}

// graft puts an edit at the end of its path.
func graft(root map[string]*edits, path Path, e *edits) {
	if len(path.Steps) == 0 {
		root[path.Name] = e
		return
	}
	at := root[path.Name]
	if at == nil {
		at = new(edits)
		root[path.Name] = at
	}
	for i, step := range path.Steps {
		next := e
		if i < len(path.Steps)-1 {
			next = new(edits)
		}
		at = at.step(step, next)
	}
}

// step returns the edits behind a step, or makes them what next is.
func (e *edits) step(s Step, next *edits) *edits {
	if s.Field != "" {
		if e.fields == nil {
			e.fields = map[string]*edits{}
		}
		if e.fields[s.Field] == nil {
			e.fields[s.Field] = next
		}
		return e.fields[s.Field]
	}
	if e.places == nil {
		e.places = map[int]*edits{}
	}
	if e.places[s.Index] == nil {
		e.places[s.Index] = next
	}
	return e.places[s.Index]
}

// apply makes the new value of an old one; both may be nil.
func (e *edits) apply(old *Value) (*Value, []string) {
	switch {
	case e.here != nil:
		v, fault := e.act(old)
		if fault != "" {
			return nil, []string{fault}
		}
		return v, nil
	case e.fields != nil && typeOf(old) == "M":
		return e.applyFields(old)
	case e.places != nil && typeOf(old) == "L":
		return e.applyPlaces(old)
	}
	return nil, []string{textPath}
}

func (e *edits) applyFields(old *Value) (v *Value, faults []string) {
	fields := maps.Clone(old.Fields)
	if fields == nil {
		fields = map[string]*Value{}
	}
	for name, inner := range e.fields {
		changed, texts := inner.apply(old.Fields[name])
		faults = append(faults, texts...)
		if fields[name] = changed; changed == nil {
			delete(fields, name)
		}
	}
	return Map(fields), faults
}

func (e *edits) applyPlaces(old *Value) (v *Value, faults []string) {
	list := slices.Clone(old.List)
	for _, place := range slices.Sorted(maps.Keys(e.places)) {
		var before *Value
		if place < len(old.List) {
			before = old.List[place]
		}
		changed, texts := e.places[place].apply(before)
		faults = append(faults, texts...)
		if place < len(old.List) {
			list[place] = changed
		} else {
			list = append(list, changed)
		}
	}
	return List(slices.DeleteFunc(list, func(v *Value) bool { return v == nil })...), faults
}

// act does one action on the value at the end of its path.
func (e *edits) act(old *Value) (*Value, string) {
	switch {
	case e.here.Verb == "SET":
		return e.value, ""
	case e.here.Verb == "REMOVE":
		return nil, ""
	case old == nil && e.here.Verb == "ADD":
		return e.value, ""
	case old == nil:
		return nil, ""
	case old.Type != e.value.Type:
		return nil, textOperand
	case e.here.Verb == "DELETE":
		rest := slices.DeleteFunc(slices.Clone(old.List), func(v *Value) bool {
			return slices.ContainsFunc(e.value.List, func(m *Value) bool { return equal(v, m) })
		})
		if len(rest) == 0 {
			return nil, ""
		}
		return Set(rest...), ""
	case old.Type == "N":
		return sum(old, e.value)
	}
	return Set(slices.Concat(old.List, e.value.List)...), ""
}

// project keeps what paths lead to. Lists close up.
func project(paths []Path, item Item) Item {
	shown := Item{}
	for name := range item {
		var own [][]Step
		for _, path := range paths {
			if path.Name == name {
				own = append(own, path.Steps)
			}
		}
		if v := pick(own, item[name]); v != nil {
			shown[name] = v
		}
	}
	return shown
}

// pick keeps the parts of a value that the ways lead to; nil if there are none.
func pick(ways [][]Step, v *Value) *Value {
	if len(ways) == 0 {
		return nil
	}
	if len(ways[0]) == 0 {
		return v
	}
	switch v.Type {
	case "M":
		fields := map[string]*Value{}
		for name, inner := range v.Fields {
			if kept := pick(behind(ways, Step{Field: name}), inner); kept != nil {
				fields[name] = kept
			}
		}
		if len(fields) > 0 {
			return Map(fields)
		}
	case "L":
		var list []*Value
		for i, inner := range v.List {
			if kept := pick(behind(ways, Step{Index: i}), inner); kept != nil {
				list = append(list, kept)
			}
		}
		if len(list) > 0 {
			return List(list...)
		}
	}
	return nil
}

// behind lists what is left of the ways that begin with a step.
func behind(ways [][]Step, first Step) (rest [][]Step) {
	for _, way := range ways {
		if way[0] == first {
			rest = append(rest, way[1:])
		}
	}
	return rest
}
