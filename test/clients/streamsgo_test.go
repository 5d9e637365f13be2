// SPDX-License-Identifier: Apache-2.0

package clients

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	streamtypes "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"

	"github.com/weftdb/weft/test/harness"
)

// TestStreamsGo reads a stream with the SDK for Go.
func TestStreamsGo(t *testing.T) {
	skipUnlessWanted(t)
	server := harness.Start(t, binary, harness.Options{})
	defer stop(t, server)
	table := newChanging(t, server)
	s := &goStream{t, table}
	table.write(changesHalf)
	t.Run("latest", func(t *testing.T) { s.latest(t) })
	written := make(chan struct{})
	go func() {
		defer close(written)
		for range changesHalf {
			if err := table.step(); err != nil {
				t.Error(err)
			}
		}
		table.end()
	}()
	records := s.all()
	<-written
	table.check(records)
	t.Run("sequence numbers", func(t *testing.T) { s.numbers(t, records) })
	t.Run("shards", func(t *testing.T) { s.pages(t) })
	t.Run("errors", func(t *testing.T) { s.errors(t) })
}

// goStream reads the stream of a table.
type goStream struct {
	t *testing.T
	*changing
}

// iterator is a place in a shard; a sequence number is given to those kinds that want one.
func (s *goStream) iterator(shard *string, kind streamtypes.ShardIteratorType, number ...string) (*string, error) {
	in := &dynamodbstreams.GetShardIteratorInput{StreamArn: &s.arn, ShardId: shard, ShardIteratorType: kind}
	if len(number) > 0 {
		in.SequenceNumber = &number[0]
	}
	out, err := s.streams.GetShardIterator(s.t.Context(), in)
	if err != nil {
		return nil, err
	}
	return out.ShardIterator, nil
}

// page is the next records of a shard, as readers print them, and the place behind them.
func (s *goStream) page(iterator *string, limit int32) (list []change, next *string, err error) {
	out, err := s.streams.GetRecords(s.t.Context(),
		&dynamodbstreams.GetRecordsInput{ShardIterator: iterator, Limit: &limit})
	if err != nil {
		return nil, nil, err
	}
	for _, r := range out.Records {
		c := change{EventName: string(r.EventName)}
		c.DynamoDB.Keys, c.DynamoDB.OldImage, c.DynamoDB.NewImage = image(r.Dynamodb.Keys), image(r.Dynamodb.OldImage),
			image(r.Dynamodb.NewImage)
		c.DynamoDB.SequenceNumber = *r.Dynamodb.SequenceNumber
		list = append(list, c)
	}
	return list, out.NextShardIterator, nil
}

// all reads every shard to its end, from the one without a parent to each one's child.
func (s *goStream) all() (records []change) {
	shard := s.shards()[0].ShardId
	for shard != nil {
		next, err := s.iterator(shard, streamtypes.ShardIteratorTypeTrimHorizon)
		for next != nil && err == nil {
			var some []change
			some, next, err = s.page(next, 30)
			records = append(records, some...)
		}
		if err != nil {
			s.t.Fatal(err)
		}
		shard = s.child(shard)
	}
	return records
}

// child is the shard that goes on where this one ended; nil at the end of the stream.
func (s *goStream) child(parent *string) *string {
	out, err := s.streams.DescribeStream(s.t.Context(), &dynamodbstreams.DescribeStreamInput{
		StreamArn: &s.arn, ShardFilter: &streamtypes.ShardFilter{Type: streamtypes.ShardFilterTypeChildShards,
			ShardId: parent},
	})
	if err != nil {
		s.t.Fatal(err)
	}
	switch children := out.StreamDescription.Shards; {
	case len(children) == 0:
		return nil
	case len(children) > 1 || aws.ToString(children[0].ParentShardId) != *parent:
		s.t.Fatalf("the children of %s: %+v", *parent, children)
		return nil
	default:
		return children[0].ShardId
	}
}

// latest looks from LATEST on for what is written after that, and for nothing else.
func (s *goStream) latest(t *testing.T) {
	shards := s.shards()
	place, err := s.iterator(shards[len(shards)-1].ShardId, streamtypes.ShardIteratorTypeLatest)
	if err != nil {
		t.Fatal(err)
	}
	before := len(s.want)
	for len(s.want) < before+3 {
		if err := s.step(); err != nil {
			t.Fatal(err)
		}
	}
	got, _, err := s.page(place, 10)
	if err != nil || len(got) != 3 {
		t.Fatalf("from LATEST on there are %d records, want the 3 that were written since: %v", len(got), err)
	}
	for i, c := range got {
		if c.text() != s.want[before+i] {
			t.Errorf("from LATEST on: %s, want %s", c.text(), s.want[before+i])
		}
	}
}

