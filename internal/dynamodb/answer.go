// SPDX-License-Identifier: Apache-2.0

package dynamodb

import (
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/dynamodb/attributejson"
	"github.com/weftdb/weft/internal/dynamodb/itemkey"
)

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
