// SPDX-License-Identifier: Apache-2.0

package value

import (
	"context"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/weftdb/weft/internal/sql/datum"
)

// key is the type of what an index's column is compared with. The engine converts such values to the column's type, rounding them, and takes what it finds
// for equal to the value before: 0.5 for 1. Here they stay as they are; whoever owns the table compares them.
type key struct{ columnType }

// columnType is a type that is embedded beside its method Type.
type columnType = sql.Type

// KeyType is the type of a column's keys in an index.
func KeyType(column sql.Type) sql.Type { return key{column} }

// Convert implements sql.Type.
func (k key) Convert(_ context.Context, v any) (any, sql.ConvertInRange, error) {
	return v, sql.InRange, nil
}

// Compare implements sql.Type.
func (k key) Compare(ctx context.Context, a, b any) (int, error) {
	x, xIs := numberOf(a)
	y, yIs := numberOf(b)
	if xIs && yIs {
		return datum.Order(x, y), nil
	}
	return k.columnType.Compare(ctx, a, b)
}

// Promote implements sql.Type.
func (k key) Promote() sql.Type { return k }
