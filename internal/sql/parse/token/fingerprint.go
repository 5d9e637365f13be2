// SPDX-License-Identifier: Apache-2.0

package token

import (
	"github.com/weftdb/weft/internal/sql/datum"
)

// Take is the place of a literal that is a parameter, its minus included.
type Take struct{ Start, End int }

// taker walks over a statement and takes literals out of it. Which ones is decided here alone: the parser gets their
// positions.
//
// A literal stays in the key where its value says what the statement means, and not only what it compares with: in the
// select list, whose text names columns; in GROUP BY, HAVING and ORDER BY, where it is a position or must equal an
// expression of the list; as a pattern; as a JSON path; within CAST; where the grammar wants a constant; and where a
// condition has no column, such as 1 = 0, which a planner wants to know.
type taker struct {
	lexer  Lexer
	key    []byte
	values []datum.Datum
	takes  *[]Take // nil: nobody asks where

	copied  int      // the statement up to here is in the key
	index   int      // of the current token
	tokens  [2]Token // the current token and the one before it, in turns
	before  bool     // whether the token before that may end an operand
	operand bool     // whether previous may end an operand
	mark    marking  // what previous means for a literal behind it
	depth   int      // of brackets

	verb  verb
	from  bool // FROM of a SELECT was met
	scope      // of the query that is read
	cast  int  // the depth outside of CAST( .. ), -1 without one
	kept  int  // the index of the last number that began a condition
	outer [queriesMax]scope
	inner int // how many of outer there are
}

// queriesMax is how deep queries may be nested in a statement with a fingerprint.
const queriesMax = 8

// scope is the state of one query within the statement, or of the parts around its queries.
type scope struct {
	base     int  // the depth of brackets that it stands in
	query    bool // it begins with SELECT
	fixed    bool // all literals stay: it stands in a clause whose literals do
	keep     bool // literals of this clause stay
	verbatim bool // white space of this clause stays, too
	untyped  bool // the kinds of literals are not part of the key
	between  bool // the next AND belongs to BETWEEN
}

type verb uint8

const (
	verbNone verb = iota
	verbSelect
	verbInsert
	verbChange
	verbWith
)

// marking says how a token affects a literal right behind it.
type marking uint8

const (
	markNone  marking = iota
	markKeep          // it stays
	markStart         // it starts a condition
)

// Fingerprint walks over a query, INSERT, UPSERT, REPLACE, UPDATE or DELETE and appends to key the statement's text
// with literals taken out, and to parameters their values in their order. Texts with equal keys have equal trees but
// for these values (see ParseFingerprinted), and their kinds are equal, too, except in VALUES. Values may alias the
// text. ok is false for other statements and for those whose literals say what they mean; key and parameters are then
// what they were.
func (m Mode) Fingerprint(text, key []byte, parameters []datum.Datum) (newKey []byte, newParameters []datum.Datum,
	ok bool) {
	t := taker{lexer: Lexer{Text: text, Mode: m}, key: key, values: parameters, cast: -1, kept: -2}
	if !t.walk() {
		return key, parameters, false
	}
	return t.key, t.values, true
}

// Takes returns where the literals stand that Fingerprint takes.
func (m Mode) Takes(text []byte) (takes []Take, ok bool) {
	t := taker{lexer: Lexer{Text: text, Mode: m}, takes: &takes, cast: -1, kept: -2}
	ok = t.walk()
	return takes, ok
}

// walk reads all tokens. ok is false if the statement gets no fingerprint.
func (t *taker) walk() (ok bool) {
	for {
		current, previous := &t.tokens[t.index&1], &t.tokens[t.index&1^1]
		t.lexer.read(current)
		switch current.Kind {
		case End:
			return t.finish(previous)
		case Bad, Placeholder:
			return false
		}
		if current.Word == ";" {
			return t.lexer.Next().Kind == End && t.finish(previous)
		}
		t.gap(current, previous)
		mark, operand := markNone, true
		switch current.Kind {
		case Word:
			mark, operand, ok = t.word(current, previous)
			if !ok {
				return false
			}
		case Symbol:
			if t.index == 0 && current.Word == "(" {
				t.verb = verbSelect
			}
			mark, operand = t.symbol(current.Word)
		case Text, Integer, Decimal, Float, Hex, Bits:
			t.literal(current, previous)
		}
		t.before, t.operand, t.mark = t.operand, operand, mark
		t.index++
	}
}

func (t *taker) finish(previous *Token) bool {
	if t.verb == verbNone || (t.verb == verbSelect || t.verb == verbWith) && !t.from {
		return false // a SELECT without a table is all select list
	}
	t.key = append(t.key, t.lexer.Text[t.copied:previous.End]...)
	return true
}

// gap makes what stands between two tokens one space, except where it matters: in the select list, and behind the verb,
// where hints are.
func (t *taker) gap(current, previous *Token) {
	if t.index == 0 {
		t.copied = current.Start
		return
	}
	end := previous.End
	if current.Start == end || t.verbatim || t.index == 1 || current.Start == end+1 && t.lexer.Text[end] == ' ' {
		return
	}
	t.key = append(append(t.key, t.lexer.Text[t.copied:end]...), ' ')
	t.copied = current.Start
}

