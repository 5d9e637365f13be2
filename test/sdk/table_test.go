// SPDX-License-Identifier: Apache-2.0

package sdk

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"

	"github.com/weftdb/weft/test/harness"
)

const waitMax = time.Minute

// TestTableLife creates, describes, lists, changes and deletes tables, with the SDK's own waiters and paginators.
func TestTableLife(t *testing.T) {
	var names []string
	for i := range 5 {
		name := fmt.Sprintf("life-%d", i)
		names = append(names, name)
		made, err := client.CreateTable(t.Context(), table(name, "pk:S"))
		if err != nil || made.TableDescription.TableStatus != types.TableStatusCreating {
			t.Fatalf("%v, %v", made, err)
		}
		described, err := dynamodb.NewTableExistsWaiter(client).WaitForOutput(t.Context(),
			&dynamodb.DescribeTableInput{TableName: &name}, waitMax)
		if err != nil || *described.Table.TableId != *made.TableDescription.TableId ||
			described.Table.CreationDateTime.IsZero() {
			t.Fatalf("%v, %v", described, err)
		}
	}
	var listed []string
	pages := dynamodb.NewListTablesPaginator(client, &dynamodb.ListTablesInput{Limit: aws.Int32(2)})
	for pages.HasMorePages() {
		page, err := pages.NextPage(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		listed = append(listed, page.TableNames...)
	}
	for _, name := range names {
		if !slices.Contains(listed, name) {
			t.Errorf("%s is not in %v", name, listed)
		}
	}

	_, err := client.CreateTable(t.Context(), table("life-0", "pk:S"))
	if exists, ok := errors.AsType[*types.ResourceInUseException](err); !ok ||
		exists.ErrorMessage() != "Table already exists: life-0" {
		t.Error(err)
	}
	if _, err = client.UpdateTable(t.Context(),
		&dynamodb.UpdateTableInput{TableName: aws.String("life-0"),
			DeletionProtectionEnabled: aws.Bool(true)}); err != nil {
		t.Fatal(err)
	}
	_, err = client.DeleteTable(t.Context(), &dynamodb.DeleteTableInput{TableName: aws.String("life-0")})
	wantAPIError(t, err, "ValidationException", "protected against deletion")
	if _, err = client.UpdateTable(t.Context(),
		&dynamodb.UpdateTableInput{TableName: aws.String("life-0"),
			DeletionProtectionEnabled: aws.Bool(false)}); err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if _, err := client.DeleteTable(t.Context(), &dynamodb.DeleteTableInput{TableName: &name}); err != nil {
			t.Fatal(err)
		}
		if err := dynamodb.NewTableNotExistsWaiter(client).Wait(t.Context(),
			&dynamodb.DescribeTableInput{TableName: &name}, waitMax); err != nil {
			t.Fatal(err)
		}
	}
}

