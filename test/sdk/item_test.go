// SPDX-License-Identifier: Apache-2.0

package sdk

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// TestItem puts, gets, updates and deletes an item that has every type.
func TestItem(t *testing.T) {
	create(t, table("items", "pk:S", "sk:N"))
	name, key := aws.String("items"), item{"pk": s("a"), "sk": n(-1.5)}
	full := item{
		"pk": s("a"), "sk": n(-1.5), "text": s("żółw \U0001F422 <&>\""),
		"number":  n("123456789012345678901234567890.12345678"),
		"bytes":   &types.AttributeValueMemberB{Value: []byte{0, 1, 255}},
		"yes":     &types.AttributeValueMemberBOOL{Value: true},
		"nothing": &types.AttributeValueMemberNULL{Value: true}, "empty": s(""),
		"list": &types.AttributeValueMemberL{Value: []types.AttributeValue{s("x"), n(1),
			&types.AttributeValueMemberL{Value: []types.AttributeValue{}}}},
		"map": &types.AttributeValueMemberM{
			Value: item{"nested": &types.AttributeValueMemberM{Value: item{"deep": n(7)}}}},
		"words":   &types.AttributeValueMemberSS{Value: []string{"a", "b"}},
		"numbers": &types.AttributeValueMemberNS{Value: []string{"1", "2.5"}},
		"blobs":   &types.AttributeValueMemberBS{Value: [][]byte{{1}, {2}}},
	}
	put(t, "items", full)
	got, err := client.GetItem(t.Context(),
		&dynamodb.GetItemInput{TableName: name, Key: key, ConsistentRead: aws.Bool(true),
			ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal})
	if err != nil || !reflect.DeepEqual(got.Item, full) {
		t.Fatalf("got %v, %v", got, err)
	}
	if *got.ConsumedCapacity.CapacityUnits != 1 {
		t.Errorf("a read costs %v", *got.ConsumedCapacity.CapacityUnits)
	}
	updated, err := client.UpdateItem(t.Context(), &dynamodb.UpdateItemInput{
		TableName: name, Key: key, ReturnValues: types.ReturnValueUpdatedNew,
		UpdateExpression: aws.String(
			"SET #m.nested.deep = #m.nested.deep + :one, title = if_not_exists(title, :t) REMOVE #l[0] ADD hits :one DELETE words :w"),
		ConditionExpression:      aws.String("attribute_exists(pk) AND size(words) = :two"),
		ExpressionAttributeNames: map[string]string{"#m": "map", "#l": "list"},
		ExpressionAttributeValues: item{":one": n(1), ":two": n(2), ":t": s("new"),
			":w": &types.AttributeValueMemberSS{Value: []string{"b"}}},
	})
	if err != nil || text(updated.Attributes, "hits") != "1" || text(updated.Attributes, "title") != "new" {
		t.Fatalf("%v, %v", updated, err)
	}
	got, err = client.GetItem(t.Context(),
		&dynamodb.GetItemInput{TableName: name, Key: key,
			ProjectionExpression:     aws.String("#m.nested.deep, #l[0], words"),
			ExpressionAttributeNames: map[string]string{"#m": "map", "#l": "list"}})
	want := item{"map": &types.AttributeValueMemberM{
		Value: item{"nested": &types.AttributeValueMemberM{Value: item{"deep": n(8)}}}},
		"list":  &types.AttributeValueMemberL{Value: []types.AttributeValue{n(1)}},
		"words": &types.AttributeValueMemberSS{Value: []string{"a"}}}
	if err != nil || !reflect.DeepEqual(got.Item, want) {
		t.Fatalf("%v, %v", got, err)
	}
	deleted, err := client.DeleteItem(t.Context(),
		&dynamodb.DeleteItemInput{TableName: name, Key: key, ReturnValues: types.ReturnValueAllOld})
	if err != nil || text(deleted.Attributes, "text") != text(full, "text") {
		t.Fatalf("%v, %v", deleted, err)
	}
	if got, err = client.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: name, Key: key}); err != nil ||
		got.Item != nil {
		t.Fatalf("after its end: %v, %v", got, err)
	}
}

