// SPDX-License-Identifier: Apache-2.0

package parse

import (
	"github.com/weftdb/weft/internal/sql/parse/token"
	"github.com/weftdb/weft/internal/sql/tree"
)

// handOn returns the statement from an offset on as text for a relational engine, if it is lexically sound: comments are left
// out, hints stay behind the words that they follow, == is =, and UPSERT is INSERT. An EXPLAIN before it becomes one of it. Its tree goes with
// it, if it could be read.
func (p *parser) handOn(start int, read tree.Statement) (tree.Statement, error) {
	r := &tree.Relational{Why: p.Relational}
	if p.Failure == nil {
		r.Tree = read
	}
	if p.explain != nil {
		start = p.explained
		if r.Tree != nil {
			r.Tree = p.explain.Of
		}
	}
	p.Failure, p.Relational, p.Lexer = nil, "", token.Lexer{Text: p.Lexer.Text, Mode: p.Lexer.Mode, At: start}
	p.Advance()
	r.Views = p.Is("create") || p.Is("alter") || p.Is("drop")
	text, verb, depth := make([]byte, 0, len(p.Source)-start), "", 0
	var last [4]string
	for ; p.At.Kind != token.End && (!p.Is(";") || depth > 0); p.Advance() {
		word := p.At.Word
		copy(last[:], last[1:])
		last[3] = word
		r.Updates = r.Updates || last == [4]string{"on", "duplicate", "key", "update"}
		switch word {
		case "(":
			depth++
		case ")":
			depth--
		case "select", "insert", "upsert", "replace", "update", "delete", "table", "values":
			if verb == "" && depth == 0 || verb == "with" && depth == 0 {
				verb = word
			}
		default:
			if verb == "" && depth == 0 {
				verb = word
			}
		}
		if depth < 0 {
			p.Expected("an opening bracket before this one")
		}
		text = p.appendHints(p.appendToken(text), r)
	}
	if depth > 0 {
		p.Expected("a closing bracket")
	}
	if p.Accept(";") && p.At.Kind != token.End {
		p.Expected("the end of the statement")
	}
	if p.Failure != nil {
		return nil, p.Failure
	}
	r.Text = string(text)
	switch verb {
	case "", "select", "table", "values", "with", "show", "describe", "desc", "explain", "union", "except", "intersect", "order", "limit":
		r.Reads = true
	}
	if p.explain == nil {
		return r, nil
	}
	p.explain.Of = r
	return p.explain, nil
}

// Relational reads any statement as one for a relational engine, such as a SELECT that turns out to be over a view. Errors: 1064.
func (d Dialect) Relational(text []byte) (*tree.Relational, error) {
	p := &parser{Reader: d.Mode.NewReader(text)}
	read, err := p.handOn(0, nil)
	if err != nil {
		return nil, err
	}
	return read.(*tree.Relational), nil
}

// appendHints appends the hints that stand right behind the current token: they are part of what a view keeps, too.
func (p *parser) appendHints(text []byte, r *tree.Relational) []byte {
	for {
		start, end, ok := p.Lexer.Hints()
		if !ok {
			return text
		}
		text = append(append(append(text, " /*+"...), p.Source[start:end]...), "*/ "...)
		inner := &parser{Reader: p.Part(start, end)}
		r.Hints = append(r.Hints, inner.hintList()...)
	}
}

// appendToken appends the current token as the default dialect spells it, with a space before it if there was anything between it and the last one.
func (p *parser) appendToken(text []byte) []byte {
	if len(text) == 0 && p.Is("upsert") {
		return append(text, "INSERT"...)
	}
	if len(text) > 0 && p.At.Start > p.Before {
		text = append(text, ' ')
	}
	switch {
	case p.Is("=="):
		return append(text, '=')
	case p.Is(token.Pipes):
		p.Refuse("|| joins no texts in statements over several tables: use CONCAT")
	case p.At.Kind == token.Quoted && p.Source[p.At.Start] == '"':
		return tree.AppendName(text, p.NameOf(p.At))
	case p.At.Kind == token.Text && p.At.Raw:
		return tree.AppendText(text, token.Literal(p.Lexer.Text, p.At, false).Bytes())
	}
	return append(text, p.SourceOf(p.At)...)
}
