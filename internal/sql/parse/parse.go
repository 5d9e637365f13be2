// SPDX-License-Identifier: Apache-2.0

package parse

import (
	"bytes"
	"errors"
	"strings"

	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/parse/token"
	"github.com/weftdb/weft/internal/sql/tree"
)

// depthMax bounds the nesting of expressions and queries.
const depthMax = 64

// operatorsMax bounds the operators of one expression, and with it how deep its tree may lean to the left.
const operatorsMax = 20_000

// setsMax bounds the UNIONs of one statement, and tablesMax what stands behind one FROM, as in MySQL.
const (
	setsMax   = 1000
	tablesMax = 61
)

// ErrLiterals is ParseFingerprinted's answer to a statement whose plan cannot be shared among texts: Parse it and don't
// cache its plan.
var ErrLiterals = errors.New("parse: the statement's plan depends on its literals: use Parse")

// parser reads one statement.
type parser struct {
	token.Reader
	depth      int             // of expressions and queries
	sets       int             // UNION and the like
	tablesRead int             // of the FROM that is read
	operators  int             // of the expression
	parameters int             // how many ? were met
	takes      []token.Take    // the literals that are parameters, of a fingerprinted statement
	taken      int             // how many of them were read
	rowAlias   string          // of INSERT .. VALUES .. AS alias
	assignees  []tree.Variable // of SELECT .. INTO
	collates   string          // a collation or character set that texts are not compared by
	collated   []collated      // expressions that are not compared yet
	regrouped  map[*tree.Select]*regrouped
	recursive  bool // WITH RECURSIVE is read
}

// Parse reads one statement, perhaps with a semicolon behind it. Placeholders become Parameters, numbered from 0.
// Errors are *fault.Error: fault.Syntax, fault.EmptyQuery, or fault.Unsupported for syntax that is read only to be
// refused.
func (d Dialect) Parse(text []byte) (tree.Statement, error) {
	p := &parser{Reader: d.Mode.NewReader(text)}
	return p.parse(text)
}

// Expression reads an expression alone, as AppendExpression of package tree writes it.
func (d Dialect) Expression(text []byte) (tree.Expression, error) {
	p := &parser{Reader: d.Mode.NewReader(text)}
	p.Advance()
	e := p.expression()
	if p.Failure == nil && p.At.Kind != token.End {
		p.Expected("the end of the expression")
	}
	return e, p.Failure
}

// ParseFingerprinted reads a statement that Fingerprint has accepted: the literals that it collects are Parameters,
// with the same numbers. ErrLiterals says that the plan must not be shared; so does every other error, whose message
// may name what is no literal any more: Parse then.
func (d Dialect) ParseFingerprinted(text []byte) (tree.Statement, error) {
	takes, ok := d.Mode.Takes(text)
	if !ok {
		return nil, ErrLiterals
	}
	p := &parser{Reader: d.Mode.NewReader(text), takes: takes}
	statement, err := p.parse(text)
	if err != nil {
		return nil, err
	}
	if p.taken != len(takes) {
		return nil, ErrLiterals
	}
	return statement, nil
}

func (p *parser) parse(text []byte) (tree.Statement, error) {
	p.Advance()
	if p.At.Kind == token.End && p.Failure == nil || p.At.Word == ";" {
		// clients that keep comments send those between statements as statements
		if len(bytes.Trim(text, " \t\r\n\f\v;")) > 0 {
			return &tree.Nothing{What: "a comment"}, nil
		}
		return nil, fault.New(fault.EmptyQuery)
	}
	statement := p.statement()
	if p.Failure == nil {
		p.Accept(";")
		if p.At.Kind != token.End {
			p.Expected("the end of the statement")
		}
		if p.assignees != nil {
			p.Refuse("INTO @variable is only allowed in a SELECT that is not part of another statement")
		}
	}
	if p.Failure != nil {
		return nil, p.Failure
	}
	if len(p.collated) > 0 {
		p.collates = p.collated[0].collation
	}
	if p.collates != "" {
		noteCollation(statement, p.collates)
	}
	return statement, nil
}

// noteCollation keeps a collation with the statement that names it. Statements that find rows have it among their
// hints, which are reported, too.
func noteCollation(statement tree.Statement, name string) {
	hint := tree.Hint{Name: tree.HintCollate, Argument: name}
	switch s := statement.(type) {
	case *tree.Select:
		s.Hints = append(s.Hints, hint)
	case *tree.SetOperation:
		noteCollation(s.Left, name)
	case *tree.Insert:
		s.Hints = append(s.Hints, hint)
	case *tree.Update:
		s.Hints = append(s.Hints, hint)
	case *tree.Delete:
		s.Hints = append(s.Hints, hint)
	case *tree.CreateTable:
		s.Collation = name
	case *tree.AlterTable:
		s.Collation = name
	case *tree.CreateDatabase:
		s.Collation = name
	}
}

// noteText looks at the name of a character set or a collation. Texts are UTF-8 and compare as bytes.
func (p *parser) noteText(name string) {
	switch lower := strings.ToLower(name); {
	case lower == "", lower == "default", lower == "binary", lower == "ascii", lower == "utf8", lower == "utf8mb3",
		lower == "utf8mb4", strings.HasSuffix(lower, "_bin"):
	default:
		p.collates = lower
	}
}

// listed reads elements with commas between them, and adds them to a list.
func listed[T any](p *parser, list []T, element func() T) []T {
	for {
		list = append(list, element())
		if !p.More() {
			return list
		}
	}
}

// table reads the name of a table, perhaps with its database.
func (p *parser) table() tree.Name {
	if p.At.Word == "table" { // as in examples: SELECT * FROM table
		return tree.Name{Name: p.AnyName("a table's name")}
	}
	n := tree.Name{Name: p.Name("a table's name")}
	if p.Accept(".") {
		n.Database, n.Name = n.Name, p.AnyName("a table's name")
	}
	return n
}
