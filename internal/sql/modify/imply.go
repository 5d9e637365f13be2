// SPDX-License-Identifier: Apache-2.0

package modify

import (
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/fault"
)

// imply adds what columns hold that take no NULL and have no default: the first value of an ENUM in a table of MySQL's
// kind, and others if the statement stores what fits, with a warning for the first row.
func (i *insert) imply(w *work, g *givenRow, cells []cell) ([]cell, error) {
	fits := w.call.Lax || w.call.ignores
	for _, at := range i.lacking {
		column := &i.table.Columns[at]
		chosen := column.Type.Variety == datum.Enum && i.table.InsertFails
		implied, ok := datum.Fit(datum.Null, column.Type)
		if !ok || !fits && !chosen {
			continue
		}
		v, err := i.storeStrictly(w.call, column, implied, g.at)
		if err != nil {
			return nil, err
		}
		if !chosen && g.at == 1 {
			w.warn(fault.NoDefault, "%s", fault.New(fault.NoDefault, column.Name).Message)
		}
		cells = append(cells[:len(cells):len(cells)], cell{name: []byte(column.Name), value: v})
	}
	return cells, nil
}
