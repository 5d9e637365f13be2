// SPDX-License-Identifier: Apache-2.0

package clients

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/weftdb/weft/test/harness"
)

// TestGo uses what the SDK for Go puts above single calls: paginators of indexes and segments, waiters, errors as
// types. Tables, items and expressions are in test/sdk.
func TestGo(t *testing.T) {
	skipUnlessWanted(t)
	server := harness.Start(t, binary, harness.Options{})
	options := server.Client().Options()
	options.Retryer = retry.NewStandard()
	client := dynamodb.New(options)
	defer stop(t, server)

	absent := &dynamodb.DescribeTableInput{TableName: aws.String("visits")}
	err := dynamodb.NewTableExistsWaiter(client, func(o *dynamodb.TableExistsWaiterOptions) {
		o.MinDelay, o.MaxDelay = time.Millisecond, 2*time.Millisecond
	}).Wait(t.Context(), absent, 20*time.Millisecond)
	if err == nil || !strings.Contains(err.Error(), "exceeded max wait time") &&
		!errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("waiting for a table that nobody makes: %v", err)
	}
	visits(t, client)
	t.Run("paginators", func(t *testing.T) { goPaginators(t, client) })
	t.Run("errors", func(t *testing.T) { goErrors(t, server, client) })
	if _, err := client.DeleteTable(t.Context(),
		&dynamodb.DeleteTableInput{TableName: aws.String("visits")}); err != nil {
		t.Fatal(err)
	}
	if err := dynamodb.NewTableNotExistsWaiter(client).Wait(t.Context(), absent, time.Minute); err != nil {
		t.Error(err)
	}
}

// visits is a table of 60 visits to 3 museums, with an index by month.
func visits(t *testing.T, client *dynamodb.Client) {
	t.Helper()
	harness.CreateTable(t, client, &dynamodb.CreateTableInput{
		TableName: aws.String("visits"), BillingMode: types.BillingModePayPerRequest,
		KeySchema: []types.KeySchemaElement{{AttributeName: aws.String("museum"), KeyType: types.KeyTypeHash},
			{AttributeName: aws.String("day"), KeyType: types.KeyTypeRange}},
		AttributeDefinitions: []types.AttributeDefinition{
			{AttributeName: aws.String("museum"), AttributeType: types.ScalarAttributeTypeS},
			{AttributeName: aws.String("day"), AttributeType: types.ScalarAttributeTypeN},
			{AttributeName: aws.String("season"), AttributeType: types.ScalarAttributeTypeS},
		},
		GlobalSecondaryIndexes: []types.GlobalSecondaryIndex{{
			IndexName:  aws.String("by-season"),
			KeySchema:  []types.KeySchemaElement{{AttributeName: aws.String("season"), KeyType: types.KeyTypeHash}},
			Projection: &types.Projection{ProjectionType: types.ProjectionTypeKeysOnly},
		}},
	})
	for i := range 60 {
		_, err := client.PutItem(t.Context(),
			&dynamodb.PutItemInput{TableName: aws.String("visits"), Item: map[string]types.AttributeValue{
				"museum": text(fmt.Sprint("m", i%3)), "day": number(i),
				"season": text([]string{"spring", "summer"}[i%2]),
			}})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func text(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }
func number(n int) types.AttributeValue  { return &types.AttributeValueMemberN{Value: fmt.Sprint(n)} }

// goPaginators counts items and pages. A hash key's 30 entries of the index have no sort key, so that a page's end lies
// among equals.
func goPaginators(t *testing.T, client *dynamodb.Client) {
	index := dynamodb.NewQueryPaginator(client, &dynamodb.QueryInput{
		TableName: aws.String("visits"), IndexName: aws.String("by-season"),
		KeyConditionExpression:    aws.String("season = :s"),
		ExpressionAttributeValues: map[string]types.AttributeValue{":s": text("summer")},
	}, func(o *dynamodb.QueryPaginatorOptions) { o.Limit = 7 })
	seen := map[string]bool{}
	var pages int
	for ; index.HasMorePages(); pages++ {
		page, err := index.NextPage(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		note(seen, page.Items)
	}
	if len(seen) != 30 || pages != 5 {
		t.Errorf("the index has %d different items in %d pages, want 30 in 5", len(seen), pages)
	}
	seen = map[string]bool{}
	for segment := range int32(4) {
		part := dynamodb.NewScanPaginator(client,
			&dynamodb.ScanInput{TableName: aws.String("visits"), IndexName: aws.String("by-season"), Segment: &segment,
				TotalSegments: aws.Int32(4), Limit: aws.Int32(4)})
		for part.HasMorePages() {
			page, err := part.NextPage(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			note(seen, page.Items)
		}
	}
	if len(seen) != 60 {
		t.Errorf("four segments of the index have %d different items, want 60", len(seen))
	}
}

func note(seen map[string]bool, items []map[string]types.AttributeValue) {
	for _, item := range items {
		seen[item["museum"].(*types.AttributeValueMemberS).Value+" "+
			item["day"].(*types.AttributeValueMemberN).Value] = true
	}
}

// goErrors takes errors apart as programs do.
func goErrors(t *testing.T, server *harness.Server, client *dynamodb.Client) {
	item := map[string]types.AttributeValue{"museum": text("m0"), "day": number(0)}
	_, err := client.PutItem(t.Context(), &dynamodb.PutItemInput{
		TableName: aws.String("visits"), Item: item, ConditionExpression: aws.String("attribute_not_exists(museum)"),
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
	})
	var failed *types.ConditionalCheckFailedException
	if !errors.As(err, &failed) || failed.Item["season"].(*types.AttributeValueMemberS).Value != "spring" {
		t.Errorf("a failed condition: %v", err)
	}
	if !hasOperation(t, server, "TransactWriteItems") {
		t.Log("transactions are not tested: the server does not have TransactWriteItems")
		return
	}
	_, err = client.TransactWriteItems(t.Context(),
		&dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{
			{Delete: &types.Delete{TableName: aws.String("visits"),
				Key: map[string]types.AttributeValue{"museum": text("m1"), "day": number(1)}}},
			{Put: &types.Put{TableName: aws.String("visits"), Item: item,
				ConditionExpression:                 aws.String("attribute_not_exists(museum)"),
				ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld}},
		}})
	var canceled *types.TransactionCanceledException
	if !errors.As(err, &canceled) || len(canceled.CancellationReasons) != 2 {
		t.Fatalf("a canceled transaction: %v", err)
	}
	first, second := canceled.CancellationReasons[0], canceled.CancellationReasons[1]
	if *first.Code != "None" || first.Message != nil || *second.Code != "ConditionalCheckFailed" ||
		*second.Message != "The conditional request failed" || len(second.Item) != 3 {
		t.Errorf("its reasons: %+v %+v", first, second)
	}
	for _, table := range []string{"nothing", "arn:aws:dynamodb:us-east-1:000000000000:table/nothing"} {
		_, err = client.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: &table, Key: item})
		var absent *types.ResourceNotFoundException
		if !errors.As(err, &absent) {
			t.Errorf("table %s: %v", table, err)
		}
	}
}
