// SPDX-License-Identifier: Apache-2.0

package dynamodb

import (
	"github.com/weftdb/weft"
	"github.com/weftdb/weft/internal/dynamodb/attributejson"
	"github.com/weftdb/weft/internal/dynamodb/layer"
	"github.com/weftdb/weft/internal/dynamodb/metering"
	"github.com/weftdb/weft/internal/expr"
)

// appendItemMember appends a member that is an item.
func appendItemMember(dst []byte, name string, row weft.Row, dictionary weft.Names) []byte {
	return attributejson.AppendItem(attributejson.AppendMember(dst, name), row, dictionary)
}

// project returns the part of a row that the request's projection asks for, the row itself if it has none. The result lives until the next call.
func (r *request) project(row weft.Row, dictionary weft.Names) (weft.Row, error) {
	if r.has&layer.Projected == 0 {
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

// wantsCapacity says whether the answer has a ConsumedCapacity.
func (r *request) wantsCapacity() bool { return metering.Wanted(r.returnCapacity) }

// appendCapacity appends the member ConsumedCapacity, if the request wants it.
func (r *request) appendCapacity(dst []byte, table string, c *metering.Capacity) []byte {
	if !r.wantsCapacity() {
		return dst
	}
	return c.Append(attributejson.AppendMember(dst, "ConsumedCapacity"), r.returnCapacity, table)
}
