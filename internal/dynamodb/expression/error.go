// SPDX-License-Identifier: Apache-2.0

package expression

import "strings"

// Error is a fault of an expression or of its placeholders, in DynamoDB's words. The server answers it as a
// ValidationException.
type Error struct {
	Message string
	// Late says that the expression is well-formed in itself, but is no condition on keys. DynamoDB tells that after
	// the faults of the request's other expressions and its unused placeholders.
	Late bool
}

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

// fault is a sort of mistake in an expression that does not end the parsing.
type fault uint8

const (
	_ fault = iota
	faultParentheses
	faultFunction // one that there is not, or not in this kind of expression
	faultMisused  // a function that stands where its result is of no use
	faultSection
	faultReserved
	faultNames
	faultValues
	faultCount
	faultDistinct
	faultOperands
	faultAction // an operand of ADD or DELETE
	faultLimit
	faultOverlap
	faultConflict
	faultKeys
	faultsEnd
)

// rank orders the faults of one expression: the lowest is the one that is reported, and of equal ones the first in the
// text. A fault of syntax ends the parsing at once and so comes before them all.
type rank uint32

// conditionRanks are the ranks of conditions, filters and key conditions. Faults from leafRank up to leafRank+leafRanks
// belong to one comparison or function: all of those in the first one come before any in the second.
//
// immutable
var conditionRanks = [faultsEnd]rank{
	faultParentheses: 1, faultFunction: 2, faultMisused: 3, faultReserved: 4,
	faultNames: leafRank, faultValues: leafRank, faultCount: leafRank + 1, faultDistinct: leafRank + 2,
	faultOperands: leafRank + 3,
	faultLimit:    keysRank - 1, faultKeys: keysRank,
}

const (
	leafRank  rank = 5
	leafRanks rank = 4
	keysRank  rank = 1 << 20 // more than all the leaves of textBytesMax make
)

// actionRanks are the ranks of updates and projections.
//
// immutable
var actionRanks = [faultsEnd]rank{
	faultParentheses: 1, faultReserved: 2, faultFunction: 3, faultMisused: 3, faultSection: 4, faultNames: 5,
	faultValues:  6,
	faultOverlap: 7, faultConflict: 8, faultAction: 9, faultCount: 10, faultDistinct: 10, faultOperands: 10,
	faultLimit: 11,
}

func (p *parser) rankOf(f fault) rank {
	if p.kind == UpdateActions || p.kind == Projection {
		return actionRanks[f]
	}
	r := conditionRanks[f]
	if r >= leafRank && r < leafRank+leafRanks {
		r += p.leaf * leafRanks
	}
	return r
}

// note keeps a fault, unless one of the same or a lower rank is known. The parts are the message.
func (p *parser) note(f fault, parts ...string) {
	if p.failed {
		return
	}
	r := p.rankOf(f)
	if p.rank != 0 && p.rank <= r {
		return
	}
	p.rank = r
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
	if p.rank == keysRank && !p.failed {
		return &Error{Message: p.message, Late: true}
	}
	return &Error{Message: "Invalid " + p.kind.String() + ": " + p.message}
}
