// SPDX-License-Identifier: Apache-2.0

package indexkey

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
)

// ErrMalformed says that bytes are no key of the index: they were damaged, or belong to another index.
var ErrMalformed = errors.New("indexkey: malformed key; check that it belongs to this index")

// TypeError says that a value cannot be what the key part needs.
type TypeError struct {
	Part   *schema.KeyPart
	Column string      // the column that holds the value; "" if the value was given for a computed part
	Want   schema.Type // AnyType: a string, number or binary
	Got    value.Kind
	// Codec is the codec that can't read Bytes, the value of the column; AsIs where that is not the reason. Row is the
	// row's key as people read it, if it is known.
	Codec value.Codec
	Bytes []byte
	Row   string
}

// misfit is the error of a column's value that is not of the type that a part wants of it.
func misfit(p *schema.KeyPart, a *schema.Argument, want schema.Type, v value.Value) *TypeError {
	e := &TypeError{Part: p, Column: a.Column, Want: want, Got: v.Kind()}
	if a.Codec != value.AsIs && e.Got == value.Binary {
		e.Codec, e.Bytes = a.Codec, bytes.Clone(v.Bytes())
	}
	return e
}

func (e *TypeError) Error() string {
	if e.Codec != value.AsIs {
		where := e.Column
		if e.Row != "" {
			where += " of the row with the key " + e.Row
		}
		return fmt.Sprintf("indexkey: key part %s needs %s, and the bytes %x of %s are none; write such bytes, or drop the index", e.Part.Name, strings.ToUpper(e.Codec.String()), e.Bytes, where)
	}
	if e.Got.IsNumeric() && e.Want != schema.Bool && Accepts(e.Want, e.Got) {
		return fmt.Sprintf("indexkey: key part %s of type %s has no place for the number in %s; write one in its range, without a fraction if it needs an integer",
			e.Part.Name, e.Want, e.column())
	}
	return fmt.Sprintf("indexkey: key part %s needs a value of type %s, and %s is of type %s; write that type or leave it out",
		e.Part.Name, e.Want, e.column(), e.Got)
}

func (e *TypeError) column() string {
	return cmp.Or(e.Column, "the value given")
}

// IsMisfit reports whether an error is about a row whose attributes have no place in an index.
func IsMisfit(err error) bool {
	_, typed := errors.AsType[*TypeError](err)
	_, empty := errors.AsType[*EmptyError](err)
	_, sized := errors.AsType[*SizeError](err)
	return typed || empty || sized
}

// EmptyError says that a string or binary of no length stands where a key needs one.
type EmptyError struct{ Part *schema.KeyPart }

func (e *EmptyError) Error() string {
	return fmt.Sprintf("indexkey: key part %s is empty; a key needs at least one character", e.Part.Name)
}

// SizeError says that a value is too long for its key part; for a hash part, that it has not exactly the hash's length.
type SizeError struct {
	Part            *schema.KeyPart
	Bytes, BytesMax int
}

func (e *SizeError) Error() string {
	if width := fixedWidth(e.Part); width > 0 {
		return fmt.Sprintf("indexkey: key part %s is %d bytes, not %d", e.Part.Name, width, e.Bytes)
	}
	return fmt.Sprintf("indexkey: key part %s has %d bytes; at most %d fit", e.Part.Name, e.Bytes, e.BytesMax)
}

// TooManyError says that bounds stand for more spans than the caller allows.
type TooManyError struct {
	Part  *schema.KeyPart // the part whose bounds went beyond the limit
	Parts int             // how many parts stand before it, the hidden one counted
	Spans int             // how many spans it would have been, at least
	Limit int
}

func (e *TooManyError) Error() string {
	return fmt.Sprintf("indexkey: the bounds up to key part %s are %d spans or more, and %d are allowed; name fewer values", e.Part.Name, e.Spans, e.Limit)
}
