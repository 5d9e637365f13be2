// SPDX-License-Identifier: Apache-2.0

package expression

import (
	"strconv"

	"github.com/weftdb/weft/internal/data/expr"
	"github.com/weftdb/weft/internal/data/value"
)

// signature holds the properties of a function that the parser checks before it builds its node.
type signature struct {
	name      string // as written: DynamoDB tells functions' upper and lower case letters apart
	operands  int
	condition bool // true or false, rather than a value
	update    bool // of updates, rather than of conditions
	path      bool // the first operand must be a path,
	literal   bool // or a :value
	types     [2]kinds
}

// kinds is a set of value kinds.
type kinds uint16

func (k kinds) has(kind value.Kind) bool { return k>>kind&1 != 0 }

const (
	anyKind    = ^kinds(0)
	numbers    = kinds(1)<<value.Number | 1<<value.Int | 1<<value.Float | 1<<value.Timestamp
	texts      = kinds(1)<<value.String | 1<<value.Binary
	ordered    = numbers | texts
	sets       = kinds(1)<<value.StringSet | 1<<value.NumberSet | 1<<value.BinarySet
	measurable = texts | sets | 1<<value.List | 1<<value.Map
	searchable = texts | sets | 1<<value.List
)

// immutable
var signatures = [...]signature{
	{name: "attribute_exists", operands: 1, condition: true, path: true},
	{name: "attribute_not_exists", operands: 1, condition: true, path: true},
	{name: "attribute_type", operands: 2, condition: true, path: true, literal: true,
		types: [2]kinds{anyKind, 1 << value.String}},
	{name: "begins_with", operands: 2, condition: true, types: [2]kinds{texts, texts}},
	{name: "contains", operands: 2, condition: true, types: [2]kinds{searchable, anyKind}},
	{name: "size", operands: 1, types: [2]kinds{measurable}},
	{name: "if_not_exists", operands: 2, update: true, path: true, types: [2]kinds{anyKind, anyKind}},
	{name: "list_append", operands: 2, update: true, types: [2]kinds{1 << value.List, 1 << value.List}},
}

// call reads a function's call.
func (p *parser) call() term {
	name := p.text(p.current)
	p.advance()
	operands, count := p.operands()
	t := term{operand: p.known.nodes.literals.take(expr.Literal{}), function: name}
	s := p.signature(name)
	if s == nil || p.failed {
		return t
	}
	if s.condition {
		t.condition = &expr.And{}
	}
	p.operators++
	if p.checkCall(s, operands, count) {
		p.build(&t, operands)
	}
	return t
}

// operands reads operands in parentheses. Those beyond the second are only counted.
func (p *parser) operands() (operands [2]expr.Operand, count int) {
	p.expect(tokenOpen)
	p.enter()
	for !p.failed {
		o, _ := p.operand()
		if count < len(operands) {
			operands[count] = o
		}
		count++
		if !p.accept(tokenComma) {
			break
		}
	}
	p.expect(tokenClose)
	p.leave()
	return operands, count
}

// signature is the function of that name, or nil if there is none for this kind of expression.
func (p *parser) signature(name string) *signature {
	for i := range signatures {
		s := &signatures[i]
		if s.name != name {
			continue
		}
		// from memory; formerly these functions were just not known
		if update := p.kind == UpdateActions; s.update != update {
			where := "a condition"
			if update {
				where = "an update"
			}
			p.note(faultFunction, "The function is not allowed in ", where, " expression; function: ", name)
			return nil
		}
		return s
	}
	p.note(faultFunction, "Invalid function name; function: ", name)
	return nil
}

// checkCall notes what is wrong with a call's operands and reports whether its node can be built.
func (p *parser) checkCall(s *signature, operands [2]expr.Operand, count int) bool {
	if count != s.operands {
		p.note(faultCount, "Incorrect number of operands for operator or function; operator or function: ", s.name,
			", number of operands: ", strconv.Itoa(count))
		return false
	}
	if count == 2 && s.condition {
		p.checkDistinct(s.name, operands[0], operands[1])
	}
	_, isPath := operands[0].(*expr.Path)
	if _, isLiteral := operands[0].(*expr.Literal); s.path && !isPath && (!s.literal || !isLiteral) {
		p.note(faultOperands, "Operator or function requires a document path; operator or function: ", s.name)
		return false
	}
	for i := range count {
		if _, nested := operands[i].(*expr.ListAppend); nested && s.name == "list_append" {
			p.noteMisuse(s.name)
		}
		p.checkType(s.name, operands[i], s.types[i])
	}
	return true
}

