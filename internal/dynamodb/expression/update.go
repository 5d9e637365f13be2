// SPDX-License-Identifier: Apache-2.0

package expression

import (
	"github.com/weftdb/weft/internal/data/expr"
	"github.com/weftdb/weft/internal/data/value"
)

// ParseUpdate reads an UpdateExpression. The error is an *Error.
func ParseUpdate(text string, known *Substitutions) (*expr.Update, error) {
	p := parser{kind: UpdateActions, lexer: lexer{text: text}, known: known}
	var u *expr.Update
	if p.begin() {
		u = p.known.nodes.updates.take(expr.Update{})
		p.sections(u)
	}
	if !p.failed {
		p.checkOverlap(p.touchedPaths(u))
	}
	if err := p.end(); err != nil {
		return nil, err
	}
	return u, nil
}

// immutable
var sectionNames = [...]string{keywordSet: "SET", keywordRemove: "REMOVE", keywordAdd: "ADD", keywordDelete: "DELETE"}

// touchedPaths lists the paths that the update writes to, in the text's order; none if there is nothing to compare.
func (p *parser) touchedPaths(u *expr.Update) []expr.Path {
	count := len(u.Set) + len(u.Remove) + len(u.Add) + len(u.Delete)
	if count < 2 {
		return nil
	}
	paths := make([]expr.Path, 0, count)
	for _, section := range p.order {
		switch section {
		case keywordSet:
			for i := range u.Set {
				paths = append(paths, u.Set[i].Path)
			}
		case keywordRemove:
			paths = append(paths, u.Remove...)
		case keywordAdd:
			for i := range u.Add {
				paths = append(paths, u.Add[i].Path)
			}
		case keywordDelete:
			for i := range u.Delete {
				paths = append(paths, u.Delete[i].Path)
			}
		}
	}
	return paths
}

// sections reads SET, REMOVE, ADD and DELETE with their actions, in any order.
func (p *parser) sections(u *expr.Update) {
	var seen [len(sectionNames)]bool
	count := 0
	for first := true; first || p.current.kind != tokenEnd; first = false {
		section := p.current.keyword
		if section < keywordSet {
			p.unexpected()
			return
		}
		if seen[section] {
			p.note(faultSection, `The "`, sectionNames[section],
				`" section can only be used once in an update expression;`)
		} else {
			p.order[count] = section
			count++
		}
		seen[section] = true
		p.advance()
		p.action(section, u)
		for p.accept(tokenComma) {
			p.action(section, u)
		}
	}
}

// action reads one action of a section.
func (p *parser) action(section keyword, u *expr.Update) {
	path := p.path()
	switch section {
	case keywordSet:
		p.expect(tokenEqual)
		to, _, _ := p.assignedOperand()
		if u.Set == nil {
			u.Set = p.known.nodes.sets.list(listRoom)
		}
		u.Set = append(u.Set, expr.SetAction{Path: path, To: to})
	case keywordRemove:
		u.Remove = append(u.Remove, path)
	case keywordAdd:
		v := p.actionValue("ADD", "ALLOWED_FOR_ADD_OPERAND", sets|numbers)
		if u.Add == nil {
			u.Add = p.known.nodes.adds.list(listRoom)
		}
		u.Add = append(u.Add, expr.AddAction{Path: path, Value: v})
	case keywordDelete:
		v := p.actionValue("DELETE", "ALLOWED_FOR_DELETE_OPERAND", sets)
		u.Delete = append(u.Delete, expr.DeleteAction{Path: path, Value: v})
	}
}

// actionValue reads the :value of ADD or DELETE.
func (p *parser) actionValue(name, typeSet string, allowed kinds) value.Value {
	v := p.literal().Value
	if kind := v.Kind(); kind != value.Missing && !allowed.has(kind) {
		p.note(faultAction, "Incorrect operand type for operator or function; operator: ", name, ", operand type: ",
			longName(kind),
			", typeSet: ", typeSet)
	}
	return v
}

// longName is a type's name as the texts about ADD and DELETE have it.
func longName(kind value.Kind) string {
	switch kind {
	case value.Null:
		return "NULL"
	case value.Bool:
		return "BOOLEAN"
	case value.String:
		return "STRING"
	case value.Binary:
		return "BINARY"
	case value.List:
		return "LIST"
	case value.Map:
		return "MAP"
	}
	return "NUMBER"
}

// assignedOperand reads the right-hand side of SET: an operand, or the sum or difference of two, in parentheses or not.
// A sum in parentheses is no operand of another sum.
func (p *parser) assignedOperand() (o expr.Operand, sum, parenthesized bool) {
	if p.accept(tokenOpen) {
		p.enter()
		o, sum, parenthesized = p.assignedOperand()
		if parenthesized {
			p.note(faultParentheses, redundantText)
		}
		p.expect(tokenClose)
		p.leave()
		o, parenthesized = p.deeper(o), true
	} else {
		o = p.simple().operand
	}
	sign := expr.Plus
	switch {
	case sum:
		return o, true, parenthesized
	case p.accept(tokenPlus):
	case p.accept(tokenMinus):
		sign = expr.Minus
	default:
		return o, false, parenthesized
	}
	p.operators++
	right, _ := p.operand()
	p.checkType(sign.String(), o, numbers)
	p.checkType(sign.String(), right, numbers)
	return p.known.nodes.sums.take(expr.Arithmetic{Sign: sign, A: o, B: right}), true, false
}
