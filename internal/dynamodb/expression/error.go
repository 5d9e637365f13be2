// SPDX-License-Identifier: Apache-2.0

package expression

import "strings"

// Error is what is wrong with an expression or with its placeholders, in DynamoDB's words. The door answers it as a
// ValidationException.
type Error struct{ Message string }

func (e *Error) Error() string { return e.Message }

// Kind is the parameter that an expression was given in; it opens the error texts.
type Kind uint8

// The kinds of expressions.
const (
	Condition Kind = iota
	Filter
	KeyConditions
	Projection
	UpdateActions
)

// String is the parameter's name.
func (k Kind) String() string {
	switch k {
	case Condition:
		return "ConditionExpression"
	case Filter:
		return "FilterExpression"
	case KeyConditions:
		return "KeyConditionExpression"
	case Projection:
		return "ProjectionExpression"
	}
	return "UpdateExpression"
}

// faultRank orders the faults of one expression: the lowest is the one that is told. A fault of syntax ends the parsing at once and
// so comes before them all.
type faultRank uint8

const (
	_ faultRank = iota
	faultSection
	faultParentheses
	faultFunction
	faultReserved
	faultNames
	faultValues
	faultCount
	faultOperands
	faultDistinct
	faultBounds
	faultLimit
	faultOverlap
	faultConflict
	faultKeys
)

// note keeps a fault, unless one of the same or a lower rank is known. The parts are the message.
func (p *parser) note(rank faultRank, parts ...string) {
	if p.failed || p.rank != 0 && p.rank <= rank {
		return
	}
	p.rank = rank
	p.message = strings.Join(parts, "")
}

// unexpected ends the parsing: the current token can't stand where it is. It is shown between its neighbours.
func (p *parser) unexpected() {
	if p.failed {
		return
	}
	from, to, name := p.previous.start, p.previous.end, "<EOF>"
	if p.current.kind != tokenEnd {
		to, name = p.current.end, p.text(p.current)
		if following := p.lexer.next(); following.kind != tokenEnd {
			to = following.end
		}
	}
	p.abort(`Syntax error; token: "` + name + `", near: "` + p.lexer.text[from:to] + `"`)
}

// failure is the error to tell, or nil if there was no fault.
func (p *parser) failure() error {
	if !p.failed && p.rank == 0 {
		return nil
	}
	if p.rank == faultKeys && !p.failed {
		return &Error{Message: p.message}
	}
	return &Error{Message: "Invalid " + p.kind.String() + ": " + p.message}
}
