// SPDX-License-Identifier: Apache-2.0

package sdk

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/weftdb/weft/test/harness"
)

// TestThrottle: the SDK reads the exceptions for limits of throughput, with the reasons. The item is larger than what
// gathers in five minutes.
func TestThrottle(t *testing.T) {
	c := harness.Start(t, binary, harness.Options{Args: []string{"--throttle", "enforce"}}).Client()
	keys, definitions := schema("pk:S")
	for _, in := range []*dynamodb.CreateTableInput{
		{TableName: aws.String("set"), ProvisionedThroughput: &types.ProvisionedThroughput{
			ReadCapacityUnits: aws.Int64(1), WriteCapacityUnits: aws.Int64(1)}},
		{TableName: aws.String("bound"), BillingMode: types.BillingModePayPerRequest,
			OnDemandThroughput: &types.OnDemandThroughput{MaxWriteRequestUnits: aws.Int64(1)}},
	} {
		in.KeySchema, in.AttributeDefinitions = keys, definitions
		if _, err := c.CreateTable(t.Context(), in); err != nil {
			t.Fatal(err)
		}
	}
	large := item{"pk": s("a"), "pad": s(strings.Repeat("x", 390<<10))}
	put := func(table string) error {
		_, err := c.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String(table), Item: large})
		return err
	}
	var exceeded *types.ProvisionedThroughputExceededException
	if err := put("set"); !errors.As(err, &exceeded) || len(exceeded.ThrottlingReasons) != 1 ||
		*exceeded.ThrottlingReasons[0].Reason != "TableWriteProvisionedThroughputExceeded" ||
		!strings.HasSuffix(*exceeded.ThrottlingReasons[0].Resource, ":table/set") {
		t.Errorf("a provisioned table: %v", err)
	}
	var throttled *types.ThrottlingException
	if err := put("bound"); !errors.As(err, &throttled) || len(throttled.ThrottlingReasons) != 1 ||
		*throttled.ThrottlingReasons[0].Reason != "TableWriteMaxOnDemandThroughputExceeded" {
		t.Errorf("a bound of on-demand throughput: %v", err)
	}
}

// TestBeyondAWS: the SDK lets through what AWS refuses, and what tags ask for.
func TestBeyondAWS(t *testing.T) {
	from := harness.Start(t, binary, harness.Options{Args: []string{"--beyond-aws", "--item-size", "1MiB"}})
	c := retrying(from)
	keys, definitions := schema("pk:S")
	made, err := c.CreateTable(t.Context(), &dynamodb.CreateTableInput{TableName: aws.String("users"),
		BillingMode: types.BillingModePayPerRequest, KeySchema: keys, AttributeDefinitions: definitions,
		Tags: []types.Tag{{Key: aws.String("weft:index:by-email"), Value: aws.String("unique email")}}})
	if err != nil {
		t.Fatal(err)
	}
	var writes []types.TransactWriteItem
	for i := range 150 {
		writes = append(writes, types.TransactWriteItem{Put: &types.Put{TableName: aws.String("users"),
			Item: item{"pk": s(strings.Repeat("k", i+1)), "email": s(strings.Repeat("m", i+1))}}})
	}
	_, err = c.TransactWriteItems(t.Context(), &dynamodb.TransactWriteItemsInput{TransactItems: writes})
	if err != nil {
		t.Error(err)
	}
	for _, one := range []struct {
		email string
		bytes int
		want  bool
	}{{"new", 900 << 10, true}, {"newer", 1 << 20, false}, {"mm", 1, false}} {
		_, err := c.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String("users"),
			Item: item{"pk": s(one.email), "email": s(one.email), "pad": s(strings.Repeat("x", one.bytes))}})
		if (err == nil) != one.want {
			t.Errorf("%s of %d bytes: %v", one.email, one.bytes, err)
		}
	}
	tags, err := c.ListTagsOfResource(t.Context(),
		&dynamodb.ListTagsOfResourceInput{ResourceArn: made.TableDescription.TableArn})
	if err != nil || !slices.ContainsFunc(tags.Tags, func(tag types.Tag) bool { return *tag.Value == "unique email" }) {
		t.Errorf("%v, %v", tags, err)
	}
}