// TestIndexBuild adds an index to a table while clients write to it. Afterwards the index holds what the table holds,
// and nothing else.
func TestIndexBuild(t *testing.T) {
	name := aws.String("online")
	create(t, table("online", "pk:S", "sk:N"))
	fill(t, "online", 200)
	var group sync.WaitGroup
	var stop atomic.Bool
	for worker := range 4 {
		group.Go(func() {
			for i := 0; !stop.Load(); i++ {
				key := item{"pk": s(fmt.Sprintf("p%d", worker)), "sk": n(i % 200)}
				var err error
				if i%5 == 0 {
					_, err = client.DeleteItem(t.Context(), &dynamodb.DeleteItemInput{TableName: name, Key: key})
				} else {
					_, err = client.UpdateItem(t.Context(),
						&dynamodb.UpdateItemInput{TableName: name, Key: key,
							UpdateExpression:          aws.String("SET #m = :m"),
							ExpressionAttributeNames:  map[string]string{"#m": "mod"},
							ExpressionAttributeValues: item{":m": n(i % 7)}})
				}
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	keys, definitions := schema("mod:N", "sk:N")
	out, err := client.UpdateTable(t.Context(),
		&dynamodb.UpdateTableInput{TableName: name, AttributeDefinitions: definitions,
			GlobalSecondaryIndexUpdates: []types.GlobalSecondaryIndexUpdate{
				{Create: &types.CreateGlobalSecondaryIndexAction{IndexName: aws.String("by-mod"), KeySchema: keys,
					Projection: everything()}}}})
	if err != nil || out.TableDescription.TableStatus != types.TableStatusUpdating ||
		out.TableDescription.GlobalSecondaryIndexes[0].IndexStatus != types.IndexStatusCreating {
		t.Errorf("%v, %v", out, err)
	}
	harness.WaitTable(t, client, "online", func(d *types.TableDescription) bool {
		return d.TableStatus == types.TableStatusActive &&
			d.GlobalSecondaryIndexes[0].IndexStatus == types.IndexStatusActive
	})
	stop.Store(true)
	group.Wait()

	inTable := scan(t, &dynamodb.ScanInput{TableName: name, ConsistentRead: aws.Bool(true)})
	inIndex := scan(t, &dynamodb.ScanInput{TableName: name, IndexName: aws.String("by-mod")})
	slices.Sort(inIndex)
	if !slices.Equal(inTable, inIndex) {
		t.Errorf("%d items in the table, %d in the index", len(inTable), len(inIndex))
	}

	if _, err := client.UpdateTable(t.Context(), &dynamodb.UpdateTableInput{TableName: name,
		GlobalSecondaryIndexUpdates: []types.GlobalSecondaryIndexUpdate{
			{Delete: &types.DeleteGlobalSecondaryIndexAction{IndexName: aws.String("by-mod")}}}}); err != nil {
		t.Fatal(err)
	}
	harness.WaitTable(t, client, "online", func(d *types.TableDescription) bool {
		return d.TableStatus == types.TableStatusActive && len(d.GlobalSecondaryIndexes) == 0
	})
}

// TestErrors finds each error as the type that the SDK has for it.
func TestErrors(t *testing.T) {
	input := table("errors", "pk:S")
	global(input, "index", "x:S")
	create(t, input)
	name := aws.String("errors")

	_, err := client.GetItem(t.Context(),
		&dynamodb.GetItemInput{TableName: aws.String("no-such"), Key: item{"pk": s("a")}})
	if e, ok := errors.AsType[*types.ResourceNotFoundException](err); !ok ||
		e.ErrorMessage() != "Requested resource not found" {
		t.Error(err)
	}
	_, err = client.DescribeTable(t.Context(), &dynamodb.DescribeTableInput{TableName: aws.String("no-such")})
	if e, ok := errors.AsType[*types.ResourceNotFoundException](err); !ok ||
		e.ErrorMessage() != "Requested resource not found: Table: no-such not found" {
		t.Error(err)
	}
	_, err = client.DeleteItem(t.Context(),
		&dynamodb.DeleteItemInput{TableName: name, Key: item{"pk": s("a")},
			ConditionExpression: aws.String("attribute_exists(pk)")})
	if e, ok := errors.AsType[*types.ConditionalCheckFailedException](err); !ok ||
		e.ErrorMessage() != "The conditional request failed" {
		t.Error(err)
	}
	_, err = client.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: name, Key: item{"pk": n(1)}})
	wantAPIError(t, err, "ValidationException", "The provided key element does not match the schema")
	_, err = client.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: name, Item: item{"x": s("a")}})
	wantAPIError(t, err, "ValidationException", "Missing the key pk in the item")
	_, err = client.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: name, Item: item{"pk": s("a"), "x": n(1)}})
	wantAPIError(t, err, "ValidationException", "Type mismatch for Index Key x Expected: S Actual: N IndexName: index")
	_, err = client.Scan(t.Context(), &dynamodb.ScanInput{TableName: name, FilterExpression: aws.String("x ~ y")})
	wantAPIError(t, err, "ValidationException", "Invalid FilterExpression: Syntax error")
	_, err = client.Scan(t.Context(), &dynamodb.ScanInput{TableName: name, IndexName: aws.String("index"),
		ConsistentRead: aws.Bool(true)})
	wantAPIError(t, err, "ValidationException", "Consistent reads are not supported on global secondary indexes")
	_, err = client.CreateGlobalTable(t.Context(),
		&dynamodb.CreateGlobalTableInput{GlobalTableName: name,
			ReplicationGroup: []types.Replica{{RegionName: aws.String("x")}}})
	wantAPIError(t, err, "UnknownOperationException", "")
}

// wantAPIError wants an error of that code whose message holds a text.
func wantAPIError(t *testing.T, err error, code, part string) {
	t.Helper()
	e, ok := errors.AsType[smithy.APIError](err)
	if !ok || e.ErrorCode() != code || !contains(e.ErrorMessage(), part) {
		t.Errorf("got %v, want %s with %q", err, code, part)
	}
}
