// SPDX-License-Identifier: Apache-2.0

package kinesis

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/dynamodb/attributejson"
	"github.com/weftdb/weft/internal/history/capture"
)

// record is one of PutRecords. Data is written in base64.
type record struct {
	Data         []byte
	PartitionKey string
}

// batch is records that go to a destination together.
type batch struct {
	sender  *Sender
	to      *capture.DestinationState
	records []record
	bytes   int
}

// add takes a change, and reports whether there is room for another one.
func (b *batch) add(t capture.Table, r *capture.Record) bool {
	id := sha256.Sum256(fmt.Appendf(nil, "%s/%d/%d/%x", t.Table.Schema.UUID, r.At.Stamp, r.At.N, r.At.Key))
	key := sha256.Sum256(r.At.Key)
	one := record{Data: b.appendChange(nil, t, r, hex.EncodeToString(id[:16])),
		PartitionKey: hex.EncodeToString(key[:16])}
	b.records, b.bytes = append(b.records, one), b.bytes+len(one.Data)
	return len(b.records) < recordsMax && b.bytes < batchBytesMax
}

// appendChange writes a change as AWS does for Kinesis: without a sequence number and without a view type.
func (b *batch) appendChange(dst []byte, t capture.Table, r *capture.Record, id string) []byte {
	dst = append(dst, `{"awsRegion":"`+b.sender.Region+`","eventID":"`+id[:8]+"-"+id[8:12]+"-"+id[12:16]+"-"+id[16:20]+
		"-"+id[20:]+`","eventName":"`+r.EventName()+`","userIdentity":`...)
	if r.ByExpiry {
		dst = append(dst, `{"principalId":"dynamodb.amazonaws.com","type":"Service"}`...)
	} else {
		dst = append(dst, `null`...)
	}
	dst = append(dst, `,"recordFormat":"application/json","tableName":`...)
	dst = attributejson.AppendString(dst, []byte(t.Table.Schema.Name))
	dst = append(dst, `,"dynamodb":{"ApproximateCreationDateTime":`...)
	at, unit := r.AtMS, "MILLISECOND"
	if b.to.Micro {
		at, unit = 1000*at, "MICROSECOND"
	}
	dst = strconv.AppendInt(dst, at, 10)
	size := 0
	image := func(name string, row value.Row) {
		if row != nil {
			dst = append(dst, `,"`+name+`":`...)
			dst = attributejson.AppendItem(dst, row, t.Table.Names)
			size += row.Size()
		}
	}
	image("Keys", t.KeyAttributes(r.Key))
	image("NewImage", r.New)
	image("OldImage", r.Old)
	dst = strconv.AppendInt(append(dst, `,"SizeBytes":`...), int64(size), 10)
	return append(dst, `,"ApproximateCreationDateTimePrecision":"`+unit+`"},"eventSource":"aws:dynamodb"}`...)
}

// put sends the batch until all of it is taken. Records that are refused come again, and those behind them that were
// taken do not.
func (b *batch) put(ctx context.Context) error {
	left := b.records
	b.records, b.bytes = nil, 0
	for len(left) > 0 {
		n, size := 0, 0
		for n < len(left) && (n == 0 || size+len(left[n].Data) <= batchBytesMax) {
			size += len(left[n].Data)
			n++
		}
		var out struct {
			FailedRecordCount int
			Records           []struct{ ErrorCode, ErrorMessage string }
		}
		in := map[string]any{"StreamARN": b.to.ARN, "StreamName": nameOf(b.to.ARN), "Records": left[:n]}
		if err := b.sender.Service.Call(ctx, "PutRecords", in, &out); err != nil {
			return err
		}
		if out.FailedRecordCount == 0 {
			left = left[n:]
			continue
		}
		if len(out.Records) != n {
			return errors.New("the answer to PutRecords has another number of records than the request")
		}
		var again []record
		for i := range n {
			if out.Records[i].ErrorCode != "" {
				again = append(again, left[i])
			}
		}
		if len(again) == n { // nothing was taken: that it is too much at once is for a pause
			return fmt.Errorf("no record was taken by Kinesis: %s: %s", out.Records[0].ErrorCode,
				out.Records[0].ErrorMessage)
		}
		left = append(again, left[n:]...)
	}
	return nil
}

// nameOf is the name of a stream in its ARN.
func nameOf(arn string) string { return arn[strings.LastIndexByte(arn, '/')+1:] }
