// SPDX-License-Identifier: Apache-2.0

package hbasethrift

import (
	"context"
	"encoding/binary"

	"github.com/apache/thrift/lib/go/thrift"

	"github.com/weftdb/weft/internal/hbase"
	"github.com/weftdb/weft/internal/server/hbasethrift/hbase2"
)

// answerWith leaves the results of a call to be written at once, in place of the list that Thrift's code writes, which is empty. Thrift's own code calls the
// protocol a dozen times for a cell.
func answerWith(ctx context.Context, results []hbase.Result) []*hbase2.TResult_ {
	callOf(ctx).results = results
	return []*hbase2.TResult_{}
}

// WriteListBegin implements thrift.TProtocol. The call's results follow if it has left any.
func (p *bounded) WriteListBegin(ctx context.Context, of thrift.TType, size int) error {
	x := callOf(ctx)
	to, ok := p.Transport().(*thrift.TMemoryBuffer)
	if len(x.results) == 0 || !ok {
		return p.TProtocol.WriteListBegin(ctx, of, size)
	}
	results := x.results
	x.results = nil
	if err := p.TProtocol.WriteListBegin(ctx, of, len(results)); err != nil {
		return err
	}
	appendResult := appendBinary
	if p.isCompact() {
		appendResult = appendCompact
	}
	to.Grow(roomOf(results))
	bytes := to.AvailableBuffer()
	for i := range results {
		bytes = appendResult(bytes, &results[i])
	}
	_, err := to.Write(bytes)
	return err
}

func (p *bounded) isCompact() bool {
	_, ok := p.TProtocol.(*thrift.TCompactProtocol)
	return ok
}

// roomOf is about how many bytes results take in either protocol; no fewer.
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

// appendBinary appends a TResult in the binary protocol: each field as its type, its number in two bytes, and its value.
func appendBinary(dst []byte, r *hbase.Result) []byte {
	if r.Row != nil {
		dst = appendBytes(append(dst, thrift.STRING, 0, 1), r.Row)
	}
	dst = binary.BigEndian.AppendUint32(append(dst, thrift.LIST, 0, 2, thrift.STRUCT), uint32(len(r.Cells)))
	for i := range r.Cells {
		c := &r.Cells[i]
		dst = appendBytes(append(dst, thrift.STRING, 0, 1), c.Family)
		dst = appendBytes(append(dst, thrift.STRING, 0, 2), c.Qualifier)
		dst = appendBytes(append(dst, thrift.STRING, 0, 3), c.Value)
		dst = binary.BigEndian.AppendUint64(append(dst, thrift.I64, 0, 4), uint64(c.AtMS))
		dst = append(dst, thrift.BYTE, 0, 6, typePut, thrift.STOP)
	}
	if r.Partial {
		dst = append(dst, thrift.BOOL, 0, 4, 1)
	}
	return append(dst, thrift.STOP)
}

func appendBytes(dst, text []byte) []byte {
	return append(binary.BigEndian.AppendUint32(dst, uint32(len(text))), text...)
}

// The compact protocol's numbers of types.
const (
	compactTrue   = 1
	compactByte   = 3
	compactI32    = 5
	compactI64    = 6
	compactBinary = 8
	compactList   = 9
	compactStruct = 12
)

// appendCompact appends a TResult in the compact protocol: each field as one byte, how far its number is from the one before and its type, and its value.
func appendCompact(dst []byte, r *hbase.Result) []byte {
	const step = 0x10
	list := byte(2*step | compactList)
	if r.Row != nil {
		dst = appendCounted(append(dst, step|compactBinary), r.Row)
		list = step | compactList
	}
	if n := len(r.Cells); n < 15 {
		dst = append(dst, list, byte(n)<<4|compactStruct)
	} else {
		dst = binary.AppendUvarint(append(dst, list, 0xf0|compactStruct), uint64(n))
	}
	for i := range r.Cells {
		c := &r.Cells[i]
		dst = appendCounted(append(dst, step|compactBinary), c.Family)
		dst = appendCounted(append(dst, step|compactBinary), c.Qualifier)
		dst = appendCounted(append(dst, step|compactBinary), c.Value)
		dst = binary.AppendVarint(append(dst, step|compactI64), c.AtMS)
		dst = append(dst, 2*step|compactByte, typePut, thrift.STOP)
	}
	if r.Partial {
		dst = append(dst, 2*step|compactTrue)
	}
	return append(dst, thrift.STOP)
}

func appendCounted(dst, text []byte) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(text))), text...)
}
