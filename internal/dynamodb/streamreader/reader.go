// SPDX-License-Identifier: Apache-2.0

// Package streamreader reads the streams of a table through DynamoDB Streams, shard after shard, and knows where it
// goes on.
//
// Knows: streams, shards and their parents, iterators, positions.
// Never: what is done with records.
package streamreader

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/weftdb/weft/internal/dynamodb/remote"
)

// Record is a change as GetRecords shows it.
type Record struct {
	EventID      string          `json:"eventID"`
	EventName    string          `json:"eventName"`
	EventVersion string          `json:"eventVersion"`
	EventSource  string          `json:"eventSource"`
	AWSRegion    string          `json:"awsRegion"`
	Change       Change          `json:"dynamodb"`
	UserIdentity json.RawMessage `json:"userIdentity,omitempty"`
}

// Change is the change of an item in a record.
type Change struct {
	AtSeconds      float64                    `json:"ApproximateCreationDateTime"`
	Keys           map[string]json.RawMessage `json:"Keys"`
	NewImage       map[string]json.RawMessage `json:"NewImage,omitempty"`
	OldImage       map[string]json.RawMessage `json:"OldImage,omitempty"`
	SequenceNumber string                     `json:"SequenceNumber"`
	SizeBytes      int64                      `json:"SizeBytes"`
	StreamViewType string                     `json:"StreamViewType"`
}

// Position is a reader's position in streams. It is JSON, so that a program can keep it and go on later.
type Position struct {
	Stream string           `json:"stream"` // its ARN; "": none yet
	Shards map[string]Shard `json:"shards"`
}

// Shard is a reader's position in a shard.
type Shard struct {
	After string `json:"after,omitempty"` // the sequence number of the last record; "": none
	Ended bool   `json:"ended,omitempty"` // none comes any more
}

// ErrNoStream is returned for a table that has no stream.
var ErrNoStream = errors.New("the table has no stream")

// Reader reads the streams of a table. It is used by one goroutine.
type Reader struct {
	Streams *remote.Service
	Table   string
	// FromNow leaves out what there is when the first poll begins, unless a position was given.
	FromNow bool
	// Kept says that the position is kept for later, so that it must tell where now is, even if no change comes. Then
	// FromNow reads all that there is, once.
	Kept     bool
	Position Position
	// Lost is called when records were too old before they were read.
	Lost func(shard string)

	iterators map[string]string // by shard
}

type shard struct {
	ID     string `json:"ShardId"`
	Parent string `json:"ParentShardId"`
}

// Poll reads what is new and calls handle with pages of it. When handle returns nil, the position is behind the page. n
// is the number of records read; ended says that the table's last stream is switched off and read to its end. Errors:
// ErrNoStream, handle's, those of the service.
func (r *Reader) Poll(ctx context.Context,
	handle func(ctx context.Context, shard string, records []Record) error) (n int, ended bool, err error) {
	if r.Position.Stream == "" {
		if err := r.begin(ctx); err != nil {
			return 0, false, err
		}
	}
	n, done, err := r.pollStream(ctx, handle)
	if remote.Is(err, "ResourceNotFoundException") { // what it had is too old
		done, err = true, nil
	}
	if err != nil || !done {
		return n, false, err
	}
	next, err := r.after(ctx, r.Position.Stream)
	if err != nil || next == "" {
		return n, err == nil, err
	}
	r.Position, r.iterators, r.FromNow = Position{Stream: next, Shards: map[string]Shard{}}, nil, false
	return n, false, nil
}

// begin chooses the stream that is read first: the oldest one, or the newest if nothing old is wanted.
func (r *Reader) begin(ctx context.Context) error {
	list, err := r.list(ctx)
	if err != nil {
		return err
	}
	if len(list) == 0 {
		return ErrNoStream
	}
	first := list[0]
	if r.FromNow {
		first = list[len(list)-1]
	}
	r.Position = Position{Stream: first, Shards: map[string]Shard{}}
	if !r.FromNow {
		return nil
	}
	err = r.skip(ctx)
	if err != nil {
		r.Position = Position{}
	}
	return err
}

// skip goes to the end of the stream.
func (r *Reader) skip(ctx context.Context) error {
	shards, _, err := r.describe(ctx)
	for _, s := range shards {
		switch {
		case err != nil:
		case r.Kept:
			_, err = r.pollShard(ctx, s.ID, func(context.Context, string, []Record) error { return nil })
		default:
			err = r.iterate(ctx, s.ID, "LATEST")
		}
	}
	return err
}

// after is the stream that was switched on after another one; "" for none.
func (r *Reader) after(ctx context.Context, arn string) (string, error) {
	list, err := r.list(ctx)
	for _, other := range list {
		if other > arn { // labels are times
			return other, err
		}
	}
	return "", err
}

func (r *Reader) list(ctx context.Context) (arns []string, err error) {
	for start := ""; ; {
		in := map[string]any{"TableName": r.Table}
		if start != "" {
			in["ExclusiveStartStreamArn"] = start
		}
		var out struct {
			Streams                []struct{ StreamArn string }
			LastEvaluatedStreamArn string
		}
		if err := r.Streams.Call(ctx, "ListStreams", in, &out); err != nil {
			return nil, err
		}
		for _, s := range out.Streams {
			arns = append(arns, s.StreamArn)
		}
		if start = out.LastEvaluatedStreamArn; start == "" {
			return arns, nil
		}
	}
}

