// SPDX-License-Identifier: Apache-2.0

package database

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"slices"

	"github.com/weftdb/weft/internal/rows/record"
)

// ErrPosition is wrapped by the error of a Position that the index at hand has no place for: it was made on another
// one, or of other bytes.
var ErrPosition = errors.New("the position belongs to another table or index, or it is no position")

// Position returns the place of the last entry examined, for Query.Position; nil if none was. It is shorter than
// LastKey and made without looking at the key, for callers that want one for each item.
func (c *Cursor) Position() []byte {
	if c.walk.Last() == nil {
		return nil
	}
	return append(binary.AppendUvarint(nil, uint64(c.index.ID)), c.walk.Last()...)
}

// IndexAt names the index that a Position was made on. Errors: ErrPosition.
func (p Pinned) IndexAt(position []byte) (string, error) {
	id, size := binary.Uvarint(position)
	if size > 0 && id <= math.MaxUint32 {
		if x, ok := p.table.IndexByID(uint32(id)); ok && !x.Internal {
			_, err := p.positionKey(x, position)
			return x.Name, err
		}
	}
	return "", &Error{Kind: KindInvalid, Table: p.name(), Err: ErrPosition}
}

// positionKey is the relative key that a Position on the index names. Positions come from outside: only the very bytes
// of a key are taken.
func (p Pinned) positionKey(x *record.Index, position []byte) ([]byte, error) {
	id, size := binary.Uvarint(position)
	if size > 0 && id == uint64(x.ID) {
		key := slices.Clone(position[size:])
		if row, err := p.table.DecodeKey(nil, x, key); err == nil {
			again, err := p.resumeKey(x, row)
			if err == nil && bytes.Equal(again, key) {
				return key, nil
			}
		}
	}
	return nil, &Error{Kind: KindInvalid, Table: p.name(), Err: ErrPosition}
}
