// SPDX-License-Identifier: Apache-2.0

package partiql

import (
	"strings"

	"github.com/weftdb/weft/internal/data/expr"
)

// update reads any number of SET and REMOVE, one at least.
func (p *parser) update(s *Statement) {
	s.Update = &expr.Update{}
	p.builder.Update = true
	var touched []expr.Path
	for {
		switch {
		case p.acceptKeyword("SET"):
			for touched = append(touched, p.assignment(s.Update)); p.accept(','); {
				touched = append(touched, p.assignment(s.Update))
			}
			continue
		case p.acceptKeyword("REMOVE"):
			for touched = append(touched, p.removal(s.Update)); p.accept(','); {
				touched = append(touched, p.removal(s.Update))
			}
			continue
		}
		break
	}
	if len(touched) == 0 {
		p.fail(unexpectedTerm)
	} else if err := p.builder.CheckPaths(touched); err != nil {
		p.noteError(err)
	}
	p.builder.Update = false
}

func (p *parser) removal(u *expr.Update) expr.Path {
	path := p.path()
	u.Remove = append(u.Remove, path)
	return path
}

// assignment reads what stands behind SET.
func (p *parser) assignment(u *expr.Update) expr.Path {
	path := p.path()
	p.expect('=')
	if name := strings.ToLower(p.word()); (name == "set_add" || name == "set_delete") && p.follows() == '(' {
		p.setFunction(u, &path, name)
		return path
	}
	x := p.operand()
	for sign, ok := signOf(p.current().kind); ok; sign, ok = signOf(p.current().kind) {
		p.advance()
		sum, err := p.builder.Sum(sign, x, p.operand())
		if x = sum; err != nil {
			p.noteError(err)
		}
	}
	u.Set = append(u.Set, expr.SetAction{Path: path, To: x})
	return path
}

func signOf(kind tokenKind) (expr.Sign, bool) {
	switch kind {
	case '+':
		return expr.Plus, true
	case '-':
		return expr.Minus, true
	}
	return 0, false
}

// setFunction reads set_add or set_delete, whose first argument is the assigned path, and whose second a set.
func (p *parser) setFunction(u *expr.Update, path *expr.Path, name string) {
	call, upper := p.current(), strings.ToUpper(name)
	p.advance()
	p.advance()
	first := p.current()
	var arguments []expr.Operand
	p.members(')', func() { arguments = append(arguments, p.operand()) })
	if p.fault != nil {
		return
	}
	if len(arguments) != 2 {
		p.note(upper + " must have exactly two arguments at " + position(p.text, call))
		return
	}
	if of, ok := arguments[0].(*expr.Path); !ok || expr.ComparePaths(of, path) != 0 {
		p.note("The first argument to " + upper + " must equal the assignment value at " + position(p.text, call))
		return
	}
	set, ok := arguments[1].(*expr.Literal)
	if !ok || !set.Value.Kind().IsSet() {
		p.note("The second argument to " + upper + " must be a value with type SET at " + position(p.text, first))
		return
	}
	if name == "set_add" {
		u.Add = append(u.Add, expr.AddAction{Path: *path, Value: set.Value})
	} else {
		u.Delete = append(u.Delete, expr.DeleteAction{Path: *path, Value: set.Value})
	}
}

// isReserved reports whether a word is one of PartiQL's own, which is no name behind a dot without quotes.
func isReserved(word string) bool {
	return len(word) <= reservedLengthMax && strings.Contains(reserved, " "+strings.ToLower(word)+" ")
}

const reservedLengthMax = 17

// reserved are the words of SQL-92 and those that PartiQL adds.
const reserved = " absolute action add all allocate alter and any are as asc assertion at authorization avg begin between bit bit_length by cascade cascaded " +
	"case cast catalog char character character_length char_length check close coalesce collate collation column commit connect connection constraint " +
	"constraints continue convert corresponding count create cross current current_date current_time current_timestamp current_user cursor date deallocate " +
	"dec decimal declare default deferrable deferred delete desc describe descriptor diagnostics disconnect distinct domain double drop else end except " +
	"exception exec execute exists external extract false fetch first float for foreign found from full get global go goto grant group having identity " +
	"immediate in indicator initially inner input insensitive insert int integer intersect interval into is isolation join key language last left level " +
	"like local lower match max min module names national natural nchar next no not null nullif numeric octet_length of on only open option or order outer " +
	"output overlaps pad partial position precision prepare preserve primary prior privileges procedure public read real references relative restrict " +
	"revoke right rollback rows schema scroll section select session session_user set size smallint some space sql sqlcode sqlerror sqlstate substring sum " +
	"system_user table temporary then time timestamp to transaction translate translation trim true union unique unknown update upper usage user using " +
	"value values varchar varying view when whenever where with work write zone missing pivot unpivot limit tuple remove index conflict do nothing " +
	"returning modified new old let bool boolean string symbol clob blob struct list sexp bag "
