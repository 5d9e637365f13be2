// SPDX-License-Identifier: Apache-2.0

package weft

import (
	"regexp"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
)

// Type is the type of a declared column.
type Type uint8

// The types.
const (
	TypeString    Type = iota + 1
	TypeNumber         // a decimal number of up to 38 digits
	TypeBinary         // bytes
	TypeBool           // true or false
	TypeInt            // 64 bits
	TypeFloat          // 64 bits
	TypeTimestamp      // milliseconds; time.Time in Go
)

// internal returns the type as schemas name it. The zero Type takes strings, numbers and binaries.
func (t Type) internal() schema.Type {
	types := [...]schema.Type{
		schema.AnyType, schema.String, schema.Number, schema.Binary, schema.Bool, schema.Int, schema.Float,
		schema.Timestamp,
	}
	return types[min(int(t), len(types)-1)]
}

// KeyPart is one component of a key: an attribute, or something computed of attributes. A part that can't be made
// carries its fault to the call that uses it, which fails with KindInvalid.
type KeyPart struct {
	part schema.KeyPart
	err  error
}

// Key joins parts to a key.
func Key(parts ...KeyPart) []KeyPart { return parts }

// String returns the key part of a string attribute, or of an expression such as `concat(day,'#',user)` or
// `reverse(id)`.
func String(attribute string) KeyPart { return partOf(attribute, schema.String) }

// Number returns the key part of an attribute that is a decimal number, or of an expression such as `hash32(id)`.
func Number(attribute string) KeyPart { return partOf(attribute, schema.Number) }

// Binary returns the key part of a binary attribute.
func Binary(attribute string) KeyPart { return partOf(attribute, schema.Binary) }

// Bool returns the key part of an attribute that is true or false.
func Bool(attribute string) KeyPart { return partOf(attribute, schema.Bool) }

// Int returns the key part of an attribute that is an integer of 64 bits.
func Int(attribute string) KeyPart { return partOf(attribute, schema.Int) }

// Float returns the key part of an attribute that is a floating-point number of 64 bits.
func Float(attribute string) KeyPart { return partOf(attribute, schema.Float) }

// Timestamp returns the key part of an attribute that is a time.Time.
func Timestamp(attribute string) KeyPart { return partOf(attribute, schema.Timestamp) }

// ZOrder returns the key part that interleaves the bits of several attributes, declared as in docs/zorder.md: "lat
// lat, lon lon, population u64". The first of them has the first bit.
func ZOrder(attributes string) KeyPart { return partOf("zorder("+attributes+")", schema.Binary) }

// Words returns a field of a search index: the words of some attributes together, cut by an analyzer such as
// "standard", "english" or "cjk".
func Words(analyzer string, attributes ...string) KeyPart {
	part, err := database.Words(analyzer, attributes...)
	return KeyPart{part, err}
}

func partOf(name string, t schema.Type) KeyPart {
	part, err := database.Part(name, t)
	if err == nil && !part.Computed() && !part.Descending && call.MatchString(name) {
		err = invalid("", "key part "+name+": there is no such function; there are desc, concat, hash8, hash32, hash64,"+
			" reverse and zorder")
	}
	return KeyPart{part, err}
}

// call matches a text that looks like a function of attributes. // immutable
var call = regexp.MustCompile(`^[A-Za-z]\w*\(.*\)$`)

// Desc returns the part in descending order.
func (p KeyPart) Desc() KeyPart {
	if p.err != nil {
		return p
	}
	return partOf("desc("+p.part.Name+")", p.part.Type)
}

// String returns the part's attribute or expression, by which conditions name it.
func (p KeyPart) String() string { return p.part.Name }

// schemaParts are the parts of a key. Errors: that of the first part which has one.
func schemaParts(parts []KeyPart) ([]schema.KeyPart, error) {
	in := make([]schema.KeyPart, len(parts))
	for i := range parts {
		if parts[i].err != nil {
			return nil, public(parts[i].err)
		}
		in[i] = parts[i].part
	}
	return in, nil
}

func keyParts(in []schema.KeyPart) []KeyPart {
	parts := make([]KeyPart, len(in))
	for i := range in {
		parts[i] = KeyPart{part: in[i]}
	}
	return parts
}
