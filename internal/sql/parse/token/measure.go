// SPDX-License-Identifier: Apache-2.0

package token

import (
	"fmt"

	"github.com/weftdb/weft/internal/sql/fault"
)

// Budget bounds the shape of a statement before anybody reads it. What reads and plans statements takes stack and time by their shape, not only by
// their length: some of it recurses once for each bracket or operator, some takes the square or the cube of their number. 0 is no bound.
type Budget struct {
	Tokens    int // words, literals and symbols
	Depth     int // brackets, and CASE, within one another
	Chain     int // operators of one expression, without those in brackets
	Logic     int // AND, OR, XOR and NOT of one condition, without those in brackets
	Tables    int // joined in one FROM, without those in brackets
	Queries   int // SELECT, each counted twice as often for each SELECT around it: each of them may be planned again with the one around it
	SetOps    int // UNION, EXCEPT and INTERSECT
	SetTokens int // tokens, times the square of SetOps
}

// Relational is the budget of statements for the relational engine. With it, none of them was seen to be planned for more than two seconds, or
// to take more than 2 MiB of stack.
func Relational() Budget {
	return Budget{Tokens: 100_000, Depth: 64, Chain: 200, Logic: 1000, Tables: 10, Queries: 2048, SetOps: 64, SetTokens: 6_000_000}
}

// Statement is the budget of statements of any kind.
func Statement() Budget { return Budget{Tokens: 1_000_000} }

// Check reads a text as far as the budget goes. Errors: fault.Refused, which says what there is too much of. What is no token is left to the
// text's reader.
func (b Budget) Check(text []byte) error { return b.CheckIn(0, text) }

// CheckIn is Check of a text in another mode.
func (b Budget) CheckIn(mode Mode, text []byte) error {
	if b == (Budget{Tokens: b.Tokens}) && len(text) <= b.Tokens {
		return nil // a token has a byte at least
	}
	m := measure{budget: b, lexer: Lexer{Text: text, Mode: mode}, levels: make([]level, 1, 16)}
	for m.err == nil {
		t := m.lexer.Next()
		if t.Kind == End || t.Kind == Bad {
			break
		}
		m.tokens++
		m.most("words and symbols", m.tokens, b.Tokens)
		m.token(t)
	}
	m.most("words and symbols, for its number of UNIONs,", m.setOps*m.setOps*m.tokens, b.SetTokens)
	return m.err
}

// level is what stands between two brackets, without what is in brackets in it.
type level struct {
	chain, logic, tables int
	of                   int  // the level that tables of this one count for, if it is a part of that one's FROM
	queries              int  // SELECTs around what stands here
	from                 bool // commas stand between tables
	isCase               bool // it ends at END
}

// measure counts.
type measure struct {
	budget                  Budget
	lexer                   Lexer
	levels                  []level
	tokens, queries, setOps int
	joins                   bool // the last token was FROM, JOIN, or a comma or bracket there
	err                     error
}

// most is an error if there is more of something than may be.
func (m *measure) most(what string, n, limit int) {
	if n > limit && limit > 0 && m.err == nil {
		m.err = fault.New(fault.Refused, fmt.Sprintf("The statement has too many %s: it has more than %d, or what is equal to so many; split it into several statements", what, limit))
	}
}

func (m *measure) token(t Token) {
	joins := m.joins
	m.joins = false
	if t.Kind == Word {
		m.word(LookUp(m.lexer.Text[t.Start:t.End]))
		return
	}
	if t.Kind != Symbol {
		return
	}
	here := &m.levels[len(m.levels)-1]
	switch t.Word {
	case "(", "[", "{":
		inside := level{of: len(m.levels), queries: here.queries}
		if m.joins = joins; joins {
			inside.of, inside.from = here.of, true
		}
		m.open(inside)
	case ")", "]", "}":
		for m.close() {
		}
	case ",":
		here.chain, here.logic = 0, 0
		if m.joins = here.from; here.from {
			m.table(here)
		}
	case "&&", "||":
		m.connective(here)
	case ".", ";":
	default:
		m.operator(here)
	}
}

func (m *measure) operator(here *level) {
	here.chain++
	m.most("operators in one expression", here.chain, m.budget.Chain)
}

func (m *measure) connective(here *level) {
	here.chain = 0
	here.logic++
	m.most("conditions joined by AND and OR", here.logic, m.budget.Logic)
}

func (m *measure) table(here *level) {
	of := &m.levels[here.of]
	of.tables++
	m.most("tables joined in one FROM", of.tables, m.budget.Tables)
}

// open begins a level.
func (m *measure) open(l level) {
	m.levels = append(m.levels, l)
	m.most("brackets and CASEs within one another", len(m.levels)-1, m.budget.Depth)
}

// close ends a level. It says whether that was a CASE, which a bracket ends too.
func (m *measure) close() (wasCase bool) {
	last := len(m.levels) - 1
	if last == 0 {
		return false
	}
	wasCase = m.levels[last].isCase
	m.levels = m.levels[:last]
	return wasCase
}

// word counts what a word of the grammar begins.
func (m *measure) word(word string) {
	here := &m.levels[len(m.levels)-1]
	switch word {
	case "and", "or", "xor", "not":
		m.connective(here)
	case "is", "in", "like", "between", "regexp", "rlike", "div", "mod", "collate", "binary", "interval", "escape":
		m.operator(here)
	case "case":
		m.open(level{of: len(m.levels), queries: here.queries, isCase: true})
	case "end":
		if here.isCase {
			m.close()
		}
	case "when", "then", "else", "on", "set":
		here.chain, here.logic = 0, 0
	case "join", "straight_join":
		m.joins = true
		m.table(here)
	case "select":
		m.query(here)
	case "from":
		m.joins = true
		*here = level{of: len(m.levels) - 1, queries: here.queries, from: true, tables: 1, isCase: here.isCase}
	case "where", "group", "having", "order", "limit", "window", "values":
		here.chain, here.logic, here.from = 0, 0, false
	case "union", "except", "intersect":
		m.setOps++
		m.most("UNIONs", m.setOps, m.budget.SetOps)
	}
}

// query counts a SELECT, as often as it may be planned. Those of one level, as in a UNION, are not within one another.
func (m *measure) query(here *level) {
	around := 0
	if len(m.levels) > 1 {
		around = m.levels[len(m.levels)-2].queries
	}
	*here = level{of: len(m.levels) - 1, queries: around + 1, isCase: here.isCase}
	m.queries += 1 << min(around, 30)
	m.most("queries within queries", m.queries, m.budget.Queries)
}