// numbers begins at and after sequence numbers.
func (s *goStream) numbers(t *testing.T, records []change) {
	shards := s.shards()
	for i := 0; i < len(records)-1; i += 7 {
		number, following := records[i].DynamoDB.SequenceNumber, records[i+1].DynamoDB.SequenceNumber
		shard := shards[slices.IndexFunc(shards,
			func(one streamtypes.Shard) bool { return number <= *one.SequenceNumberRange.EndingSequenceNumber })]
		for skipped, kind := range []streamtypes.ShardIteratorType{streamtypes.ShardIteratorTypeAtSequenceNumber,
			streamtypes.ShardIteratorTypeAfterSequenceNumber} {
			place, err := s.iterator(shard.ShardId, kind, number)
			if err != nil {
				t.Fatal(err)
			}
			some, _, err := s.page(place, 1)
			switch {
			case err != nil:
				t.Fatal(err)
			case len(some) == 0:
				if skipped == 0 || following < *shard.SequenceNumberRange.EndingSequenceNumber {
					t.Errorf("%s of %s finds nothing in %s", kind, number, *shard.ShardId)
				}
			case asJSON(some[0]) != asJSON(records[i+skipped]):
				t.Errorf("%s of %s is %s, want %s", kind, number, asJSON(some[0]), asJSON(records[i+skipped]))
			}
		}
	}
}

// pages lists the shards one by one.
func (s *goStream) pages(t *testing.T) {
	want := s.shards()
	in := &dynamodbstreams.DescribeStreamInput{StreamArn: &s.arn, Limit: aws.Int32(1)}
	for i := range want {
		out, err := s.streams.DescribeStream(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		d := out.StreamDescription
		if len(d.Shards) != 1 || *d.Shards[0].ShardId != *want[i].ShardId ||
			(d.LastEvaluatedShardId == nil) != (i == len(want)-1) {
			t.Fatalf("page %d of the shards: %+v", i, d)
		}
		if i > 0 && aws.ToString(d.Shards[0].ParentShardId) != *want[i-1].ShardId {
			t.Errorf("shard %d has the parent %s, want %s", i, aws.ToString(d.Shards[0].ParentShardId),
				*want[i-1].ShardId)
		}
		in.ExclusiveStartShardId = d.LastEvaluatedShardId
	}
	listed, err := s.streams.ListStreams(t.Context(), &dynamodbstreams.ListStreamsInput{TableName: &s.table})
	if err != nil || len(listed.Streams) != 1 || *listed.Streams[0].StreamArn != s.arn {
		t.Errorf("the streams of the table: %+v, %v", listed, err)
	}
}

// errors takes errors apart as programs do.
func (s *goStream) errors(t *testing.T) {
	shard := s.shards()[0].ShardId
	_, err := s.streams.DescribeStream(t.Context(),
		&dynamodbstreams.DescribeStreamInput{StreamArn: aws.String(s.arn + "0")})
	var absent *streamtypes.ResourceNotFoundException
	if !errors.As(err, &absent) {
		t.Errorf("a stream that is not there: %v", err)
	}
	absent = nil
	if _, err = s.iterator(aws.String("shardId-00000000000000000001-00000001"),
		streamtypes.ShardIteratorTypeLatest); !errors.As(err, &absent) {
		t.Errorf("a shard that is not there: %v", err)
	}
	place, err := s.iterator(shard, streamtypes.ShardIteratorTypeTrimHorizon)
	if err != nil {
		t.Fatal(err)
	}
	var expired *streamtypes.ExpiredIteratorException
	if _, _, err = s.page(aged(t, *place, "ExpiresMS"), 1); !errors.As(err, &expired) {
		t.Errorf("an iterator that is too old: %v", err)
	}
	var trimmed *streamtypes.TrimmedDataAccessException
	if _, _, err = s.page(aged(t, *place, "Stamp"), 1); !errors.As(err, &trimmed) {
		t.Errorf("a place that is too old: %v", err)
	}
}

// aged is an iterator as it was long ago: a test can't wait for a quarter of an hour, or a day. It must know how the
// server writes a place.
func aged(t *testing.T, iterator, member string) *string {
	t.Helper()
	parts := strings.Split(iterator, "|")
	var place map[string]any
	raw, err := base64.StdEncoding.DecodeString(parts[len(parts)-1])
	if err == nil {
		decoder := json.NewDecoder(bytes.NewReader(raw))
		decoder.UseNumber()
		err = decoder.Decode(&place)
	}
	if _, ok := place[member]; err != nil || !ok {
		t.Fatalf("the iterator %s has no %s: %v", raw, member, err)
	}
	place[member] = 1
	raw, err = json.Marshal(place)
	if err != nil {
		t.Fatal(err)
	}
	parts[len(parts)-1] = base64.StdEncoding.EncodeToString(raw)
	aged := strings.Join(parts, "|")
	return &aged
}