// literal takes a literal or leaves it.
func (t *taker) literal(current, previous *Token) {
	number := current.Kind != Text
	switch {
	case t.keep || t.fixed || t.cast >= 0 || t.mark == markKeep:
		return
	case !number && !t.untyped && t.lexer.Text[current.Start+1] == '$':
		return // a JSON path, on which an index may be
	case number && (t.mark == markStart || t.kept == t.index-2 && !t.operand):
		t.kept = t.index
		return
	}
	start, negative := current.Start, false
	if current.Kind >= Integer && current.Kind <= Float && previous.Word == "-" && !t.before {
		if previous.End != start {
			return // the parser makes one number of both, but here is something between them
		}
		start, negative = previous.Start, true
	}
	var value datum.Datum
	if current.Kind == Text && current.Plain {
		value = datum.Text(t.lexer.Text[start+1 : current.End-1])
	} else {
		value = Literal(t.lexer.Text, *current, negative)
	}
	t.key = append(append(t.key, t.lexer.Text[t.copied:start]...), '?', t.letter(value.Kind()))
	t.copied = current.End
	t.values = append(t.values, value)
	if t.takes != nil {
		*t.takes = append(*t.takes, Take{start, current.End})
	}
}

// letter names a kind in the key.
func (t *taker) letter(k datum.Kind) byte {
	if t.untyped {
		return 'v'
	}
	switch k {
	case datum.KindInt:
		return 'i'
	case datum.KindUint:
		return 'u'
	case datum.KindDecimal:
		return 'd'
	case datum.KindFloat:
		return 'f'
	case datum.KindBinary:
		return 'b'
	}
	return 's'
}

// symbol follows brackets.
func (t *taker) symbol(word string) (mark marking, operand bool) {
	switch word {
	case "(":
		t.depth++
	case ")":
		t.depth--
		if t.depth <= t.cast {
			t.cast = -1
		}
		if t.inner > 0 && t.depth < t.base {
			t.inner--
			t.scope = t.outer[t.inner]
		}
		return markNone, true
	case "->", "->>":
		return markKeep, false
	}
	return markNone, false
}

// word follows clauses. ok is false for a word that no statement with a fingerprint has.
func (t *taker) word(current, previous *Token) (mark marking, operand, ok bool) {
	source := t.lexer.Text[current.Start:current.End]
	if previous.Word == "." && t.index > 0 {
		return markNone, true, true
	}
	if source[0] == '_' {
		return markKeep, true, true
	}
	var buffer [10]byte
	if len(source) > len(buffer) {
		return markNone, true, true
	}
	for i, c := range source {
		buffer[i] = c | 0x20
	}
	folded := buffer[:len(source)]
	if t.index == 0 {
		return markNone, false, t.first(folded)
	}
	switch string(folded) {
	case "and", "or", "xor", "not", "where", "between", "when", "then", "else", "in", "div", "mod", "on":
		return t.connective(folded), false, true
	case "from", "group", "order", "having", "window", "limit", "offset", "union", "except", "intersect":
		t.clause(folded)
		return markNone, false, true
	case "like", "regexp", "rlike", "escape", "as", "collate", "date", "time", "timestamp", "separator":
		return markKeep, string(folded) == "date" || string(folded) == "time" || string(folded) == "timestamp", true
	case "cast", "convert":
		if t.cast < 0 {
			t.cast = t.depth
		}
		return markNone, true, true
	case "interval", "case", "binary", "distinct", "all", "by", "set":
		return markNone, false, true
	case "select", "values":
		return markNone, false, t.begins(string(folded) == "select")
	case "update", "delete":
		if t.verb == verbWith && t.depth == 0 {
			t.verb, t.scope = verbChange, scope{}
		}
	}
	return markNone, true, true
}

// begins reads SELECT or VALUES, which begin a query of their own within the statement. ok is false if it is too deep.
func (t *taker) begins(query bool) (ok bool) {
	switch {
	case !query && (t.verb == verbInsert || t.verb == verbNone) && t.depth == 0: // the rows of an INSERT
		return t.verb == verbInsert
	case t.depth > t.base:
		if t.inner == queriesMax {
			return false
		}
		t.outer[t.inner] = t.scope
		t.inner++
		t.scope = scope{base: t.depth, fixed: t.fixed || t.keep || t.cast >= 0}
	}
	t.query, t.keep, t.verbatim, t.untyped, t.between = query, true, query || t.fixed, false, false
	return true
}

// first reads the verb.
func (t *taker) first(folded []byte) (ok bool) {
	switch string(folded) {
	case "select":
		t.verb = verbSelect
		return t.begins(true)
	case "with":
		t.verb = verbWith
	case "insert", "upsert", "replace":
		t.verb, t.untyped = verbInsert, true
	case "update", "delete":
		t.verb = verbChange
	default:
		return false
	}
	return true
}

// connective reads a word between or before conditions.
func (t *taker) connective(folded []byte) marking {
	switch string(folded) {
	case "between":
		t.between = true
	case "and":
		if t.between {
			t.between = false
			return markNone
		}
		return markStart
	case "or", "xor", "not", "where":
		return markStart
	case "on":
		if t.depth == 0 && t.verb == verbInsert { // ON DUPLICATE KEY
			t.untyped, t.keep, t.verbatim = false, false, false
		}
		return markStart
	}
	return markNone
}

// clause reads a word that starts a clause of the query, or another query behind it.
func (t *taker) clause(folded []byte) {
	if t.depth > t.base || t.fixed {
		return
	}
	switch string(folded) {
	case "from":
		if t.query {
			t.from, t.keep, t.verbatim = true, false, false
		}
	case "group", "order", "having", "window":
		t.keep = true
	case "limit", "offset", "union", "except", "intersect":
		t.keep, t.verbatim = false, false
	}
}
