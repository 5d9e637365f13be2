// SPDX-License-Identifier: Apache-2.0

package function

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/fault"
)

// patterns are the functions of regular expressions. // immutable
var patterns = map[string]Function{
	"regexp_like":    {Min: 2, Max: 3, Result: isBoolean, Apply: regexpLike},
	"regexp_instr":   {Min: 2, Max: 6, Result: isInteger, Apply: regexpPlace},
	"regexp_substr":  {Min: 2, Max: 5, Result: isText, Apply: regexpPart},
	"regexp_replace": {Min: 3, Max: 6, Result: isText, Apply: regexpReplace},
}

// compilePattern compiles a pattern with the letters that say how it matches: c, i, m, n, u.
func (e *Environment) compilePattern(pattern datum.Datum, a []datum.Datum, mode int) (*Regular, error) {
	text := e.TextOf(pattern)
	flags := ""
	if mode < len(a) {
		for _, c := range e.TextOf(a[mode]) {
			switch c {
			case 'c':
				flags = strings.ReplaceAll(flags, "i", "")
			case 'i':
				flags += "i"
			case 'm':
				flags += "m"
			case 'n':
				flags += "s"
			case 'u':
			default:
				return nil, fault.New(fault.WrongArguments, "regexp_like")
			}
		}
	}
	if len(text) == 0 {
		return nil, fault.New(fault.RegexpSyntax, "Illegal argument to a regular expression.")
	}
	if flags != "" {
		text = append([]byte("(?"+flags+")"), text...)
	}
	return e.Regexp(text)
}

func regexpLike(e *Environment, a []datum.Datum) (datum.Datum, error) {
	r, err := e.compilePattern(a[1], a, 2)
	if err != nil {
		return datum.Null, err
	}
	is, err := e.Matches(r, e.TextOf(a[0]))
	return datum.Bool(is), err
}

// numberAt is an argument that may be left out.
func numberAt(a []datum.Datum, i, otherwise int) int {
	if i >= len(a) {
		return otherwise
	}
	return clampInt(a[i])
}

// match finds the n-th match from a position on, counted in characters from 1; place is nil if there is none. An error
// says that the position lies outside the text.
func (e *Environment) match(a []datum.Datum, r *Regular, from, n int) (text []byte, place []int, err error) {
	text = e.TextOf(a[0])
	if from < 1 || from > utf8.RuneCount(text)+1 {
		return text, nil, fault.New(fault.RegexpSyntax, "Index out of bounds in regular expression search.")
	}
	start := unit(false).offset(text, from-1)
	n = max(n, 1)
	err = e.each(r, text[start:], func(found []int) bool {
		if n--; n == 0 {
			place = []int{start + found[0], start + found[1]}
		}
		return n > 0
	})
	return text, place, err
}

func regexpPlace(e *Environment, a []datum.Datum) (datum.Datum, error) {
	r, err := e.compilePattern(a[1], a, 5)
	if err != nil {
		return datum.Null, err
	}
	text, place, err := e.match(a, r, numberAt(a, 2, 1), numberAt(a, 3, 1))
	if err != nil || place == nil {
		return datum.Int(0), err
	}
	end := 0
	if numberAt(a, 4, 0) != 0 {
		end = 1
	}
	return datum.Int(int64(utf8.RuneCount(text[:place[end]]) + 1)), nil
}

func regexpPart(e *Environment, a []datum.Datum) (datum.Datum, error) {
	r, err := e.compilePattern(a[1], a, 4)
	if err != nil {
		return datum.Null, err
	}
	text, place, err := e.match(a, r, numberAt(a, 2, 1), numberAt(a, 3, 1))
	if err != nil || place == nil {
		return datum.Null, err
	}
	return datum.Text(text[place[0]:place[1]]), nil
}

// regexpReplace replaces all matches, or the n-th; $1 in the replacement is the match of the first group.
func regexpReplace(e *Environment, a []datum.Datum) (datum.Datum, error) {
	r, err := e.compilePattern(a[1], a, 5)
	if err != nil {
		return datum.Null, err
	}
	text, from, n := e.TextOf(a[0]), numberAt(a, 3, 1), numberAt(a, 4, 0)
	if from < 1 || from > utf8.RuneCount(text)+1 {
		return datum.Null, fault.New(fault.RegexpSyntax, "Index out of bounds in regular expression search.")
	}
	with := template(e.TextOf(a[2]))
	start := unit(false).offset(text, from-1)
	rest := text[start:]
	dst := append(e.arena, text[:start]...)
	last, met := 0, 0
	err = e.each(r, rest, func(found []int) bool {
		if met++; n > 0 && met != n {
			return met < n
		}
		dst = append(dst, rest[last:found[0]]...)
		dst = r.compiled.Expand(dst, with, rest, found)
		last = found[1]
		return len(dst)-len(e.arena) <= PacketMax
	})
	if err != nil || len(dst)-len(e.arena) > PacketMax {
		return datum.Null, err
	}
	return e.TextOrNull(append(dst, rest[last:]...))
}

// template makes ${1} of $1, and $$ of a dollar that no digit follows, as Expand wants them; a backslash takes the next
// character as it is.
func template(with []byte) []byte {
	if !bytes.ContainsAny(with, `$\`) {
		return with
	}
	var out []byte
	for i := 0; i < len(with); i++ {
		switch c := with[i]; {
		case c == '\\' && i+1 < len(with):
			i++
			if with[i] == '$' {
				out = append(out, '$')
			}
			out = append(out, with[i])
		case c == '$' && i+1 < len(with) && with[i+1]-'0' <= 9:
			i++
			out = append(out, '$', '{', with[i], '}')
		case c == '$':
			out = append(out, '$', '$')
		default:
			out = append(out, c)
		}
	}
	return out
}
