// SPDX-License-Identifier: Apache-2.0

package oracle

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// writer renders trees as text. How it does is random: placeholders or plain names, parentheses, blanks, the case of
// keywords.
type writer struct {
	rng    *rand.Rand
	names  map[string]string // placeholder to name
	values map[string]*Value

	// partiql makes statements of PartiQL: names in double quotes, literals, and parameters.
	partiql    bool
	parameters []*Value
}

// plainNames may stand in expressions as they are. // immutable
var plainNames = map[string]bool{"pk": true, "sk": true, "a": true, "b": true, "c": true, "d": true, "e": true,
	"m": true, "l": true,
	"ss": true, "ns": true, "bs": true, "x": true, "y": true}

// placeholders adds the placeholders that the expressions since the last call have used, and returns those of values.
func (w *writer) placeholders(m map[string]string) map[string]*Value {
	if len(w.names) > 0 {
		names := map[string]string{}
		for placeholder, name := range w.names {
			names[placeholder] = quote(name)
		}
		m["ExpressionAttributeNames"] = w.object(names)
	}
	if len(w.values) > 0 {
		values := map[string]string{}
		for placeholder, v := range w.values {
			values[placeholder] = string(v.appendJSON(nil, true))
		}
		m["ExpressionAttributeValues"] = w.object(values)
	}
	used := w.values
	w.names, w.values = nil, nil
	return used
}

func (w *writer) one(n int) bool { return w.rng.IntN(n) == 0 }

// word is a keyword in either case.
func (w *writer) word(text string) string {
	if w.one(6) {
		return strings.ToLower(text)
	}
	return text
}

func (w *writer) blank() string {
	return []string{"", " ", " ", "  ", "\n", "\t "}[w.rng.IntN(6)]
}

// space is a blank that must be there.
func (w *writer) space() string { return " " + w.blank() }

func (w *writer) name(name string) string {
	if plainNames[name] && !w.one(3) {
		return name
	}
	if w.partiql {
		return w.quoted(name)
	}
	for _, placeholder := range slices.Sorted(maps.Keys(w.names)) {
		if w.names[placeholder] == name && !w.one(4) {
			return placeholder
		}
	}
	if w.names == nil {
		w.names = map[string]string{}
	}
	placeholder := []string{"#n", "#", "#_", "#9"}[w.rng.IntN(4)] + strconv.Itoa(len(w.names))
	w.names[placeholder] = name
	return placeholder
}

func (w *writer) path(p Path) string {
	text := w.name(p.Name)
	for _, step := range p.Steps {
		if step.Field != "" {
			text += "." + w.name(step.Field)
		} else {
			text += "[" + strconv.Itoa(step.Index) + "]"
		}
	}
	return text
}

// literalMax keeps statements below the length that they may have.
const literalMax = 200

func (w *writer) value(v *Value) string {
	if w.partiql {
		if text := w.literal(v); text != "" && len(text) < literalMax && !w.one(3) {
			return text
		}
		w.parameters = append(w.parameters, v)
		return "?"
	}
	for placeholder, known := range w.values {
		if known == v {
			return placeholder
		}
	}
	if w.values == nil {
		w.values = map[string]*Value{}
	}
	placeholder := ":" + []string{"v", "", "_", "V"}[w.rng.IntN(4)] + strconv.Itoa(len(w.values))
	w.values[placeholder] = v
	return placeholder
}

// operand renders an operand, now and then in parentheses.
func (w *writer) operand(o Operand) string {
	text := ""
	switch o := o.(type) {
	case *Path:
		text = w.path(*o)
	case *Value:
		text = w.value(o)
	case *Call:
		if o.Function == "+" || o.Function == "-" {
			behind := w.blank()
			if w.partiql && behind == "" {
				behind = " " // in front of a negative number, "-" would begin a comment
			}
			return w.operand(o.Operands[0]) + w.blank() + o.Function + behind + w.operand(o.Operands[1])
		}
		text = w.call(o.Function, o.Operands)
	}
	if w.one(12) {
		return "(" + w.blank() + text + w.blank() + ")"
	}
	return text
}

