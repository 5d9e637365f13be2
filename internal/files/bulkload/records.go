// SPDX-License-Identifier: Apache-2.0

package bulkload

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/storage"
)

// Place is a position in an object: everything before it is done.
type Place struct {
	Offset int64 `json:"offset,omitempty"` // bytes, unpacked
	Line   int64 `json:"line,omitempty"`   // lines before it
}

// Records reads the records of one object, in their order, for loads that put them as they come. It is used by one
// goroutine.
type Records struct {
	cutter  *cutter
	decoder decoder
	read    atomic.Int64
	rest    []byte // of the block
	at      Place
}

// OpenRecords opens an object of DynamoDB's JSON or of Ion, and goes to a place. Errors: the storage's, and those of
// what is packed.
func OpenRecords(ctx context.Context, from storage.Storage, name string, format Format, packing Compression,
	at Place) (*Records, error) {
	r := &Records{at: at, decoder: &dynamoDecoder{}}
	switch format {
	case DynamoDB:
	case Ion:
		r.decoder = &ionDecoder{}
	default:
		return nil, fmt.Errorf("records of the format %q are not read one by one", format)
	}
	s := &source{name: name, from: from, items: -1}
	var err error
	r.cutter, err = newCutter(ctx, s, &Options{Format: format, Packing: packing},
		position{Offset: at.Offset, Line: at.Line}, &r.read)
	return r, err
}

// Next returns the next record that is not empty, and its line; ok is false at the end. The record's bytes are the
// caller's.
func (r *Records) Next() (record []byte, line int64, ok bool, err error) {
	for {
		if len(r.rest) == 0 {
			b, more, err := r.cutter.next()
			if err != nil || !more {
				return nil, 0, false, err
			}
			r.rest = b.data
		}
		block := r.rest
		var before, lines int64
		record, r.rest, before, lines = r.cutter.plan.cut(block)
		line = r.at.Line + 1 + before
		r.at.Offset, r.at.Line = r.at.Offset+int64(len(block)-len(r.rest)), r.at.Line+lines
		if len(record) > 0 {
			return record, line, true, nil
		}
	}
}

// Place is behind the record that Next returned last.
func (r *Records) Place() Place { return r.at }

// BytesRead returns the number of bytes read of the object as it is stored.
func (r *Records) BytesRead() int64 { return r.read.Load() }

// Decode builds the item of a record.
func (r *Records) Decode(record []byte, b *value.RowBuilder) error {
	return r.decoder.decode(record, b)
}

// Close closes the object.
func (r *Records) Close() error { return r.cutter.in.close() }
