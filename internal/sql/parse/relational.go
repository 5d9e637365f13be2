// SPDX-License-Identifier: Apache-2.0

package parse

import (
	"strings"

	"github.com/weftdb/weft/internal/sql/parse/token"
	"github.com/weftdb/weft/internal/sql/tree"
)

// handOn returns the statement from an offset on as text for a relational engine, if it is lexically sound: comments are left
// out, hints stay behind the words that they follow, == is =, and UPSERT is INSERT. An EXPLAIN before it becomes one of it.
func (p *parser) handOn(start int) (tree.Statement, error) {
	r := &tree.Relational{Why: p.relational}
	var explain *tree.Explain
	p.relational, p.lexer = "", token.Lexer{Text: p.lexer.Text, At: start}
	p.advance()
	if p.is("explain") || p.is("describe") || p.is("desc") {
		explain = p.explainWords()
	}
	text, verb, depth := make([]byte, 0, len(p.source)-start), "", 0
	for ; p.at.Kind != token.End && (!p.is(";") || depth > 0); p.advance() {
		word := p.at.Word
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
			p.expected("an opening bracket before this one")
		}
		text = p.appendHints(p.appendToken(text))
	}
	if depth > 0 {
		p.expected("a closing bracket")
	}
	if p.accept(";") && p.at.Kind != token.End {
		p.expected("the end of the statement")
	}
	if p.failure != nil {
		return nil, p.failure
	}
	r.Text = string(text)
	switch verb {
	case "", "select", "table", "values", "with", "show", "describe", "desc", "explain":
		r.Reads = true
	}
	if explain == nil {
		return r, nil
	}
	explain.Of = r
	return explain, nil
}

// explainWords reads what stands between EXPLAIN and its statement.
func (p *parser) explainWords() *tree.Explain {
	e := &tree.Explain{}
	for p.advance(); p.at.Kind == token.Word; {
		switch p.at.Word {
		case "select", "insert", "upsert", "replace", "update", "delete", "with", "table", "values":
			if p.at.Word != "with" || p.peek().Word != "type" {
				return e
			}
		case "analyze":
			e.Analyze = true
		case "format":
			p.advance()
			p.accept("=")
			e.Format = strings.ToLower(p.sourceOf(p.at))
		}
		p.advance()
	}
	return e
}

// appendHints appends the hints that stand right behind the current token: they are part of what a view keeps, too.
func (p *parser) appendHints(text []byte) []byte {
	for {
		start, end, ok := p.lexer.Hints()
		if !ok {
			return text
		}
		text = append(append(append(text, " /*+"...), p.source[start:end]...), "*/ "...)
	}
}

// appendToken appends the current token, with a space before it if there was anything between it and the last one.
func (p *parser) appendToken(text []byte) []byte {
	if len(text) > 0 && p.at.Start > p.before {
		text = append(text, ' ')
	}
	switch p.at.Word {
	case "==":
		return append(text, '=')
	case "upsert":
		return append(text, "INSERT"...)
	}
	return append(text, p.sourceOf(p.at)...)
}
