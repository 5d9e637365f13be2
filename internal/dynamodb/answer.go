// SPDX-License-Identifier: Apache-2.0

package dynamodb

import (
	"strconv"

	"github.com/weftdb/weft"
	"github.com/weftdb/weft/internal/dynamodb/attributejson"
	"github.com/weftdb/weft/internal/expr"
)

// appendItemMember appends a member that is an item.
func appendItemMember(dst []byte, name string, row weft.Row, dictionary weft.Names) []byte {
	return attributejson.AppendItem(attributejson.AppendMember(dst, name), row, dictionary)
}

// project returns the part of a row that the request's projection asks for, the row itself if it has none. The result lives until the next call.
func (r *request) project(row weft.Row, dictionary weft.Names) (weft.Row, error) {
	if r.has&inProjection == 0 {
		return row, nil
	}
	return r.pick(r.paths, row, dictionary)
}

// pick returns what paths lead to in a row. The result lives until the next call.
func (r *request) pick(paths []expr.Path, row weft.Row, dictionary weft.Names) (weft.Row, error) {
	r.builder.Reset(dictionary)
	if err := expr.Project(paths, expr.Source{Row: row, Names: dictionary}, &r.builder); err != nil {
		return nil, err
	}
	r.shown = r.builder.AppendTo(r.shown[:0])
	return r.shown, nil
}

// Capacity units are counted in halves: an eventually consistent read of 4 KB is half a unit.
type halves int64

const (
	readUnitBytes  = 4 << 10
	writeUnitBytes = 1 << 10
)

// readUnits is what reading so many bytes costs; nothing costs as much as little.
func readUnits(bytes int64, consistent bool) halves {
	units := max(1, (bytes+readUnitBytes-1)/readUnitBytes)
	if consistent {
		return halves(2 * units)
	}
	return halves(units)
}

// writeUnits is what writing an item of so many bytes costs.
func writeUnits(bytes int) halves {
	return halves(2 * max(1, (bytes+writeUnitBytes-1)/writeUnitBytes))
}

// capacity is what one request cost on one table.
type capacity struct {
	table   halves
	indexes []indexCapacity
}

type indexCapacity struct {
	index *weft.Index
	units halves
}

// addWrite adds what a write cost: the larger of the item before and after, and what changed in each index.
func (c *capacity) addWrite(change *weft.Change) {
	c.table += writeUnits(max(change.Before, change.After))
	for i := range change.Indexes {
		x := &change.Indexes[i]
		switch {
		case !x.Written:
		case x.Moved:
			c.addIndex(x.Index, writeUnits(x.Before)+writeUnits(x.After))
		default:
			c.addIndex(x.Index, writeUnits(max(x.Before, x.After)))
		}
	}
}

func (c *capacity) addIndex(x *weft.Index, units halves) {
	for i := range c.indexes {
		if c.indexes[i].index.ID == x.ID {
			c.indexes[i].units += units
			return
		}
	}
	c.indexes = append(c.indexes, indexCapacity{x, units})
}

// total is the sum over the table and its indexes.
func (c *capacity) total() halves {
	sum := c.table
	for i := range c.indexes {
		sum += c.indexes[i].units
	}
	return sum
}

// wantsCapacity says whether the answer has a ConsumedCapacity.
func (r *request) wantsCapacity() bool {
	return r.returnCapacity == "TOTAL" || r.returnCapacity == "INDEXES"
}

// appendCapacity appends the member ConsumedCapacity, if the request wants it.
func (r *request) appendCapacity(dst []byte, table string, c *capacity) []byte {
	if !r.wantsCapacity() {
		return dst
	}
	return r.appendConsumed(attributejson.AppendMember(dst, "ConsumedCapacity"), table, c)
}

// appendConsumed appends one table's consumed capacity.
func (r *request) appendConsumed(dst []byte, table string, c *capacity) []byte {
	dst = attributejson.AppendString(attributejson.AppendMember(append(dst, '{'), "TableName"), []byte(table))
	dst = appendUnits(dst, c.total())
	if r.returnCapacity == "INDEXES" {
		dst = append(appendUnits(append(attributejson.AppendMember(dst, "Table"), '{'), c.table), '}')
		dst = c.appendIndexes(dst, "LocalSecondaryIndexes", true)
		dst = c.appendIndexes(dst, "GlobalSecondaryIndexes", false)
	}
	return append(dst, '}')
}

func (c *capacity) appendIndexes(dst []byte, member string, local bool) []byte {
	open := false
	for i := range c.indexes {
		one := &c.indexes[i]
		if one.index.Local != local {
			continue
		}
		if !open {
			dst, open = append(attributejson.AppendMember(dst, member), '{'), true
		} else {
			dst = append(dst, ',')
		}
		dst = attributejson.AppendString(dst, []byte(one.index.Name))
		dst = append(appendUnits(append(dst, ':', '{'), one.units), '}')
	}
	if open {
		dst = append(dst, '}')
	}
	return dst
}

func appendUnits(dst []byte, units halves) []byte {
	return strconv.AppendFloat(attributejson.AppendMember(dst, "CapacityUnits"), float64(units)/2, 'f', 1, 64)
}