func (w *writer) call(function string, operands []Operand) string {
	list := make([]string, len(operands))
	for i, o := range operands {
		list[i] = w.operand(o)
	}
	return function + w.blank() + "(" + w.blank() + strings.Join(list, ","+w.blank()) + w.blank() + ")"
}

// How strongly operators bind.
const (
	bindOr = iota
	bindAnd
	bindNot
	bindTest
)

func (w *writer) condition(c *Condition) string {
	text, _ := w.bound(c, bindOr)
	return w.blank() + text + w.blank()
}

// bound renders a condition inside of an operator that binds so strongly. wrapped says that it stands in parentheses.
func (w *writer) bound(c *Condition, outer int) (text string, wrapped bool) {
	binds := bindTest
	switch c.Op {
	case "OR", "AND":
		binds = bindAnd
		if c.Op == "OR" {
			binds = bindOr
		}
		parts := make([]string, len(c.Parts))
		for i, part := range c.Parts {
			parts[i], wrapped = w.bound(part, binds+1)
		}
		wrapped = wrapped && len(parts) == 1
		text = strings.Join(parts, w.space()+w.word(c.Op)+w.space())
	case "NOT":
		binds = bindNot
		part, _ := w.bound(c.Parts[0], bindNot)
		text = w.word("NOT") + w.space() + part
	default:
		text = w.test(c)
	}
	if binds < outer || !wrapped && w.one(8) {
		return "(" + w.blank() + text + w.blank() + ")", true
	}
	return text, wrapped
}

func (w *writer) test(c *Condition) string {
	switch c.Op {
	case "=", "<>", "<", "<=", ">", ">=":
		return w.operand(c.Operands[0]) + w.blank() + c.Op + w.blank() + w.operand(c.Operands[1])
	case "BETWEEN":
		return fmt.Sprint(w.operand(c.Operands[0]), w.space(), w.word("BETWEEN"), w.space(), w.operand(c.Operands[1]),
			w.space(), w.word("AND"),
			w.space(), w.operand(c.Operands[2]))
	case "IN":
		return w.operand(c.Operands[0]) + w.space() + w.call(w.word("IN"), c.Operands[1:])
	}
	return w.call(c.Op, c.Operands)
}

// swapped are the operators with their operands the other way round. // immutable
var swapped = map[string]string{"=": "=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}

func (w *writer) keyTests(tests []KeyTest) string {
	var parts []string
	for _, i := range w.rng.Perm(len(tests)) {
		test := tests[i]
		path, text := &Path{Name: test.Name}, ""
		operands := []Operand{path}
		for _, v := range test.Values {
			operands = append(operands, v)
		}
		if other := swapped[test.Op]; other != "" && w.one(5) {
			text = w.operand(operands[1]) + w.blank() + other + w.blank() + w.operand(path)
		} else {
			text = w.test(&Condition{Op: test.Op, Operands: operands})
		}
		if w.one(8) {
			text = "(" + text + ")"
		}
		parts = append(parts, text)
	}
	text := strings.Join(parts, w.space()+w.word("AND")+w.space())
	if len(parts) > 1 && w.one(10) {
		text = "(" + text + ")"
	}
	return w.blank() + text
}

func (w *writer) projection(paths []Path) string {
	list := make([]string, len(paths))
	for i, path := range paths {
		list[i] = w.path(path)
	}
	return strings.Join(list, w.blank()+","+w.blank())
}

// update renders actions by section, the sections in any order.
func (w *writer) update(actions []Action) string {
	var sections []string
	for _, i := range w.rng.Perm(4) {
		verb := []string{"SET", "REMOVE", "ADD", "DELETE"}[i]
		var list []string
		for _, a := range actions {
			if a.Verb == verb {
				list = append(list, w.action(a))
			}
		}
		if list != nil {
			sections = append(sections, w.word(verb)+w.space()+strings.Join(list, w.blank()+","+w.blank()))
		}
	}
	return strings.Join(sections, w.space())
}

func (w *writer) action(a Action) string {
	switch a.Verb {
	case "SET":
		return w.path(a.Path) + w.blank() + "=" + w.blank() + w.operand(a.To)
	case "REMOVE":
		return w.path(a.Path)
	}
	return w.path(a.Path) + w.space() + w.value(a.To.(*Value))
}
