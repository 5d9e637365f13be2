// SPDX-License-Identifier: Apache-2.0

package attributejson

import (
	"fmt"

	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/order"
)

// Plain reads JSON that says nothing of DynamoDB's types, and appends it to dst in package value's encoding: strings,
// numbers, truth values, null, lists and maps. There is no plain JSON for sets and binaries. Errors: those of syntax,
// value.ErrNesting and value.ErrDuplicateName, and one for a number that DynamoDB can't hold exactly.
func (r *Reader) Plain(dst []byte) ([]byte, error) { return r.plain(dst, 0) }

func (r *Reader) plain(dst []byte, outer int) ([]byte, error) {
	token := r.Peek()
	if outer == value.NestingMax && (token == TokenObject || token == TokenArray) {
		return dst, value.ErrNesting
	}
	switch token {
	case TokenString:
		s, err := r.String()
		return value.AppendString(dst, s), err
	case TokenNumber:
		return r.plainNumber(dst)
	case TokenTrue, TokenFalse:
		b, err := r.Bool()
		return value.AppendBool(dst, b), err
	case TokenObject:
		return r.plainMap(dst, outer)
	case TokenArray:
		return r.plainList(dst, outer)
	case TokenNull:
		return value.AppendNull(dst), r.Skip()
	}
	return dst, r.Skip() // its error says what is wrong
}

func (r *Reader) plainNumber(dst []byte) ([]byte, error) {
	s, err := r.Number()
	if err != nil {
		return dst, err
	}
	d, err := order.ParseDecimal(s)
	if err != nil {
		return dst, fmt.Errorf("%.60s is not a valid number: %w", s, err)
	}
	return value.AppendNumber(dst, d), nil
}

func (r *Reader) plainMap(dst []byte, outer int) ([]byte, error) {
	start := len(dst)
	dst = value.BeginMap(dst)
	if err := r.BeginObject(); err != nil {
		return dst, err
	}
	for {
		name, ok, err := r.NextKey()
		if err != nil {
			return dst, err
		}
		if !ok {
			return value.EndMap(dst, start)
		}
		if dst, err = r.plain(value.AppendName(dst, name), outer+1); err != nil {
			return dst, err
		}
	}
}

func (r *Reader) plainList(dst []byte, outer int) ([]byte, error) {
	start := len(dst)
	dst = value.BeginList(dst)
	if err := r.BeginArray(); err != nil {
		return dst, err
	}
	for {
		ok, err := r.NextElement()
		if err != nil {
			return dst, err
		}
		if !ok {
			return value.EndList(dst, start)
		}
		if dst, err = r.plain(dst, outer+1); err != nil {
			return dst, err
		}
	}
}

// LooksTyped reports whether the object that a text begins with has members that look like attribute values, as in
// {"id":{"N":"1"}}, and none that does not. The text may end within it.
func LooksTyped(text []byte) bool {
	r := NewReader(text)
	if r.BeginObject() != nil {
		return false
	}
	for n := 0; ; n++ {
		_, ok, err := r.NextKey()
		if !ok || err != nil {
			return n > 0
		}
		typed, err := r.looksTyped()
		if err != nil {
			return n > 0
		}
		if !typed {
			return false
		}
	}
}

// LooksTypedValue is LooksTyped for an attribute value alone, which must be whole.
func LooksTypedValue(text []byte) bool {
	typed, err := NewReader(text).looksTyped()
	return typed && err == nil
}

// looksTyped reads a value, and reports whether it is an object of one member that is named after a type and has what
// belongs to that.
func (r *Reader) looksTyped() (bool, error) {
	if err := r.BeginObject(); err != nil {
		return false, nil
	}
	name, ok, err := r.NextKey()
	if !ok || err != nil {
		return false, err
	}
	if !beginsPayload(kindOf(name), r.Peek()) {
		return false, nil
	}
	if err := r.Skip(); err != nil {
		return false, err
	}
	_, more, err := r.NextKey()
	return !more, err
}

// beginsPayload reports whether a token begins what an attribute value of a kind has.
func beginsPayload(kind value.Kind, token Token) bool {
	switch kind {
	case value.String, value.Number, value.Binary:
		return token == TokenString
	case value.Bool, value.Null:
		return token == TokenTrue || token == TokenFalse
	case value.Map:
		return token == TokenObject
	case value.List, value.StringSet, value.NumberSet, value.BinarySet:
		return token == TokenArray
	}
	return false
}
