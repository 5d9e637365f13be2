// SPDX-License-Identifier: Apache-2.0

// Package metering counts what requests cost in DynamoDB's capacity units and writes it into answers. Nothing is limited by it.
//
// Knows: the units of reads and writes, ConsumedCapacity.
// Never: requests, items, stores.
package metering

import (
	"strconv"

	"github.com/weftdb/weft"
	"github.com/weftdb/weft/internal/dynamodb/attributejson"
)

// Units are capacity units, counted in halves: an eventually consistent read of 4 KB is half a unit.
type Units int64

const (
	readUnitBytes  = 4 << 10
	writeUnitBytes = 1 << 10
)

// ReadUnits is what reading so many bytes costs; nothing costs as much as little.
func ReadUnits(bytes int64, consistent bool) Units {
	units := max(1, (bytes+readUnitBytes-1)/readUnitBytes)
	if consistent {
		return Units(2 * units)
	}
	return Units(units)
}

// WriteUnits is what writing an item of so many bytes costs.
func WriteUnits(bytes int) Units {
	return Units(2 * max(1, (bytes+writeUnitBytes-1)/writeUnitBytes))
}

// Capacity is what one request cost on one table.
type Capacity struct {
	Table   Units // of the table itself
	indexes []indexCapacity
	// Sort names the units of a transaction beside their sum, "ReadCapacityUnits" or "WriteCapacityUnits"; "" elsewhere.
	Sort string
}

type indexCapacity struct {
	index *weft.Index
	units Units
}

// AddWrite adds what a write cost: the larger of the item before and after, and what changed in each index.
func (c *Capacity) AddWrite(change *weft.Change) {
	c.Table += WriteUnits(max(change.Before, change.After))
	for i := range change.Indexes {
		x := &change.Indexes[i]
		switch {
		case !x.Written:
		case x.Moved:
			c.AddIndex(x.Index, WriteUnits(x.Before)+WriteUnits(x.After))
		default:
			c.AddIndex(x.Index, WriteUnits(max(x.Before, x.After)))
		}
	}
}

// AddIndex adds units to those of an index.
func (c *Capacity) AddIndex(x *weft.Index, units Units) {
	for i := range c.indexes {
		if c.indexes[i].index.ID == x.ID {
			c.indexes[i].units += units
			return
		}
	}
	c.indexes = append(c.indexes, indexCapacity{x, units})
}

// Total is the sum over the table and its indexes.
func (c *Capacity) Total() Units {
	sum := c.Table
	for i := range c.indexes {
		sum += c.indexes[i].units
	}
	return sum
}

// IsWanted says whether a value of ReturnConsumedCapacity asks for anything.
func IsWanted(mode string) bool { return mode == "TOTAL" || mode == "INDEXES" }

// Append appends the ConsumedCapacity of one table: the sum, and with the mode INDEXES also its parts.
func (c *Capacity) Append(dst []byte, mode, table string) []byte {
	dst = attributejson.AppendString(attributejson.AppendMember(append(dst, '{'), "TableName"), []byte(table))
	dst = c.appendUnits(dst, c.Total())
	if mode == "INDEXES" {
		dst = append(c.appendUnits(append(attributejson.AppendMember(dst, "Table"), '{'), c.Table), '}')
		dst = c.appendIndexes(dst, "LocalSecondaryIndexes", true)
		dst = c.appendIndexes(dst, "GlobalSecondaryIndexes", false)
	}
	return append(dst, '}')
}

func (c *Capacity) appendIndexes(dst []byte, member string, local bool) []byte {
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
		dst = append(c.appendUnits(append(dst, ':', '{'), one.units), '}')
	}
	if open {
		dst = append(dst, '}')
	}
	return dst
}

func (c *Capacity) appendUnits(dst []byte, units Units) []byte {
	dst = appendFloat(attributejson.AppendMember(dst, "CapacityUnits"), units)
	if c.Sort != "" {
		dst = appendFloat(attributejson.AppendMember(dst, c.Sort), units)
	}
	return dst
}

func appendFloat(dst []byte, units Units) []byte {
	return strconv.AppendFloat(dst, float64(units)/2, 'f', 1, 64)
}
