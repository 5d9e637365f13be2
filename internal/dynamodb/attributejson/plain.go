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
