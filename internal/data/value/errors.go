// SPDX-License-Identifier: Apache-2.0

package value

import "errors"

var (
	// ErrMalformed says that bytes are not an encoded value or row.
	ErrMalformed = errors.New("value: malformed encoding; the bytes were damaged or written by a newer version")
	// ErrNesting says that a document nests deeper than NestingMax.
	ErrNesting = errors.New("value: lists and maps may nest 31 levels deep; flatten the document")
	// ErrDuplicateName says that a map or a row was given one name twice.
	ErrDuplicateName = errors.New("value: a name occurs twice; give each attribute once")
	// ErrDuplicateMember says that a set was given one member twice.
	ErrDuplicateMember = errors.New("value: a set holds a member twice; give each member once")
	// ErrEmptySet says that a set was given no members. No set is empty: remove the attribute instead.
	ErrEmptySet = errors.New("value: a set needs a member; leave an empty set out")
	// ErrUnknownName says that a row holds an id that the dictionary does not know: the dictionary is older than the
	// row.
	ErrUnknownName = errors.New("value: the row names an attribute unknown to the dictionary; read the dictionary again")
)
