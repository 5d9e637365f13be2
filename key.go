// SPDX-License-Identifier: Apache-2.0

package weft

import (
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/zorder/codec"
)

// Type is the type of a key part or of a declared column.
type Type uint8

// The types.
const (
	String    = Type(schema.String)
	Number    = Type(schema.Number)
	Binary    = Type(schema.Binary)
	Bool      = Type(schema.Bool)
	Int       = Type(schema.Int)
	Float     = Type(schema.Float)
	Timestamp = Type(schema.Timestamp)
)

// KeyPart is one component of a key: an attribute, or something computed of attributes.
type KeyPart struct{ part schema.KeyPart }

// String returns the part's name or expression.
func (p KeyPart) String() string { return p.part.Name }

// Columns makes plain key parts of pairs of a name (string) and a Type. It panics on anything else, since the arguments are literals of the program.
func Columns(pairs ...any) []KeyPart {
	parts := make([]KeyPart, 0, len(pairs)/2)
	for i := 0; i+1 < len(pairs); i += 2 {
		part, err := Part(pairs[i].(string), pairs[i+1].(Type))
		if err != nil {
			panic(err) // lint:invariant the arguments are literals of the program
		}
		parts = append(parts, part)
	}
	return parts
}

// Part makes a key part of a column's name or of an expression such as `concat(day,'#',user)`, `hash32(id)`, `reverse(id)` or `desc(at)`. Errors:
// KindInvalid.
func Part(name string, t Type) (KeyPart, error) {
	part, err := database.Part(name, schema.Type(t))
	return KeyPart{part}, err
}

// ZOrder makes a key part that interleaves the bits of several attributes, the first of which has the first bit: see docs/zorder.md. Errors: KindInvalid.
func ZOrder(attributes ...codec.Attribute) (KeyPart, error) {
	part, err := database.ZOrder(attributes...)
	return KeyPart{part}, err
}

// Words makes a field of a search index: the words of some attributes together, cut by an analyzer such as "standard", "english" or "cjk". Errors: KindInvalid.
func Words(analyzer string, attributes ...string) (KeyPart, error) {
	part, err := database.Words(analyzer, attributes...)
	return KeyPart{part}, err
}

func schemaParts(parts []KeyPart) []schema.KeyPart {
	in := make([]schema.KeyPart, len(parts))
	for i := range parts {
		in[i] = parts[i].part
	}
	return in
}

func keyParts(in []schema.KeyPart) []KeyPart {
	parts := make([]KeyPart, len(in))
	for i := range in {
		parts[i] = KeyPart{in[i]}
	}
	return parts
}
