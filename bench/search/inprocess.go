// SPDX-License-Identifier: Apache-2.0

package main

import (
	"database/sql"

	_ "github.com/weftdb/weft/weftsql" // the driver
)

// openInProcess opens a store of Weft in this process, to count.
func openInProcess(dir string) (engine, error) {
	db, err := sql.Open("weft", "file:"+dir+"?database="+database)
	if err != nil {
		return nil, err
	}
	return &embedded{db: db, counts: true, argument: func(q *query) string {
		text, _ := q.inMode()
		return text
	}, ask: func(kind string) string {
		_, mode := (&query{kind: kind}).inMode()
		return selectCount + matches("?", mode)
	}}, nil
}
