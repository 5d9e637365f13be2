// SPDX-License-Identifier: Apache-2.0

package crash

import (
	"context"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	streamtypes "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"
)

// stream is a reader of the table's stream, which goes on after each kill with what it had read before: each record
// must fit those before it.
type stream struct {
	arn     string
	after   map[string]string   // by shard: the sequence number of the last record
	items   map[string]document // what the records say that the table holds, by key
	records int
	expired int             // records of items whose time had come
	written map[string]bool // the keys of items that expire of which the stream has told
	faults  []string
}

// streamsClient is a client of the server's streams, with the connections of the run's client.
func (r *run) streamsClient() *dynamodbstreams.Client {
	o := r.client.Options()
	return dynamodbstreams.New(dynamodbstreams.Options{
		BaseEndpoint: o.BaseEndpoint, Region: o.Region, Credentials: o.Credentials, Retryer: o.Retryer,
		HTTPClient: o.HTTPClient,
	})
}

// openStream finds the table's stream.
func (r *run) openStream() {
	out, err := r.client.DescribeTable(r.t.Context(), &dynamodb.DescribeTableInput{TableName: aws.String(tableName)})
	if err != nil {
		r.t.Fatal(err)
	}
	r.stream = stream{arn: *out.Table.LatestStreamArn, after: map[string]string{}, items: map[string]document{},
		written: map[string]bool{}}
}

// readWhile reads until the server is gone.
func (r *run) readWhile(client *dynamodbstreams.Client) {
	for {
		if _, err := r.stream.read(r.t.Context(), client); err != nil {
			return
		}
	}
}

// checkStream reads the rest, and compares what it says with the table, which nobody changes meanwhile.
func (r *run) checkStream(rows map[itemKey]document) {
	client := r.streamsClient()
	for n := 1; n > 0; {
		var err error
		if n, err = r.stream.read(r.t.Context(), client); err != nil {
			r.t.Fatalf("reading the stream: %v", err)
		}
	}
	r.complain(r.stream.faults)
	lasting := 0
	for key, want := range rows {
		if key.expires() { // it may have gone since
			continue
		}
		lasting++
		if got := r.stream.items[fmt.Sprint(key)]; !equal(got, want) {
			r.t.Errorf("the stream says that item %v is %v, the table has %v", key, got, want)
			break
		}
	}
	for _, d := range r.stream.items {
		if d[timeName] == "" {
			lasting--
		}
	}
	if lasting != 0 {
		r.t.Errorf("the table has %d items more than the stream tells of", lasting)
	}
}

// checkExpired waits until all items whose time has come are gone, and compares what the stream says of them: that each
// was written that was acknowledged, and that the server has deleted all.
func (r *run) checkExpired() {
	for left := 1; left > 0; wait(r.t.Context(), 100*time.Millisecond) {
		left = 0
		for key := range r.scan() {
			if key.expires() {
				left++
			}
		}
	}
	r.checkStream(r.scan())
	for _, w := range r.workers {
		for _, key := range w.expired {
			if _, there := r.stream.items[fmt.Sprint(key)]; there || !r.stream.written[fmt.Sprint(key)] {
				r.t.Errorf("item %v was acknowledged and expired: the stream says that it was written: %v, that it is there: %v", key, r.stream.written[fmt.Sprint(key)], there)
			}
		}
	}
	if r.stream.expired == 0 {
		r.t.Error("nothing has expired: the test has not tested expiry")
	}
}

// read reads what is new in all shards.
func (s *stream) read(ctx context.Context, client *dynamodbstreams.Client) (n int, err error) {
	out, err := client.DescribeStream(ctx, &dynamodbstreams.DescribeStreamInput{StreamArn: &s.arn})
	if err != nil {
		return 0, err
	}
	for _, shard := range out.StreamDescription.Shards {
		some, err := s.readShard(ctx, client, *shard.ShardId)
		if n += some; err != nil {
			return n, err
		}
	}
	return n, nil
}

func (s *stream) readShard(ctx context.Context, client *dynamodbstreams.Client, id string) (n int, err error) {
	in := &dynamodbstreams.GetShardIteratorInput{StreamArn: &s.arn, ShardId: &id,
		ShardIteratorType: streamtypes.ShardIteratorTypeTrimHorizon}
	if after := s.after[id]; after != "" {
		in.ShardIteratorType, in.SequenceNumber = streamtypes.ShardIteratorTypeAfterSequenceNumber, &after
	}
	first, err := client.GetShardIterator(ctx, in)
	if err != nil {
		return 0, err
	}
	for iterator := first.ShardIterator; iterator != nil; {
		page, err := client.GetRecords(ctx, &dynamodbstreams.GetRecordsInput{ShardIterator: iterator})
		if err != nil {
			return n, err
		}
		for _, record := range page.Records {
			s.take(record)
			s.after[id] = *record.Dynamodb.SequenceNumber
		}
		n += len(page.Records)
		if iterator = page.NextShardIterator; len(page.Records) == 0 {
			break
		}
	}
	return n, nil
}

// take checks that a record fits those before it.
func (s *stream) take(record streamtypes.Record) {
	s.records++
	key := fmt.Sprint(streamDocument(record.Dynamodb.Keys).key())
	old, now := streamDocument(record.Dynamodb.OldImage), streamDocument(record.Dynamodb.NewImage)
	if !equal(s.items[key], old) {
		s.faults = append(s.faults, fmt.Sprintf("item %s: record %s has %v before it, the records before left %v", key,
			*record.Dynamodb.SequenceNumber, old, s.items[key]))
	}
	if equal(old, now) {
		s.faults = append(s.faults, fmt.Sprintf("item %s: record %s changes nothing", key,
			*record.Dynamodb.SequenceNumber))
	}
	if record.UserIdentity != nil {
		s.expired++
		if now != nil || old[timeName] == "" {
			s.faults = append(s.faults, fmt.Sprintf("item %s: record %s says that it expired, from %v to %v", key,
				*record.Dynamodb.SequenceNumber, old, now))
		}
	}
	if old == nil && now[timeName] != "" {
		s.written[key] = true
	}
	if s.items[key] = now; now == nil {
		delete(s.items, key)
	}
}

// streamDocument is documentOf for the types of streams; nil for no image.
func streamDocument(item map[string]streamtypes.AttributeValue) document {
	if item == nil {
		return nil
	}
	d := document{}
	for name, v := range item {
		switch v := v.(type) {
		case *streamtypes.AttributeValueMemberS:
			d[name] = "S" + v.Value
		case *streamtypes.AttributeValueMemberN:
			d[name] = "N" + v.Value
		default:
			d[name] = fmt.Sprintf("?%T", v)
		}
	}
	return d
}
