// SPDX-License-Identifier: Apache-2.0

package inprocess

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"

	"github.com/weftdb/weft/weftdynamo"
	"github.com/weftdb/weft/wefttest"
)

// faulty is an endpoint with faults, and a client that repeats as SDKs do, up to three attempts, without pauses.
func faulty(t *testing.T) (*dynamodb.Client, *weftdynamo.Faults) {
	endpoint, faults := wefttest.DynamoDBWithFaults(t, wefttest.DB(t))
	options := client(endpoint).Options()
	options.Retryer = retry.NewStandard(func(o *retry.StandardOptions) {
		o.Backoff = retry.BackoffDelayerFunc(func(int, error) (time.Duration, error) { return 0, nil })
	})
	c := dynamodb.New(options)
	makeOrders(t, c)
	return c, faults
}

func put(t *testing.T, c *dynamodb.Client, id string) error {
	_, err := c.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String("orders"), Item: order(id)})
	return err
}

func mustAdd(t *testing.T, faults *weftdynamo.Faults, rules ...weftdynamo.Fault) {
	t.Helper()
	faults.Clear()
	if err := faults.Add(rules...); err != nil {
		t.Fatal(err)
	}
}

// TestRetries: the SDK knows each error as AWS's, and repeats what it repeats there.
func TestRetries(t *testing.T) {
	c, faults := faulty(t)
	for _, one := range []struct {
		error, code string
		repeated    bool
	}{
		{weftdynamo.ThroughputExceeded, "ProvisionedThroughputExceededException", true},
		{weftdynamo.Throttling, "ThrottlingException", true},
		{weftdynamo.RequestLimit, "RequestLimitExceeded", true},
		{weftdynamo.InternalServerError, "InternalServerError", true},
		{weftdynamo.ServiceUnavailable, "ServiceUnavailableException", true},
		{weftdynamo.TransactionConflict, "TransactionConflictException", false},
	} {
		mustAdd(t, faults, weftdynamo.Fault{Table: "orders", Operation: "PutItem", Error: one.error, Times: 2})
		err := put(t, c, one.error)
		met := faults.Rules()[0].Met
		if one.repeated && (err != nil || met != 2) {
			t.Errorf("%s is not repeated until it is over: %v, met %d times", one.error, err, met)
		}
		mustAdd(t, faults, weftdynamo.Fault{Error: one.error})
		var known smithy.APIError
		if err := put(t, c, one.error); !errors.As(err, &known) || known.ErrorCode() != one.code ||
			known.ErrorMessage() == "" {
			t.Errorf("%s: %v", one.error, err)
		}
		if met := faults.Rules()[0].Met; one.repeated != (met == 3) || !one.repeated && met != 1 {
			t.Errorf("%s was tried %d times", one.error, met)
		}
	}
	mustAdd(t, faults, weftdynamo.Fault{Table: "others", Error: weftdynamo.Throttling},
		weftdynamo.Fault{Operation: "GetItem", Error: weftdynamo.Throttling})
	if err := put(t, c, "another"); err != nil {
		t.Errorf("a rule for others: %v", err)
	}
}

// TestTransactionFaults: a transaction is cancelled, with the reason at the actions of the table.
func TestTransactionFaults(t *testing.T) {
	c, faults := faulty(t)
	write := func() error {
		var items []types.TransactWriteItem
		for _, id := range []string{"a", "b"} {
			items = append(items, types.TransactWriteItem{Put: &types.Put{TableName: aws.String("orders"),
				Item: order(id)}})
		}
		_, err := c.TransactWriteItems(t.Context(), &dynamodb.TransactWriteItemsInput{TransactItems: items})
		return err
	}
	for error, want := range map[string]string{
		weftdynamo.TransactionConflict: "TransactionConflict None",
		weftdynamo.ThroughputExceeded:  "ProvisionedThroughputExceeded ProvisionedThroughputExceeded",
		weftdynamo.Throttling:          "ThrottlingError ThrottlingError",
	} {
		mustAdd(t, faults, weftdynamo.Fault{Table: "orders", Error: error})
		var cancelled *types.TransactionCanceledException
		if err := write(); !errors.As(err, &cancelled) || len(cancelled.CancellationReasons) != 2 ||
			*cancelled.CancellationReasons[0].Code+" "+*cancelled.CancellationReasons[1].Code != want {
			t.Errorf("%s: %v", error, err)
		}
	}
	mustAdd(t, faults)
	if err := write(); err != nil {
		t.Error(err)
	}
}