// TestBatches writes 25 items a request and reads 100.
func TestBatches(t *testing.T) {
	create(t, table("batches", "pk:S"))
	var keys []item
	for batch := range 4 {
		var writes []types.WriteRequest
		for i := range 25 {
			key := item{"pk": s(fmt.Sprint(batch*25 + i))}
			keys = append(keys, key)
			writes = append(writes, types.WriteRequest{PutRequest: &types.PutRequest{Item: key}})
		}
		out, err := client.BatchWriteItem(t.Context(),
			&dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{"batches": writes}})
		if err != nil || len(out.UnprocessedItems) != 0 {
			t.Fatalf("%v, %v", out, err)
		}
	}
	out, err := client.BatchGetItem(t.Context(),
		&dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{"batches": {Keys: keys}}})
	if err != nil || len(out.Responses["batches"]) != 100 || len(out.UnprocessedKeys) != 0 {
		t.Fatalf("%v, %v", out, err)
	}
	_, err = client.BatchGetItem(t.Context(),
		&dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{
			"batches": {Keys: append(keys, item{"pk": s("x")})}}})
	wantAPIError(t, err, "ValidationException", "")
}

// TestCounter lets many clients add to one number at once: no addition is lost and none is refused.
func TestCounter(t *testing.T) {
	create(t, table("counters", "pk:S"))
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 25 {
				_, err := client.UpdateItem(t.Context(),
					&dynamodb.UpdateItemInput{TableName: aws.String("counters"), Key: item{"pk": s("hits")},
						UpdateExpression: aws.String("ADD hits :one"), ExpressionAttributeValues: item{":one": n(1)}})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	got, err := client.GetItem(t.Context(),
		&dynamodb.GetItemInput{TableName: aws.String("counters"), Key: item{"pk": s("hits")}})
	if err != nil || text(got.Item, "hits") != "200" {
		t.Fatalf("%v, %v", got, err)
	}
}

// TestConditionRace lets many clients create one item: one wins, the others get the condition's error and the item.
func TestConditionRace(t *testing.T) {
	create(t, table("races", "pk:S"))
	var group sync.WaitGroup
	var mu sync.Mutex
	won := 0
	for i := range 16 {
		group.Go(func() {
			_, err := client.PutItem(t.Context(),
				&dynamodb.PutItemInput{TableName: aws.String("races"), Item: item{"pk": s("a"), "by": n(i)},
					ConditionExpression:                 aws.String("attribute_not_exists(pk)"),
					ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld})
			failed, ok := errors.AsType[*types.ConditionalCheckFailedException](err)
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err == nil:
				won++
			case !ok || text(failed.Item, "pk") != "a":
				t.Errorf("the loser got %v", err)
			}
		})
	}
	group.Wait()
	if won != 1 {
		t.Errorf("%d clients created the item", won)
	}
}

// TestLimits stands on both sides of the limit of an item's size.
func TestLimits(t *testing.T) {
	create(t, table("limits", "pk:S"))
	big := strings.Repeat("x", 400<<10-len("pk")-len("a")-len("big"))
	put(t, "limits", item{"pk": s("a"), "big": s(big)})
	_, err := client.PutItem(t.Context(),
		&dynamodb.PutItemInput{TableName: aws.String("limits"), Item: item{"pk": s("a"), "big": s(big + "x")}})
	wantAPIError(t, err, "ValidationException", "Item size has exceeded the maximum allowed size")
	got, err := client.GetItem(t.Context(),
		&dynamodb.GetItemInput{TableName: aws.String("limits"), Key: item{"pk": s("a")}})
	if err != nil || text(got.Item, "big") != big {
		t.Fatalf("%d bytes came back, %v", len(text(got.Item, "big")), err)
	}
}
