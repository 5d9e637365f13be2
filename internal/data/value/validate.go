// SPDX-License-Identifier: Apache-2.0

package value

import (
	"bytes"
	"unicode/utf8"

	"github.com/weftdb/weft/order"
)

// Validate reports whether v is exactly one value in its canonical form, of at most NestingMax levels. A missing value
// is ErrMalformed. The errors are ErrMalformed and ErrNesting.
func (v Value) Validate() error {
	rest, err := validate(v, 0)
	if err == nil && len(rest) > 0 {
		err = ErrMalformed
	}
	return err
}

// validate checks the first value of b, which stands inside outer documents, and returns what follows it.
func validate(b []byte, outer int) (rest []byte, err error) {
	v, rest, err := Cut(b)
	if err != nil {
		return nil, err
	}
	ok := true
	switch v.Kind() {
	case Number:
		ok = validNumber(v)
	case Float:
		ok = validFloat(v)
	case String:
		ok = utf8.Valid(v.Bytes())
	case StringSet, NumberSet, BinarySet:
		ok = validSet(v)
	case List, Map:
		err = validateDocument(v, outer+1)
	}
	if !ok {
		err = ErrMalformed
	}
	return rest, err
}

func validNumber(v Value) bool {
	_, rest, err := order.CutDecimal(v[1:])
	return err == nil && len(rest) == 0
}

func validFloat(v Value) bool {
	_, _, err := order.CutFloat(v[1:])
	return err == nil
}

func validSet(v Value) bool {
	count, body, ok := v.document()
	if !ok || count == 0 {
		return false
	}
	memberKind := v.Kind().MemberKind()
	var last Value
	for i := range count {
		member, rest, err := Cut(body)
		if err != nil || member.Kind() != memberKind || i > 0 && compareMembers(last, member) >= 0 {
			return false
		}
		if _, err := validate(member, 0); err != nil {
			return false
		}
		last, body = member, rest
	}
	return len(body) == 0
}

func validateDocument(v Value, level int) error {
	if level > NestingMax {
		return ErrNesting
	}
	count, body, ok := v.document()
	if !ok {
		return ErrMalformed
	}
	var last []byte
	for i := range count {
		if v.Kind() == Map {
			var name []byte
			if name, body, ok = cutString(body); !ok || i > 0 && bytes.Compare(last, name) >= 0 {
				return ErrMalformed
			}
			last = name
		}
		var err error
		if body, err = validate(body, level); err != nil {
			return err
		}
	}
	if len(body) > 0 {
		return ErrMalformed
	}
	return nil
}
