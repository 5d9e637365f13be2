// SPDX-License-Identifier: Apache-2.0

package tree

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/weftdb/weft/internal/sql/datum"
)

// spelled is how a binary operator is written and how tightly it binds. // immutable
var spelled = [...]struct {
	text  string
	binds int
}{
	Equal: {" = ", BindComparison}, NullSafeEqual: {" <=> ", BindComparison}, NotEqual: {" <> ", BindComparison},
	Less:        {" < ", BindComparison},
	LessOrEqual: {" <= ", BindComparison}, Greater: {" > ", BindComparison}, GreaterOrEqual: {" >= ", BindComparison},
	And: {" AND ", BindAnd}, Or: {" OR ", BindOr}, Xor: {" XOR ", BindXor}, Plus: {" + ", BindSum},
	Minus:    {" - ", BindSum},
	Multiply: {" * ", BindProduct}, Divide: {" / ", BindProduct}, IntegerDivide: {" DIV ", BindProduct},
	Modulo: {" % ", BindProduct},
	BitAnd: {" & ", BindBitAnd}, BitOr: {" | ", BindBitOr}, BitXor: {" ^ ", BindBitXor}, ShiftLeft: {" << ", BindShift},
	ShiftRight: {" >> ", BindShift},
	Not:        {"NOT ", BindNot}, BitNot: {"~", BindUnary},
}

// String is how the operator is written between its operands.
func (o Operator) String() string { return strings.TrimSpace(spelled[o].text) }

// AppendExpression appends an expression as the parser reads it back, with as few brackets as it takes. Parameters are
// question marks. Nil is nothing.
func AppendExpression(dst []byte, e Expression) []byte {
	if e == nil {
		return dst
	}
	return appendExpression(dst, e)
}

// appendBracketed appends an operand, in brackets if it binds more loosely than its place wants.
func appendBracketed(dst []byte, e Expression, least int) []byte {
	if bindingOf(e) >= least {
		return appendExpression(dst, e)
	}
	return append(appendExpression(append(dst, '('), e), ')')
}

func bindingOf(e Expression) int {
	switch x := e.(type) {
	case *Binary:
		return spelled[x.Operator].binds
	case *Unary:
		if x.Operator == Not {
			return BindNot
		}
		return BindUnary
	case *Is, *Quantified:
		return BindComparison
	case *In, *InQuery, *Between, *Like:
		return BindPredicate
	case *Interval:
		return BindUnary
	case *Call:
		if x.Name == Assigns {
			return BindOr - 1
		}
	case *Literal:
		if negative(x.Value) {
			return BindUnary
		}
	}
	return BindOperand
}

// negative reports whether a literal is written with a minus.
func negative(d datum.Datum) bool {
	switch d.Kind() {
	case datum.KindInt, datum.KindFloat, datum.KindDecimal:
		return d.AppendText(nil)[0] == '-'
	}
	return false
}

func appendExpression(dst []byte, e Expression) []byte {
	switch x := e.(type) {
	case *Column:
		return x.append(dst)
	case *Star:
		if x.Database != "" {
			dst = append(AppendName(dst, x.Database), '.')
		}
		if x.Table != "" {
			dst = append(AppendName(dst, x.Table), '.')
		}
		return append(dst, '*')
	case *Literal:
		return AppendLiteral(dst, x.Value)
	case *Parameter:
		return append(dst, '?')
	case *Variable:
		return x.append(dst)
	case *Unary:
		return x.append(dst)
	case *Binary:
		return x.append(dst)
	case *Tuple:
		return appendList(append(dst, "ROW("...), x.Elements)
	case *Case:
		return x.append(dst)
	case *Call:
		return x.append(dst)
	case *Cast:
		return x.append(dst)
	case *Interval:
		return append(append(appendExpression(append(dst, "INTERVAL "...), x.X), ' '), strings.ToUpper(x.Unit)...)
	case *Default:
		return append(dst, "DEFAULT"...)
	case *ValuesOf:
		return append(AppendName(append(dst, "VALUES("...), x.Column), ')')
	case *Subquery:
		return appendInBrackets(dst, x.Query)
	case *Exists:
		return appendInBrackets(append(dst, "EXISTS "...), x.Query)
	}
	return appendPredicate(dst, e)
}

// not is a word with NOT before it, or without.
func not(b bool, word string) string {
	if b {
		return " NOT" + word
	}
	return word
}

