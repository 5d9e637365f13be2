// SPDX-License-Identifier: Apache-2.0

package dynamodb

import (
	"github.com/weftdb/weft"
	"github.com/weftdb/weft/internal/dynamodb/attributejson"
	"github.com/weftdb/weft/internal/dynamodb/itemkey"
	"github.com/weftdb/weft/internal/dynamodb/metering"
)

// appendCollection appends one item collection: the key of a partition of r's table, which row has, and an estimate of its size in
// gigabytes.
func (r *request) appendCollection(dst []byte, row weft.Row) []byte {
	dst = append(dst, `{"ItemCollectionKey":{`...)
	partition := r.pin.Descriptor().Primary.Partition()
	for i := range partition {
		v, _ := itemkey.Value(row, r.pin.Names(), &partition[i])
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(attributejson.AppendString(dst, []byte(itemkey.Shown(&partition[i]))), ':')
		dst = attributejson.AppendValue(dst, v)
	}
	return append(dst, `},"SizeEstimateRangeGB":[0.0,1.0]}`...)
}

// noteCollection adds the collection of a row that was written to r's table. Only tables with local indexes have any.
func (r *request) noteCollection(c *metering.Collections, row weft.Row) {
	if itemkey.HasLocal(r.pin.Descriptor()) {
		c.Add(r.tableName, r.appendCollection(nil, row))
	}
}
