// SPDX-License-Identifier: Apache-2.0

// Package inprocess tests the databases that package wefttest gives to Go programs, with the client that those use.
//
// Knows: package wefttest, the AWS SDK.
// Never: packages inside the server.
package inprocess

import (
	"errors"
	"fmt"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"

	"github.com/weftdb/weft/wefttest"
)

func client(endpoint string) *dynamodb.Client {
	return dynamodb.New(dynamodb.Options{BaseEndpoint: &endpoint, Region: "eu-central-1",
		Credentials: credentials.NewStaticCredentialsProvider("any", "any", "")})
}

func makeOrders(t testing.TB, c *dynamodb.Client) *dynamodb.CreateTableOutput {
	t.Helper()
	made, err := c.CreateTable(t.Context(), &dynamodb.CreateTableInput{
		TableName: aws.String("orders"), BillingMode: types.BillingModePayPerRequest,
		KeySchema: []types.KeySchemaElement{{AttributeName: aws.String("id"), KeyType: types.KeyTypeHash}},
		AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String("id"),
			AttributeType: types.ScalarAttributeTypeS}},
		StreamSpecification: &types.StreamSpecification{StreamEnabled: aws.Bool(true),
			StreamViewType: types.StreamViewTypeNewImage},
	})
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func order(id string) map[string]types.AttributeValue {
	return map[string]types.AttributeValue{"id": &types.AttributeValueMemberS{Value: id}}
}

// TestOwn: tests side by side have tables of one name, and see their own items alone.
func TestOwn(t *testing.T) {
	for i := range 8 {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			c := client(wefttest.DynamoDB(t))
			makeOrders(t, c)
			put := &dynamodb.PutItemInput{TableName: aws.String("orders"), Item: order(fmt.Sprint(i)),
				ConditionExpression: aws.String("attribute_not_exists(id)")}
			if _, err := c.PutItem(t.Context(), put); err != nil {
				t.Fatal(err)
			}
			if _, err := c.PutItem(t.Context(), put); !errors.As(err, new(*types.ConditionalCheckFailedException)) {
				t.Errorf("the same again: %v", err)
			}
			found, err := c.Scan(t.Context(), &dynamodb.ScanInput{TableName: aws.String("orders")})
			if err != nil || found.Count != 1 {
				t.Errorf("%+v, %v", found, err)
			}
		})
	}
}

// TestStreams: the endpoint of DynamoDB Streams is the same.
func TestStreams(t *testing.T) {
	endpoint := wefttest.DynamoDB(t)
	c := client(endpoint)
	arn := makeOrders(t, c).TableDescription.LatestStreamArn
	if _, err := c.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String("orders"),
		Item: order("a")}); err != nil {
		t.Fatal(err)
	}
	streams := dynamodbstreams.New(dynamodbstreams.Options{BaseEndpoint: &endpoint, Region: "eu-central-1",
		Credentials: credentials.NewStaticCredentialsProvider("any", "any", "")})
	described, err := streams.DescribeStream(t.Context(), &dynamodbstreams.DescribeStreamInput{StreamArn: arn})
	if err != nil || len(described.StreamDescription.Shards) == 0 {
		t.Errorf("%+v, %v", described, err)
	}
}

// BenchmarkTest is what a test pays for its own DynamoDB: endpoint, client, table, an item, and the end.
func BenchmarkTest(b *testing.B) {
	for b.Loop() {
		s := &scope{TB: b}
		useDynamoDB(b, wefttest.DynamoDB(s))
		s.end()
	}
}

// useDynamoDB does with an endpoint what the test of one function does at least.
func useDynamoDB(t testing.TB, endpoint string) {
	t.Helper()
	c := client(endpoint)
	makeOrders(t, c)
	if _, err := c.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String("orders"),
		Item: order("a")}); err != nil {
		t.Fatal(err)
	}
}

// BenchmarkEndpoint is the endpoint alone.
func BenchmarkEndpoint(b *testing.B) {
	for b.Loop() {
		s := &scope{TB: b}
		wefttest.DynamoDB(s)
		s.end()
	}
}

// scope is a part of a benchmark that has an end of its own, as a test has.
type scope struct {
	testing.TB
	ends []func()
}

// Cleanup is testing.TB's.
func (s *scope) Cleanup(f func()) { s.ends = append(s.ends, f) }

func (s *scope) end() {
	for i := range s.ends {
		s.ends[len(s.ends)-1-i]()
	}
}
