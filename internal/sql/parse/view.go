// SPDX-License-Identifier: Apache-2.0

package parse

import (
	"github.com/weftdb/weft/internal/sql/parse/token"
	"github.com/weftdb/weft/internal/sql/tree"
)

// createView reads CREATE [OR REPLACE] .. VIEW behind its first words.
func (p *parser) createView(replace bool) tree.Statement {
	return p.view(&tree.CreateView{OrReplace: replace})
}

// alterView reads ALTER .. VIEW behind its first word.
func (p *parser) alterView() tree.Statement {
	return p.view(&tree.CreateView{Alter: true})
}

// view reads [ALGORITHM = ..] [DEFINER = ..] [SQL SECURITY ..] VIEW name [(columns)] AS query.
func (p *parser) view(v *tree.CreateView) tree.Statement {
	p.viewOptions()
	p.Expect("view")
	v.View = p.table()
	if p.Is("(") {
		p.List(func() { v.Columns = append(v.Columns, p.Name("a column")) })
	}
	p.Expect("as")
	v.Query = p.query()
	if p.Is("with") {
		p.Refuse("WITH CHECK OPTION is not supported: rows that are written through a view need not meet its condition")
	}
	return v
}

// viewOptions reads what a view may have before its name. It changes nothing here: the rights of who reads a view
// count.
func (p *parser) viewOptions() {
	if p.Accept("algorithm") {
		p.Expect("=")
		if p.AcceptAny("undefined", "merge", "temptable") == "" {
			p.Expected("UNDEFINED, MERGE or TEMPTABLE")
		}
	}
	if p.Accept("definer") {
		p.Expect("=")
		p.definer()
	}
	if p.Accepts("sql", "security") && p.AcceptAny("definer", "invoker") == "" {
		p.Expected("DEFINER or INVOKER")
	}
}

// definer reads user [@host] and CURRENT_USER [()].
func (p *parser) definer() {
	if p.Accept("current_user") {
		if p.Accept("(") {
			p.Expect(")")
		}
		return
	}
	p.Word("a user's name")
	if p.At.Kind == token.Variable {
		p.Advance()
	}
}

// dropView reads DROP VIEW.
func (p *parser) dropView() tree.Statement {
	p.Expect("view")
	s := &tree.DropView{IfExists: p.ifExists(), Views: listed(p, nil, p.table)}
	p.AcceptAny("restrict", "cascade")
	return s
}
