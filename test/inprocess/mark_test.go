// SPDX-License-Identifier: Apache-2.0

package inprocess

import (
	"slices"
	"testing"

	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	streamtypes "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"

	"github.com/weftdb/weft/wefttest"
)

// TestStreamAfterReturn: a reader goes on with what is written after a return, and reads nothing twice.
func TestStreamAfterReturn(t *testing.T) {
	db := wefttest.DB(t)
	endpoint := wefttest.DynamoDBOf(t, db)
	c, ctx := client(endpoint), t.Context()
	made := makeOrders(t, c)
	reader := dynamodbstreams.New(dynamodbstreams.Options{BaseEndpoint: &endpoint, Region: "eu-central-1",
		Credentials: credentials.NewStaticCredentialsProvider("any", "any", "")})
	arn := made.TableDescription.LatestStreamArn
	stream, err := reader.DescribeStream(ctx, &dynamodbstreams.DescribeStreamInput{StreamArn: arn})
	if err != nil {
		t.Fatal(err)
	}
	first, err := reader.GetShardIterator(ctx, &dynamodbstreams.GetShardIteratorInput{StreamArn: arn,
		ShardId:           stream.StreamDescription.Shards[0].ShardId,
		ShardIteratorType: streamtypes.ShardIteratorTypeTrimHorizon})
	if err != nil {
		t.Fatal(err)
	}
	at := first.ShardIterator
	read := func(want ...string) {
		t.Helper()
		out, err := reader.GetRecords(ctx, &dynamodbstreams.GetRecordsInput{ShardIterator: at})
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, r := range out.Records {
			ids = append(ids, r.Dynamodb.Keys["id"].(*streamtypes.AttributeValueMemberS).Value)
		}
		if !slices.Equal(ids, want) {
			t.Errorf("the stream shows %v, want %v", ids, want)
		}
		at = out.NextShardIterator
	}
	write := func(id string) {
		t.Helper()
		if err := put(t, c, id); err != nil {
			t.Fatal(err)
		}
	}
	write("a")
	read("a")
	mark, err := db.Mark(ctx)
	if err != nil {
		t.Fatal(err)
	}
	write("b")
	read("b")
	write("c")
	if err := mark.Return(ctx); err != nil {
		t.Fatal(err)
	}
	read()
	write("d")
	read("d")
	at = first.ShardIterator
	read("a", "d")
}
