// SPDX-License-Identifier: Apache-2.0

package design

import (
	"slices"
	"strings"

	"github.com/weftdb/weft/internal/data/keytext"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/zorder/codec"
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

// ParsePart takes a key attribute's name apart. A name that is no well-formed expression is a plain attribute's.
func ParsePart(name string) Part {
	plain := Part{Name: name, Args: []Argument{{Attribute: name}}}
	function, _, _ := strings.Cut(name, "(")
	kind := schema.Binary
	if function == "concat" || function == "reverse" || function == "desc" {
		kind = schema.String
	}
	part, computed, err := keytext.Parse(name, kind)
	if !computed || err != nil {
		return plain
	}
	p := Part{Name: name, Function: function}
	if function != "zorder" {
		for _, a := range part.Args {
			p.Args = append(p.Args, Argument{Attribute: a.Column, Literal: a.Literal})
		}
		return p
	}
	attributes, order, err := keytext.Attributes(&part)
	if err != nil {
		return plain
	}
	p.Order = strings.TrimPrefix(order, "order=")
	for _, a := range attributes {
		name := strings.TrimSuffix(codec.Attribute{Name: a.Name, Type: a.Type}.String(), a.Type.String())
		p.Args = append(p.Args, Argument{Attribute: a.Name, Encoding: strings.TrimPrefix(a.String(), name)})
	}
	return p
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
