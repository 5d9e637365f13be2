// SPDX-License-Identifier: Apache-2.0

package codec

import (
	"errors"
	"fmt"
)

var (
	// ErrType says that a value has a type that the codec does not take.
	ErrType = errors.New("codec: the value's type is not the attribute's; leave the row out of the index, or declare another type")
	// ErrNull says that there is no value, and that the codec keeps no code for that.
	ErrNull = errors.New("codec: no value; leave the row out of the index, or declare the attribute with nulls=first")
	// ErrInstant says that a text is not an ISO 8601 date or time.
	ErrInstant = errors.New("codec: not an ISO 8601 date or time; write 2024-05-31, 2024-W22-5, 2024-152 or 2024-05-31T23:59:59.5+02:00")
	// ErrWide says that codes have more than 64 bits.
	ErrWide = errors.New("codec: these codes have more than 64 bits; use AppendCode and AppendRange")
	// ErrCondition says that a condition has no range of codes in this order, such as begins_with for numbers.
	ErrCondition = errors.New("codec: this condition selects no range in the attribute's order; leave the attribute unbound")
	// ErrSample says that there was no value to learn from.
	ErrSample = errors.New("codec: the sample holds no value; use codec=raw until there are rows")
	// ErrCorrupt says that the stored form of a codec is damaged.
	ErrCorrupt = errors.New("codec: the stored codec is damaged or was not written by this package; restore it, or rebuild its index")
	// ErrUnicode says that a stored nfc codec was made with another edition of Unicode, in which normal forms may
	// differ.
	ErrUnicode = errors.New("codec: the stored nfc codec is of another Unicode edition; rebuild its index with a new codec")
)

// ParseError says where and why a list of attributes cannot be read, and what to write instead.
type ParseError struct {
	Text   string // the whole list
	Offset int    // where in Text, in bytes
	Reason string
}

func (e *ParseError) Error() string {
	return fmt.Sprintf("codec: at byte %d of %q: %s", e.Offset, e.Text, e.Reason)
}

// AttributeError says what is wrong with an Attribute that was not parsed but made.
type AttributeError struct {
	Name   string
	Reason string
}

func (e *AttributeError) Error() string {
	return fmt.Sprintf("codec: attribute %q: %s", e.Name, e.Reason)
}
