// SPDX-License-Identifier: Apache-2.0

package dynamodb

import (
	"slices"
	"strconv"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/dynamodb/attributejson"
	"github.com/weftdb/weft/internal/dynamodb/itemkey"
)

// This file counts what requests cost in DynamoDB's capacity units and writes it into answers. throttle.go limits it.

// capacityUnits are counted in halves: an eventually consistent read of 4 KB is half a unit.
type capacityUnits int64

const (
	readUnitBytes  = 4 << 10
	writeUnitBytes = 1 << 10
)

// readUnits returns the cost of reading so many bytes; reading nothing costs as much as reading little.
func readUnits(bytes int64, consistent bool) capacityUnits {
	units := max(1, (bytes+readUnitBytes-1)/readUnitBytes)
	if consistent {
		return capacityUnits(2 * units)
	}
	return capacityUnits(units)
}

// writeUnits returns the cost of writing an item of so many bytes.
func writeUnits(bytes int) capacityUnits {
	return capacityUnits(2 * max(1, (bytes+writeUnitBytes-1)/writeUnitBytes))
}

// tableCapacity is the cost of one request on one table.
type tableCapacity struct {
	table   capacityUnits // of the table itself
	indexes []indexCapacity
	// sort names the units of a transaction besides their sum, "ReadCapacityUnits" or "WriteCapacityUnits"; ""
	// elsewhere.
	sort string
}

type indexCapacity struct {
	index *schema.Index
	units capacityUnits
}

// addWrite adds what a write cost: the larger of the item before and after, and what changed in each index.
func (c *tableCapacity) addWrite(change *database.Change) {
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

// add adds another cost of the same table.
func (c *tableCapacity) add(one *tableCapacity) {
	c.table += one.table
	for i := range one.indexes {
		c.addIndex(one.indexes[i].index, one.indexes[i].units)
	}
}

// addIndex adds units to those of an index.
func (c *tableCapacity) addIndex(x *schema.Index, units capacityUnits) {
	for i := range c.indexes {
		if c.indexes[i].index.ID == x.ID {
			c.indexes[i].units += units
			return
		}
	}
	c.indexes = append(c.indexes, indexCapacity{x, units})
}

// total is the sum over the table and its indexes.
func (c *tableCapacity) total() capacityUnits {
	sum := c.table
	for i := range c.indexes {
		sum += c.indexes[i].units
	}
	return sum
}

// isCapacityWanted reports whether a value of ReturnConsumedCapacity asks for anything.
func isCapacityWanted(mode string) bool { return mode == "TOTAL" || mode == "INDEXES" }

// append appends the ConsumedCapacity of one table: the sum, and with the mode INDEXES also its parts.
func (c *tableCapacity) append(dst []byte, mode, table string) []byte {
	dst = attributejson.AppendString(attributejson.AppendMember(append(dst, '{'), "TableName"), []byte(table))
	dst = c.appendUnits(dst, c.total())
	if mode == "INDEXES" {
		dst = append(c.appendUnits(append(attributejson.AppendMember(dst, "Table"), '{'), c.table), '}')
		dst = c.appendIndexes(dst, "LocalSecondaryIndexes", true)
		dst = c.appendIndexes(dst, "GlobalSecondaryIndexes", false)
	}
	return append(dst, '}')
}

func (c *tableCapacity) appendIndexes(dst []byte, member string, local bool) []byte {
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

func (c *tableCapacity) appendUnits(dst []byte, units capacityUnits) []byte {
	dst = appendFloat(attributejson.AppendMember(dst, "CapacityUnits"), units)
	if c.sort != "" {
		dst = appendFloat(attributejson.AppendMember(dst, c.sort), units)
	}
	return dst
}

func appendFloat(dst []byte, units capacityUnits) []byte {
	return strconv.AppendFloat(dst, float64(units)/2, 'f', 1, 64)
}

// tableCosts are the costs of a transaction on its tables, in the order in which it names them. The zero value has
// none.
type tableCosts []tableCost

type tableCost struct {
	table *schema.Table
	tableCapacity
}

// of returns the cost of a table, to be added to. sort names its units: see tableCapacity.sort.
func (c *tableCosts) of(table *schema.Table, sort string) *tableCapacity {
	for i := range *c {
		if (*c)[i].table.ID == table.ID {
			return &(*c)[i].tableCapacity
		}
	}
	*c = append(*c, tableCost{table, tableCapacity{sort: sort}})
	return &(*c)[len(*c)-1].tableCapacity
}

// append appends ConsumedCapacity, if the mode asks for it.
func (c tableCosts) append(dst []byte, mode string) []byte {
	if !isCapacityWanted(mode) {
		return dst
	}
	dst = append(attributejson.AppendMember(dst, "ConsumedCapacity"), '[')
	for i := range c {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = c[i].tableCapacity.append(dst, mode, c[i].table.Name)
	}
	return append(dst, ']')
}

// collections are the item collections that a request has written to, by table. The zero value is none.
type collections []tableCollections

type tableCollections struct {
	table string
	shown []string // as JSON, each once
}

// add adds a collection of a table, as JSON, unless it is there already. shown is not kept.
func (c *collections) add(table string, shown []byte) {
	at := slices.IndexFunc(*c, func(t tableCollections) bool { return t.table == table })
	if at < 0 {
		at = len(*c)
		*c = append(*c, tableCollections{table: table})
	}
	t := &(*c)[at]
	if !slices.Contains(t.shown, string(shown)) {
		t.shown = append(t.shown, string(shown))
	}
}

// append appends ItemCollectionMetrics, if the mode is SIZE.
func (c collections) append(dst []byte, mode string) []byte {
	if mode != "SIZE" {
		return dst
	}
	dst = append(attributejson.AppendMember(dst, "ItemCollectionMetrics"), '{')
	for i := range c {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(attributejson.AppendString(dst, []byte(c[i].table)), ':', '[')
		for j, shown := range c[i].shown {
			if j > 0 {
				dst = append(dst, ',')
			}
			dst = append(dst, shown...)
		}
		dst = append(dst, ']')
	}
	return append(dst, '}')
}

// appendItemMember appends a member that is an item.
func appendItemMember(dst []byte, name string, row value.Row, dictionary value.Names) []byte {
	return attributejson.AppendItem(attributejson.AppendMember(dst, name), row, dictionary)
}

// append appends the member ConsumedCapacity, if the request wants it.
func (m *returnConsumedCapacity) append(dst []byte, table string, c *tableCapacity) []byte {
	if !m.isWanted() {
		return dst
	}
	return c.append(attributejson.AppendMember(dst, "ConsumedCapacity"), m.value, table)
}

// appendCollection appends one item collection: the key of a partition of r's table, which row has, and an estimate of
// its size in gigabytes.
func (r *request) appendCollection(dst []byte, row value.Row) []byte {
	dst = append(dst, `{"ItemCollectionKey":{`...)
	partition := r.pin.Descriptor().Primary.Partition()
	for i := range partition {
		v, _ := itemkey.Value(row, r.pin.Names(), &partition[i])
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(attributejson.AppendString(dst, []byte(itemkey.AttributeName(&partition[i]))), ':')
		dst = attributejson.AppendValue(dst, v)
	}
	return append(dst, `},"SizeEstimateRangeGB":[0.0,1.0]}`...)
}

// addCollection adds the collection of a row that was written to the table. Only tables with local indexes have any.
func (t *target) addCollection(c *collections, row value.Row) {
	if itemkey.HasLocal(t.pin.Descriptor()) {
		c.add(t.table.value, t.appendCollection(nil, row))
	}
}
