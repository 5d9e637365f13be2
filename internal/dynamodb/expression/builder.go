// SPDX-License-Identifier: Apache-2.0

package expression

import "github.com/weftdb/weft/internal/data/expr"

// Builder makes the nodes of conditions and updates for another language, by the rules of DynamoDB's own: which
// operands a comparison or a function takes, and in which words others are refused. Its errors are *Errors, without the
// name of an expression in front. The zero value is for conditions.
type Builder struct {
	// Update says that the nodes belong to an update.
	Update bool
}

func (b Builder) kind() Kind {
	if b.Update {
		return UpdateActions
	}
	return Condition
}

// Call makes the call of a function, of which either a condition or an operand is the result.
func (b Builder) Call(name string, operands ...expr.Operand) (expr.Condition, expr.Operand, error) {
	p := parser{kind: b.kind(), known: &Substitutions{}}
	t := term{operand: &expr.Literal{}, function: name}
	var first [2]expr.Operand
	copy(first[:], operands)
	if s := p.signature(name); s != nil && p.checkCall(s, first, len(operands)) {
		p.build(&t, first)
	}
	return t.condition, t.operand, p.plainFailure()
}

// Compare makes a comparison.
func (b Builder) Compare(op expr.Comparison, x, y expr.Operand) (expr.Condition, error) {
	p := parser{kind: b.kind()}
	p.checkCompared(op, x, y)
	return &expr.Compare{Op: op, A: x, B: y}, p.plainFailure()
}

// Between makes a comparison with two bounds.
func (b Builder) Between(x, low, high expr.Operand) (expr.Condition, error) {
	p := parser{kind: b.kind()}
	p.checkBetween(x, low, high)
	return &expr.Between{X: x, Low: low, High: high}, p.plainFailure()
}

// In makes a comparison with each of a list.
func (b Builder) In(x expr.Operand, list []expr.Operand) (expr.Condition, error) {
	p := parser{kind: b.kind()}
	for _, o := range list {
		p.checkDistinct("IN", x, o)
	}
	p.checkInCount(len(list))
	return &expr.In{X: x, List: list}, p.plainFailure()
}

// Sum makes a sum or a difference.
func (b Builder) Sum(sign expr.Sign, x, y expr.Operand) (expr.Operand, error) {
	p := parser{kind: b.kind()}
	p.checkType(sign.String(), x, numbers)
	p.checkType(sign.String(), y, numbers)
	return &expr.Arithmetic{Sign: sign, A: x, B: y}, p.plainFailure()
}

// CheckPaths refuses paths of one update that touch the same part of an item.
func (b Builder) CheckPaths(paths []expr.Path) error {
	p := parser{kind: b.kind()}
	p.checkOverlap(paths)
	return p.plainFailure()
}

// plainFailure is failure without the name of the expression.
func (p *parser) plainFailure() error {
	if p.rank == 0 {
		return nil
	}
	return &Error{Message: p.message}
}