func appendPredicate(dst []byte, e Expression) []byte {
	switch x := e.(type) {
	case *InQuery:
		return appendInBrackets(append(appendBracketed(dst, x.X, BindBitOr), not(x.Not, " IN ")...), x.Query)
	case *Quantified:
		dst = append(appendBracketed(dst, x.X, BindComparison), spelled[x.Operator].text...)
		if x.All {
			return appendInBrackets(append(dst, "ALL "...), x.Query)
		}
		return appendInBrackets(append(dst, "ANY "...), x.Query)
	case *In:
		dst = append(appendBracketed(dst, x.X, BindBitOr), not(x.Not, " IN (")...)
		return appendList(dst, x.List)
	case *Between:
		dst = append(appendBracketed(dst, x.X, BindBitOr), not(x.Not, " BETWEEN ")...)
		dst = append(appendBracketed(dst, x.Low, BindBitOr), " AND "...)
		return appendBracketed(dst, x.High, BindBitOr)
	case *Like:
		word := " LIKE "
		if x.Regexp {
			word = " REGEXP "
		}
		dst = appendBracketed(append(appendBracketed(dst, x.X, BindBitOr), not(x.Not, word)...), x.Pattern, BindBitOr)
		if !x.EscapeGiven {
			return dst
		}
		escape := ""
		if x.Escape != 0 {
			escape = string(x.Escape)
		}
		return AppendText(append(dst, " ESCAPE "...), escape)
	case *Is:
		dst = append(appendBracketed(dst, x.X, BindComparison), " IS "...)
		if x.Not {
			dst = append(dst, "NOT "...)
		}
		return append(dst, [...]string{IsNull: "NULL", IsTrue: "TRUE", IsFalse: "FALSE"}[x.Kind]...)
	}
	return dst
}

// appendList appends expressions with commas between them and the closing bracket.
func appendList(dst []byte, list []Expression) []byte {
	for i, e := range list {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		dst = appendExpression(dst, e)
	}
	return append(dst, ')')
}

func (x *Column) append(dst []byte) []byte {
	if x.Database != "" {
		dst = append(AppendName(dst, x.Database), '.')
	}
	if x.Table != "" {
		dst = append(AppendName(dst, x.Table), '.')
	}
	if x.Quoted {
		return appendQuoted(dst, x.Name)
	}
	return AppendName(dst, x.Name)
}

func (v *Variable) append(dst []byte) []byte {
	switch {
	case !v.System && plainName(v.Name):
		return append(append(dst, '@'), v.Name...)
	case !v.System:
		return appendQuoted(append(dst, '@'), v.Name)
	case v.Global:
		return appendDotted(append(dst, "@@global."...), v.Name)
	}
	return appendDotted(append(dst, "@@"...), v.Name)
}

func (x *Unary) append(dst []byte) []byte {
	switch x.Operator {
	case Not:
		return appendBracketed(append(dst, "NOT "...), x.X, BindNot)
	case Minus:
		// A literal behind a minus would become a negative one.
		if _, ok := x.X.(*Literal); ok {
			return append(appendExpression(append(dst, "-("...), x.X), ')')
		}
		return appendBracketed(append(dst, '-'), x.X, BindOperand)
	}
	return appendBracketed(append(dst, x.Operator.String()...), x.X, BindOperand)
}

// append goes down a chain that leans left in a loop: it may be long.
func (x *Binary) append(dst []byte) []byte {
	chain := []*Binary{x}
	for {
		x = chain[len(chain)-1]
		left, ok := x.Left.(*Binary)
		if !ok || bindingOf(left) < spelled[x.Operator].binds {
			break
		}
		chain = append(chain, left)
	}
	dst = appendBracketed(dst, x.Left, spelled[x.Operator].binds)
	for i := len(chain) - 1; i >= 0; i-- {
		operator := spelled[chain[i].Operator]
		dst = appendBracketed(append(dst, operator.text...), chain[i].Right, operator.binds+1)
	}
	return dst
}

func (x *Case) append(dst []byte) []byte {
	dst = append(dst, "CASE "...)
	if x.Operand != nil {
		dst = append(appendExpression(dst, x.Operand), ' ')
	}
	for _, when := range x.Whens {
		dst = appendExpression(append(dst, "WHEN "...), when.Condition)
		dst = append(appendExpression(append(dst, " THEN "...), when.Result), ' ')
	}
	if x.Else != nil {
		dst = append(appendExpression(append(dst, "ELSE "...), x.Else), ' ')
	}
	return append(dst, "END"...)
}

// matchEnd closes the AGAINST of MATCH.
func matchEnd(boolean bool) string {
	if boolean {
		return " IN BOOLEAN MODE)"
	}
	return ")"
}

// Weighed returns x and the name of the collation of WEIGHT_STRING(x COLLATE name).
func (x *Call) Weighed() (text Expression, collation string, ok bool) {
	if x.Name != "weight_string" || len(x.Arguments) != 2 {
		return nil, "", false
	}
	name, ok := x.Arguments[1].(*Literal)
	if !ok {
		return nil, "", false
	}
	return x.Arguments[0], string(name.Value.AppendText(nil)), true
}