func (p *parser) build(t *term, operands [2]expr.Operand) {
	path, _ := operands[0].(*expr.Path)
	switch t.function {
	case "attribute_exists":
		t.condition = p.known.nodes.exists.take(expr.Exists{Path: *path})
	case "attribute_not_exists":
		t.condition = p.known.nodes.notExists.take(expr.NotExists{Path: *path})
	case "attribute_type":
		t.condition = &expr.HasType{X: operands[0], Type: p.typeName(operands[1])}
	case "begins_with":
		t.condition = &expr.BeginsWith{X: operands[0], Prefix: operands[1]}
	case "contains":
		t.condition = &expr.Contains{X: operands[0], Member: operands[1]}
	case "size":
		t.operand = p.size(operands[0])
	case "if_not_exists":
		t.operand = &expr.IfNotExists{Path: *path, Default: operands[1]}
	case "list_append":
		t.operand = &expr.ListAppend{A: operands[0], B: operands[1]}
	}
}

// size is the size of a path, or at once that of a literal.
func (p *parser) size(of expr.Operand) expr.Operand {
	if p.kind == KeyConditions {
		return &expr.Size{} // of whatever: it is refused
	}
	switch o := of.(type) {
	case *expr.Path:
		return &expr.Size{Path: *o}
	case *expr.Literal:
		if n, ok := expr.SizeOf(o.Value); ok {
			return &expr.Literal{Value: value.AppendInt(nil, int64(n))}
		}
	}
	return &expr.Literal{}
}

// anyTypeText stands for the type of an operand that can have any.
const anyTypeText = "{NS,SS,L,BS,N,M,B,BOOL,NULL,S}"

// typeName reads attribute_type's second operand.
func (p *parser) typeName(o expr.Operand) value.Kind {
	literal, ok := o.(*expr.Literal)
	if !ok {
		p.note(faultOperands, "Incorrect operand type for operator or function; operator or function: attribute_type, operand type: ", anyTypeText)
		return value.Missing
	}
	if literal.Value.Kind() != value.String {
		return value.Missing // checkType has told, or the placeholder is not defined
	}
	name := string(literal.Value.Bytes())
	for kind := value.Null; kind <= value.BinarySet; kind++ {
		if kind.String() == name {
			return kind
		}
	}
	p.note(faultOperands, "Invalid attribute type name found; type: ", name,
		", valid types: {B,NULL,SS,BOOL,L,BS,N,NS,S,M}")
	return value.Missing
}

// checkType notes a literal, or another operand whose type is known, that is not of the allowed kinds.
func (p *parser) checkType(name string, o expr.Operand, allowed kinds) {
	kind := kindOf(o)
	if kind != value.Missing && !allowed.has(kind) {
		p.note(faultOperands, "Incorrect operand type for operator or function; operator or function: ", name,
			", operand type: ", kind.String())
	}
}

// kindOf is the kind that an operand has for every row, or Missing if that is unknown.
func kindOf(o expr.Operand) value.Kind {
	switch o := o.(type) {
	case *expr.Literal:
		return o.Value.Kind()
	case *expr.Size, *expr.Arithmetic:
		return value.Number
	case *expr.ListAppend:
		return value.List
	}
	return value.Missing
}

// checkDistinct notes two operands that are one path.
func (p *parser) checkDistinct(name string, first, other expr.Operand) {
	a, okA := first.(*expr.Path)
	b, okB := other.(*expr.Path)
	if okA && okB && expr.ComparePaths(a, b) == 0 {
		p.note(faultDistinct, "The first operand must be distinct from the remaining operands for this operator or function; operator: ",
			name, ", first operand: ", pathText(a))
	}
}

// pathText is a path as error texts show it.
func pathText(path *expr.Path) string {
	text := append([]byte{'['}, path.Name...)
	for _, step := range path.Steps {
		text = append(text, ", "...)
		if step.Index < 0 {
			text = append(text, step.Field...)
			continue
		}
		text = append(text, '[')
		text = strconv.AppendInt(text, int64(step.Index), 10)
		text = append(text, ']')
	}
	return string(append(text, ']'))
}
