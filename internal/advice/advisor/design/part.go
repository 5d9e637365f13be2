// SPDX-License-Identifier: Apache-2.0

package design

import (
	"slices"
	"strings"
)

// Part is one key attribute, taken apart: a plain attribute, or a function of attributes spelled in its name.
type Part struct {
	Name     string
	Function string // "" is a plain attribute
	Args     []Argument
	Order    string // of zorder(..; order=..): the owners of the first bits
	Alias    string // attribute whose values the part's attribute repeats; "" is none
}

// Argument is an attribute, with its encoding in zorder(..), or a literal of concat(..).
type Argument struct {
	Attribute string
	Literal   string
	Encoding  string
}

// functions are the words that make the name of a key attribute an expression. immutable
var functions = []string{"concat", "desc", "hash8", "hash32", "hash64", "reverse", "zorder"}

// ParsePart takes a key attribute's name apart. A name that is no well-formed expression is a plain attribute's.
func ParsePart(name string) Part {
	plain := Part{Name: name, Args: []Argument{{Attribute: name}}}
	open := strings.IndexByte(name, '(')
	if open < 0 || !strings.HasSuffix(name, ")") || !slices.Contains(functions, name[:open]) {
		return plain
	}
	p := Part{Name: name, Function: name[:open]}
	rest := name[open+1 : len(name)-1]
	if p.Function == "zorder" {
		list, order := cutAt(rest, ';')
		rest, p.Order = list, strings.TrimPrefix(strings.TrimSpace(strings.TrimPrefix(order, ";")), "order=")
	}
	for {
		text, after := cutAt(rest, ',')
		a, ok := parseArgument(strings.TrimSpace(text))
		if !ok {
			return plain
		}
		p.Args = append(p.Args, a)
		if after == "" {
			return p
		}
		rest = after[1:]
	}
}

// cutAt cuts text at the first separator outside of quotes and parentheses.
func cutAt(text string, separator byte) (before, rest string) {
	depth := 0
	var quote byte
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"':
			quote = c
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == separator && depth == 0:
			return text[:i], text[i:]
		}
	}
	return text, ""
}

func parseArgument(text string) (a Argument, ok bool) {
	switch {
	case text == "":
		return a, false
	case text[0] == '\'':
		a.Literal = unquote(text, "'")
		return a, true
	case text[0] == '"':
		end := strings.LastIndexByte(text, '"')
		if end == 0 {
			return a, false
		}
		a.Attribute, a.Encoding = unquote(text[:end+1], `"`), strings.TrimSpace(text[end+1:])
	default:
		a.Attribute, a.Encoding, _ = strings.Cut(text, " ")
		a.Encoding = strings.TrimSpace(a.Encoding)
	}
	return a, a.Attribute != ""
}

func unquote(text, quote string) string {
	text = strings.TrimSuffix(strings.TrimPrefix(text, quote), quote)
	return strings.ReplaceAll(text, quote+quote, quote)
}

// Attributes lists the attributes that the part is made of.
func (p Part) Attributes() []string {
	var names []string
	for _, a := range p.Args {
		if a.Attribute != "" {
			names = append(names, a.Attribute)
		}
	}
	return names
}

// Spell writes an attribute's name as an argument.
func Spell(name string) string {
	if strings.ContainsAny(name, `,;'"()`) || strings.TrimSpace(name) != name || strings.Contains(name, " ") {
		return `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
	}
	return name
}

// Concat spells a key part that joins attributes with a separator.
func Concat(separator string, names ...string) string {
	var b strings.Builder
	b.WriteString("concat(")
	for i, name := range names {
		if i > 0 {
			b.WriteString(",'" + strings.ReplaceAll(separator, "'", "''") + "',")
		}
		b.WriteString(Spell(name))
	}
	return b.String() + ")"
}

// Call spells a function of one attribute.
func Call(function, name string) string { return function + "(" + Spell(name) + ")" }

// Parts takes every name of a key apart.
func (k Key) Parts() []Part {
	list := make([]Part, len(k))
	for i, name := range k {
		list[i] = ParsePart(name)
	}
	return list
}

// Attributes lists the attributes that an item needs to be under the key.
func (k Key) Attributes() []string {
	var names []string
	for _, p := range k.Parts() {
		for _, name := range p.Attributes() {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// String prints the key: partition key, then sort key.
func (k Key) String() string { return strings.Join(k, " | ") }