// describe lists the stream's shards, and reports whether it is switched off.
func (r *Reader) describe(ctx context.Context) (shards []shard, off bool, err error) {
	for start := ""; ; {
		in := map[string]any{"StreamArn": r.Position.Stream}
		if start != "" {
			in["ExclusiveStartShardId"] = start
		}
		var out struct {
			StreamDescription struct {
				StreamStatus         string
				Shards               []shard
				LastEvaluatedShardID string `json:"LastEvaluatedShardId"`
			}
		}
		if err := r.Streams.Call(ctx, "DescribeStream", in, &out); err != nil {
			return nil, false, err
		}
		shards = append(shards, out.StreamDescription.Shards...)
		if start = out.StreamDescription.LastEvaluatedShardID; start == "" {
			return shards, out.StreamDescription.StreamStatus == "DISABLED", nil
		}
	}
}

// pollStream reads what is new in the current stream. done says that nothing more comes.
func (r *Reader) pollStream(ctx context.Context, handle func(context.Context, string, []Record) error) (n int,
	done bool, err error) {
	shards, off, err := r.describe(ctx)
	if err != nil {
		return 0, false, err
	}
	there := map[string]bool{}
	for _, s := range shards {
		there[s.ID] = true
	}
	done = off
	for _, s := range shards {
		at := r.Position.Shards[s.ID]
		if at.Ended {
			continue
		}
		if there[s.Parent] && !r.Position.Shards[s.Parent].Ended {
			done = false // parents first
			continue
		}
		some, err := r.pollShard(ctx, s.ID, handle)
		if n += some; err != nil {
			return n, false, err
		}
		done = done && r.Position.Shards[s.ID].Ended
	}
	r.forget(there)
	return n, done, nil
}

// forget drops the positions of shards that are gone.
func (r *Reader) forget(there map[string]bool) {
	for id := range r.Position.Shards {
		if !there[id] {
			delete(r.Position.Shards, id)
			delete(r.iterators, id)
		}
	}
}

func (r *Reader) pollShard(ctx context.Context, id string, handle func(context.Context, string, []Record) error) (n int,
	err error) {
	for {
		if r.iterators[id] == "" {
			if err := r.iterate(ctx, id, "TRIM_HORIZON"); err != nil {
				return n, err
			}
		}
		var out struct {
			Records           []Record
			NextShardIterator string
		}
		err := r.Streams.Call(ctx, "GetRecords", map[string]any{"ShardIterator": r.iterators[id]}, &out)
		if remote.Is(err, "ExpiredIteratorException") {
			delete(r.iterators, id)
			continue
		}
		if remote.Is(err, "TrimmedDataAccessException") {
			r.restart(id)
			return n, nil
		}
		if remote.Is(err, "ResourceNotFoundException") { // it is too old by now, or the table is gone
			r.moved(id, nil, "")
			return n, nil
		}
		if err != nil {
			return n, err
		}
		if len(out.Records) > 0 {
			if err := handle(ctx, id, out.Records); err != nil {
				delete(r.iterators, id) // it is read again
				return n, err
			}
			n += len(out.Records)
		}
		r.moved(id, out.Records, out.NextShardIterator)
		if len(out.Records) == 0 || out.NextShardIterator == "" {
			return n, nil
		}
	}
}

// moved notes that records were handled.
func (r *Reader) moved(id string, records []Record, next string) {
	at := r.Position.Shards[id]
	if len(records) > 0 {
		at.After = records[len(records)-1].Change.SequenceNumber
	}
	at.Ended = next == ""
	r.Position.Shards[id], r.iterators[id] = at, next
}

// Handled notes that the records of a shard up to a sequence number were handled, for programs that take only a part of
// a page.
func (r *Reader) Handled(id, number string) {
	r.Position.Shards[id] = Shard{After: number}
}

// iterate gets an iterator of a shard behind what was read of it; kind is where to begin if nothing was.
func (r *Reader) iterate(ctx context.Context, id, kind string) error {
	in := map[string]any{"StreamArn": r.Position.Stream, "ShardId": id, "ShardIteratorType": kind}
	if at := r.Position.Shards[id]; at.After != "" {
		in["ShardIteratorType"], in["SequenceNumber"] = "AFTER_SEQUENCE_NUMBER", at.After
	}
	var out struct{ ShardIterator string }
	err := r.Streams.Call(ctx, "GetShardIterator", in, &out)
	if remote.Is(err, "TrimmedDataAccessException") {
		r.restart(id)
		return r.iterate(ctx, id, "TRIM_HORIZON")
	}
	if err != nil {
		return fmt.Errorf("shard %s: %w", id, err)
	}
	if r.iterators == nil {
		r.iterators = map[string]string{}
	}
	r.iterators[id] = out.ShardIterator
	return nil
}

// restart goes on with the oldest records that there are.
func (r *Reader) restart(id string) {
	if r.Lost != nil {
		r.Lost(id)
	}
	delete(r.iterators, id)
	r.Position.Shards[id] = Shard{}
}