func (x *Call) append(dst []byte) []byte {
	if x.Name == "match" && len(x.Arguments) > 1 {
		columns, against, boolean := x.Match()
		dst = appendList(append(dst, "MATCH ("...), columns)
		return append(appendBracketed(append(dst, " AGAINST ("...), against, BindBitOr), matchEnd(boolean)...)
	}
	if name, ok := x.Assigned(); ok {
		return appendExpression(append((&Variable{Name: name}).append(dst), " := "...), x.Arguments[1])
	}
	if text, collation, ok := x.Weighed(); ok {
		dst = appendBracketed(append(dst, "weight_string("...), text, BindUnary)
		return append(append(append(dst, " COLLATE "...), collation...), ')')
	}
	if x.Name == "weight_string" && len(x.Arguments) == 3 {
		if kind, ok := x.Arguments[1].(*Literal); ok {
			dst = appendExpression(append(dst, "weight_string("...), x.Arguments[0])
			return append(appendExpression(append(append(append(dst, " AS "...), kind.Value.Bytes()...), '('),
				x.Arguments[2]), "))"...)
		}
	}
	if x.Name == "trim" && len(x.Arguments) > 1 {
		if trimmed, ok := x.appendTrim(dst); ok {
			return trimmed
		}
	}
	// names of functions are words, reserved ones among them: they have no backticks
	dst = append(append(dst, x.Name...), '(')
	if x.Distinct {
		dst = append(dst, "DISTINCT "...)
	}
	dst = bytes.TrimSuffix(appendList(dst, x.Arguments), []byte{')'})
	dst = appendOrders(dst, x.OrderBy)
	if x.Separator != nil {
		dst = AppendText(append(dst, " SEPARATOR "...), *x.Separator)
	}
	dst = append(dst, ')')
	if x.Over != nil {
		dst = x.Over.append(append(dst, " OVER "...))
	}
	return dst
}

// appendTrim writes trim(y, side, x) as TRIM(side x FROM y): its placeholders are numbered in that order.
func (x *Call) appendTrim(dst []byte) (trimmed []byte, ok bool) {
	side, ok := x.Arguments[1].(*Literal)
	if !ok || len(x.Arguments) > 3 || side.Value.Kind() != datum.KindText {
		return dst, false
	}
	switch string(side.Value.Bytes()) {
	case "both", "leading", "trailing":
	default:
		return dst, false
	}
	dst = append(append(append(dst, "trim("...), strings.ToUpper(string(side.Value.Bytes()))...), ' ')
	if len(x.Arguments) == 3 {
		dst = append(appendExpression(dst, x.Arguments[2]), ' ')
	}
	return append(appendExpression(append(dst, "FROM "...), x.Arguments[0]), ')'), true
}

func (x *Cast) append(dst []byte) []byte {
	if l, ok := x.X.(*Literal); ok && l.Value.Kind() == datum.KindText {
		switch x.To.Base {
		case datum.Date, datum.Time, datum.Timestamp:
			if x.To == x.To.OfLiteral(l.Value) {
				return AppendLiteral(append(append(dst, x.To.Base.String()...), ' '), l.Value)
			}
		}
	}
	dst = append(appendExpression(append(dst, "CAST("...), x.X), " AS "...)
	return append(append(dst, castType(x.To)...), ')')
}

// castType writes a type as CAST has it.
func castType(t datum.Type) string {
	if t.IsTemporal() && t.Scale == 0 {
		t.Length = 0
	}
	switch t.Base {
	case datum.BigInt:
		return "SIGNED"
	case datum.BigIntUnsigned:
		return "UNSIGNED"
	}
	return t.String()
}

// AppendLiteral appends a value as the parser reads it back. Times are texts.
func AppendLiteral(dst []byte, d datum.Datum) []byte {
	switch d.Kind() {
	case datum.KindNull:
		return append(dst, "NULL"...)
	case datum.KindBool:
		if d.Int() != 0 {
			return append(dst, "TRUE"...)
		}
		return append(dst, "FALSE"...)
	case datum.KindInt, datum.KindUint:
		return d.AppendText(dst)
	case datum.KindFloat:
		return strconv.AppendFloat(dst, d.Float(), 'e', -1, 64)
	case datum.KindDecimal:
		start := len(dst)
		dst = d.AppendText(dst)
		if bytes.IndexByte(dst[start:], '.') < 0 {
			dst = append(dst, '.')
		}
		return dst
	case datum.KindBinary:
		const digits = "0123456789abcdef"
		dst = append(dst, "x'"...)
		for _, c := range d.Bytes() {
			dst = append(dst, digits[c>>4], digits[c&15])
		}
		return append(dst, '\'')
	case datum.KindText, datum.KindJSON:
		return AppendText(dst, d.Bytes())
	}
	return AppendText(dst, d.AppendText(nil))
}
