// SPDX-License-Identifier: Apache-2.0

package dynamodb

import (
	"slices"

	"github.com/weftdb/weft"
	"github.com/weftdb/weft/internal/dynamodb/attributejson"
	"github.com/weftdb/weft/internal/dynamodb/itemkey"
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

// collections are the item collections that a request has written to, by table. Only tables with local indexes have any.
type collections []tableCollections

type tableCollections struct {
	table string
	shown []string // as JSON, each once
}

// add adds the collection of a row that was written to r's table.
func (c *collections) add(r *request, row weft.Row) {
	if !hasLocal(r.pin.Descriptor()) {
		return
	}
	at := slices.IndexFunc(*c, func(t tableCollections) bool { return t.table == r.tableName })
	if at < 0 {
		at = len(*c)
		*c = append(*c, tableCollections{table: r.tableName})
	}
	t := &(*c)[at]
	if shown := string(r.appendCollection(nil, row)); !slices.Contains(t.shown, shown) {
		t.shown = append(t.shown, shown)
	}
}

// append appends ItemCollectionMetrics, if mode is SIZE.
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

func hasLocal(table *weft.Descriptor) bool {
	for i := range table.Indexes {
		if table.Indexes[i].Local {
			return true
		}
	}
	return false
}
