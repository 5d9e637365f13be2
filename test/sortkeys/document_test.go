// SPDX-License-Identifier: Apache-2.0

package sortkeys

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/weftdb/weft/sortkey"
)

// save stores a new version of a document and returns its number. It takes two conditional puts: the version, which
// only one writer can put, and then the copy at sortkey.Latest. A writer that stopped between the two has saved its
// version; the next one puts the copy in its stead.
func save(ctx context.Context, table, document, text string) (version int, err error) {
	for {
		n, err := latest(ctx, table, document)
		if err != nil {
			return 0, err
		}
		key, err := sortkey.Version(uint64(n + 1))
		if err != nil {
			return 0, err
		}
		won, err := putIf(ctx, table, attributes("documentID", document, "documentInfo", key, "version", n+1, "text",
			text), "attribute_not_exists(documentID)", nil)
		if err != nil {
			return 0, err
		}
		if err := copyVersion(ctx, table, document, key, n); err != nil {
			return 0, err
		}
		if won {
			return n + 1, nil
		}
	}
}

// latest returns the number of the newest version, 0 if there is none.
func latest(ctx context.Context, table, document string) (int, error) {
	out, err := client.GetItem(ctx, &dynamodb.GetItemInput{
		TableName: &table, Key: attributes("documentID", document, "documentInfo", sortkey.Latest),
		ConsistentRead: aws.Bool(true),
	})
	if err != nil {
		return 0, err
	}
	return number(out.Item, "version"), nil
}

// copyVersion puts the copy of version n+1 in the place of that of n, unless another writer has been quicker.
func copyVersion(ctx context.Context, table, document, key string, n int) error {
	out, err := client.GetItem(ctx, &dynamodb.GetItemInput{TableName: &table,
		Key: attributes("documentID", document, "documentInfo", key), ConsistentRead: aws.Bool(true)})
	if err != nil {
		return err
	}
	newest := out.Item
	newest["documentInfo"] = &types.AttributeValueMemberS{Value: sortkey.Latest}
	if n == 0 {
		_, err = putIf(ctx, table, newest, "attribute_not_exists(documentID)", nil)
	} else {
		_, err = putIf(ctx, table, newest, "version = :n", attributes(":n", n))
	}
	return err
}

// putIf puts an item if the condition is true, and reports whether it was.
func putIf(ctx context.Context, table string, i item, condition string, values item) (done bool, err error) {
	_, err = client.PutItem(ctx, &dynamodb.PutItemInput{TableName: &table, Item: i, ConditionExpression: &condition,
		ExpressionAttributeValues: values})
	if _, refused := errors.AsType[*types.ConditionalCheckFailedException](err); refused {
		return false, nil
	}
	return err == nil, err
}

// saveTogether is save in one transaction: nothing can come between the version and its copy.
func saveTogether(ctx context.Context, table, document, text string) (version int, err error) {
	for {
		n, err := latest(ctx, table, document)
		if err != nil {
			return 0, err
		}
		key, err := sortkey.Version(uint64(n + 1))
		if err != nil {
			return 0, err
		}
		fresh := aws.String("attribute_not_exists(documentID)")
		version := types.Put{TableName: &table,
			Item:                attributes("documentID", document, "documentInfo", key, "version", n+1, "text", text),
			ConditionExpression: fresh}
		newest := types.Put{TableName: &table,
			Item: attributes("documentID", document, "documentInfo", sortkey.Latest, "version", n+1,
				"text", text),
			ConditionExpression: fresh}
		if n > 0 {
			newest.ConditionExpression, newest.ExpressionAttributeValues = aws.String("version = :n"), attributes(":n",
				n)
		}
		_, err = client.TransactWriteItems(ctx,
			&dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{{Put: &version},
				{Put: &newest}}})
		if err == nil {
			return n + 1, nil
		}
		if _, lost := errors.AsType[*types.TransactionCanceledException](err); !lost {
			return 0, err
		}
	}
}

// TestVersions lets many writers save one document at the same time: every text must be in the history once, under the
// number that its writer was told, without a gap, and the copy must be the last of them.
func TestVersions(t *testing.T) {
	for name, save := range map[string]func(ctx context.Context, table, document, text string) (int,
		error){"conditions": save, "transactions": saveTogether} {
		t.Run(name, func(t *testing.T) {
			table := "Versions-" + name
			create(t.Context(), design{name: table, hash: "documentID S", sort: "documentInfo S"})
			if name == "transactions" && !hasTransactions(t, table) {
				t.Skip("the server has no transactions")
			}
			race(t, table, save)
		})
	}
}

func hasTransactions(t *testing.T, table string) bool {
	_, err := client.TransactWriteItems(t.Context(),
		&dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{
			{Delete: &types.Delete{TableName: &table, Key: attributes("documentID", "none", "documentInfo", "none")}},
		}})
	return !unknownOperation(err)
}

func race(t *testing.T, table string, save func(ctx context.Context, table, document, text string) (int, error)) {
	const writers, each = 8, 10
	var mu sync.Mutex
	told := map[string]int{}
	var group sync.WaitGroup
	for writer := range writers {
		group.Go(func() {
			for i := range each {
				text := fmt.Sprintf("text %d of writer %d", i, writer)
				n, err := save(t.Context(), table, "d", text)
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				told[text] = n
				mu.Unlock()
			}
		})
	}
	group.Wait()
	history, err := query(t.Context(), ask(table, "", "documentID = :d AND begins_with(documentInfo, :v)",
		attributes(":d", "d", ":v", sortkey.VersionPrefix)))
	if err != nil || len(history) != writers*each+1 {
		t.Fatalf("%d items in the history, want %d: %v", len(history), writers*each+1, err)
	}
	for n, i := range history[1:] {
		key, _ := sortkey.Version(uint64(n + 1))
		if text(i, "documentInfo") != key || told[text(i, "text")] != n+1 {
			t.Errorf("%s holds %q, which is version %d to its writer", text(i, "documentInfo"), text(i, "text"),
				told[text(i, "text")])
		}
	}
	if last := history[len(history)-1]; text(history[0], "text") != text(last, "text") ||
		number(history[0], "version") != writers*each {
		t.Errorf("the copy is %v, the last version %v", history[0], last)
	}
}
