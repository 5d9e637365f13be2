// SPDX-License-Identifier: Apache-2.0

package hbasethrift

import (
	"github.com/weftdb/weft/internal/hbase"
	"github.com/weftdb/weft/internal/hbase/filter"
	"github.com/weftdb/weft/internal/server/thriftwire"
)

// typePut is the type of cells that hold a value. HBase's Java API can't tell the type of a cell without one.
const typePut = 4

// The answers of Thrift2's calls on rows. immutable
var (
	givesResult  = structOf("TResult", writeResult)
	givesResults = answer[[]hbase.Result]{"list<TResult>", writeResults}
	givesFound   = answer[[]bool]{"list<bool>", writeFound}
	givesNone    = listOf("TDelete", func(*thriftwire.Writer, *hbase.Delete) {})
)

func writeResults(w *thriftwire.Writer, results []hbase.Result) {
	w.Grow(roomOf(results))
	w.List(0, thriftwire.Struct, len(results))
	for i := range results {
		writeResult(w, &results[i])
	}
}

// roomOf is about the number of bytes results that take in either protocol; no fewer.
func roomOf(results []hbase.Result) (n int) {
	const perResult, perCell = 24, 40
	for i := range results {
		r := &results[i]
		n += perResult + len(r.Row)
		for j := range r.Cells {
			c := &r.Cells[j]
			n += perCell + len(c.Family) + len(c.Qualifier) + len(c.Value)
		}
	}
	return n
}

// writeResult writes a TResult.
func writeResult(w *thriftwire.Writer, r *hbase.Result) {
	outer := w.Open()
	if r.Row != nil {
		w.Binary(1, r.Row)
	}
	w.List(2, thriftwire.Struct, len(r.Cells))
	w.Extend(func(dst []byte) []byte { return appendCells(dst, r.Cells) },
		func(dst []byte) []byte { return appendCompactCells(dst, r.Cells) })
	if r.Partial {
		w.Bool(4, true)
	}
	w.Close(outer)
}

// appendCells appends TColumnValues in the binary protocol. A scan is of little else, and a Writer would take twice
// the time.
func appendCells(dst []byte, cells []filter.Cell) []byte {
	for i := range cells {
		c := &cells[i]
		dst = thriftwire.AppendBinary(dst, 1, c.Family)
		dst = thriftwire.AppendBinary(dst, 2, c.Qualifier)
		dst = thriftwire.AppendBinary(dst, 3, c.Value)
		dst = thriftwire.AppendI64(dst, 4, c.AtMS)
		dst = append(dst, byte(thriftwire.Byte), 0, 6, typePut, byte(thriftwire.Stop))
	}
	return dst
}

// appendCompactCells is appendCells in the compact protocol.
func appendCompactCells(dst []byte, cells []filter.Cell) []byte {
	const twoByte = 2<<4 | 3 // the head of a field of type Byte, two numbers after the one before
	for i := range cells {
		c := &cells[i]
		dst = thriftwire.AppendCompactBinary(dst, 1, c.Family)
		dst = thriftwire.AppendCompactBinary(dst, 1, c.Qualifier)
		dst = thriftwire.AppendCompactBinary(dst, 1, c.Value)
		dst = thriftwire.AppendCompactI64(dst, 1, c.AtMS)
		dst = append(dst, twoByte, typePut, byte(thriftwire.Stop))
	}
	return dst
}

func writeFound(w *thriftwire.Writer, found []bool) {
	w.List(0, thriftwire.Bool, len(found))
	for _, is := range found {
		w.PutBool(is)
	}
}
