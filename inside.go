// SPDX-License-Identifier: Apache-2.0

package weft

import (
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/database/inside"
)

// Inside is for the other packages of this module, which serve SQL and DynamoDB's API over the same database. Programs
// can't name its argument.
func (db *DB) Inside(inside.Key) *database.DB { return db.db }