// TestLostAnswer: a request is done although it fails, so that a condition is false when it is repeated.
func TestLostAnswer(t *testing.T) {
	c, faults := faulty(t)
	mustAdd(t, faults, weftdynamo.Fault{Operation: "PutItem", Error: weftdynamo.InternalServerError, Times: 1, Done: true,
		Latency: weftdynamo.Duration(time.Millisecond)})
	_, err := c.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String("orders"), Item: order("a"),
		ConditionExpression: aws.String("attribute_not_exists(id)")})
	if !errors.As(err, new(*types.ConditionalCheckFailedException)) {
		t.Errorf("the repeated request: %v", err)
	}
}

// TestUnprocessed: batches are answered in part, and done when what is left is sent again.
func TestUnprocessed(t *testing.T) {
	c, faults := faulty(t)
	mustAdd(t, faults, weftdynamo.Fault{Error: weftdynamo.Unprocessed, Share: 0.4})
	writes := map[string][]types.WriteRequest{}
	keys := map[string]types.KeysAndAttributes{"orders": {ProjectionExpression: aws.String("id")}}
	for i := range 25 {
		writes["orders"] = append(writes["orders"], types.WriteRequest{
			PutRequest: &types.PutRequest{Item: order(fmt.Sprint(i))}})
		table := keys["orders"]
		table.Keys = append(table.Keys, order(fmt.Sprint(i)))
		keys["orders"] = table
	}
	rounds := 0
	for ; len(writes) > 0; rounds++ {
		out, err := c.BatchWriteItem(t.Context(), &dynamodb.BatchWriteItemInput{RequestItems: writes})
		if errors.As(err, new(*types.ProvisionedThroughputExceededException)) {
			continue // nothing of it was done
		}
		if err != nil {
			t.Fatal(err)
		}
		writes = out.UnprocessedItems
	}
	found := 0
	for ; len(keys) > 0; rounds++ {
		out, err := c.BatchGetItem(t.Context(), &dynamodb.BatchGetItemInput{RequestItems: keys})
		if errors.As(err, new(*types.ProvisionedThroughputExceededException)) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		found += len(out.Responses["orders"])
		keys = out.UnprocessedKeys
	}
	if found != 25 || rounds < 3 {
		t.Errorf("%d items in %d rounds", found, rounds)
	}
}

// TestLag: eventually consistent reads show what was there, consistent ones what is there.
func TestLag(t *testing.T) {
	db := wefttest.DB(t)
	endpoint, faults := wefttest.DynamoDBWithFaults(t, db)
	c := client(endpoint)
	makeOrders(t, c)
	if err := put(t, c, "old"); err != nil {
		t.Fatal(err)
	}
	mustAdd(t, faults, weftdynamo.Fault{Table: "orders", Lag: weftdynamo.Duration(time.Hour)})
	expect := func(consistent bool, want int) {
		t.Helper()
		table, flag := aws.String("orders"), aws.Bool(consistent)
		scan, err := c.Scan(t.Context(), &dynamodb.ScanInput{TableName: table, ConsistentRead: flag})
		if err != nil || len(scan.Items) != want {
			t.Errorf("a scan shows %d items, %v; want %d", len(scan.Items), err, want)
		}
		got, err := c.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: table, ConsistentRead: flag,
			Key: order("new")})
		if err != nil || (got.Item != nil) != (want == 2) {
			t.Errorf("GetItem shows %v, %v; want %d items in all", got.Item, err, want)
		}
		batch, err := c.BatchGetItem(t.Context(), &dynamodb.BatchGetItemInput{
			RequestItems: map[string]types.KeysAndAttributes{"orders": {ConsistentRead: flag,
				Keys: []map[string]types.AttributeValue{order("old"), order("new")}}}})
		if err != nil || len(batch.Responses["orders"]) != want {
			t.Errorf("BatchGetItem shows %v, %v; want %d items", batch, err, want)
		}
	}
	expect(false, 1)
	mark, err := db.Mark(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if err := put(t, c, "new"); err != nil {
			t.Fatal(err)
		}
	}
	expect(false, 1)
	expect(true, 2)
	if err := mark.Return(t.Context()); err != nil {
		t.Fatal(err)
	}
	expect(false, 1)
	if err := put(t, c, "new"); err != nil {
		t.Fatal(err)
	}
	expect(false, 1)
	faults.Clear()
	expect(false, 2)
}
