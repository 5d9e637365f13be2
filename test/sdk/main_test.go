// SPDX-License-Identifier: Apache-2.0

// Package sdk uses every operation of the DynamoDB API as programs do: through the AWS SDK for Go, unchanged, against
// the real server.
//
// Knows: the DynamoDB API as the SDK has it, HTTP for clients that misbehave.
// Never: packages inside the server.
package sdk

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/weftdb/weft/test/harness"
)

// What all tests share: the binary, and one running server with a client. Each test has tables of its own.
var (
	binary string
	server *harness.Server
	client *dynamodb.Client
)

func TestMain(m *testing.M) {
	os.Exit(harness.Main(m, func(dir string) (_ *harness.Server, err error) {
		binary, server, err = harness.Fresh(dir)
		if err == nil {
			client = retrying(server)
		}
		return server, err
	}))
}

// retrying returns a client that tries again as the SDK does by default. It has to: when an answer is quick, the SDK
// closes the request's body before net/http has looked for its end, net/http takes that for a failure and closes the
// connection, and the rest of an answer longer than its read buffer is lost.
func retrying(from *harness.Server) *dynamodb.Client {
	options := from.Client().Options()
	options.Retryer = retry.NewStandard()
	return dynamodb.New(options)
}

type item = map[string]types.AttributeValue

func s(text string) types.AttributeValue { return &types.AttributeValueMemberS{Value: text} }

func n(number any) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: fmt.Sprint(number)}
}

// text is a string or number of an item, "" if there is none.
func text(i item, name string) string {
	switch v := i[name].(type) {
	case *types.AttributeValueMemberS:
		return v.Value
	case *types.AttributeValueMemberN:
		return v.Value
	}
	return ""
}

// texts is one attribute of all items.
func texts(items []item, name string) (all []string) {
	for _, i := range items {
		all = append(all, text(i, name))
	}
	return all
}

// schema makes a key schema and definitions of attributes such as "at:N", the first of them the HASH.
func schema(attributes ...string) (keys []types.KeySchemaElement, definitions []types.AttributeDefinition) {
	for i, attribute := range attributes {
		at := strings.LastIndexByte(attribute, ':')
		kind := types.KeyTypeRange
		if i == 0 {
			kind = types.KeyTypeHash
		}
		keys = append(keys, types.KeySchemaElement{AttributeName: aws.String(attribute[:at]), KeyType: kind})
		definitions = append(definitions,
			types.AttributeDefinition{AttributeName: aws.String(attribute[:at]),
				AttributeType: types.ScalarAttributeType(attribute[at+1:])})
	}
	return keys, definitions
}

// table is the request for a table with the given key.
func table(name string, attributes ...string) *dynamodb.CreateTableInput {
	keys, definitions := schema(attributes...)
	return &dynamodb.CreateTableInput{TableName: &name, KeySchema: keys, AttributeDefinitions: definitions,
		BillingMode: types.BillingModePayPerRequest}
}

// global adds a global index to the request.
func global(input *dynamodb.CreateTableInput, name string, attributes ...string) {
	keys, definitions := schema(attributes...)
	input.GlobalSecondaryIndexes = append(input.GlobalSecondaryIndexes,
		types.GlobalSecondaryIndex{IndexName: &name, KeySchema: keys, Projection: everything()})
	define(input, definitions)
}

// local adds a local index to the request.
func local(input *dynamodb.CreateTableInput, name string, attributes ...string) {
	keys, definitions := schema(attributes...)
	input.LocalSecondaryIndexes = append(input.LocalSecondaryIndexes,
		types.LocalSecondaryIndex{IndexName: &name, KeySchema: keys, Projection: everything()})
	define(input, definitions)
}

func everything() *types.Projection {
	return &types.Projection{ProjectionType: types.ProjectionTypeAll}
}

// define adds the definitions that are not there yet.
func define(input *dynamodb.CreateTableInput, definitions []types.AttributeDefinition) {
	for _, d := range definitions {
		known := false
		for _, other := range input.AttributeDefinitions {
			known = known || *other.AttributeName == *d.AttributeName
		}
		if !known {
			input.AttributeDefinitions = append(input.AttributeDefinitions, d)
		}
	}
}

// create makes a table that is deleted when the test ends.
func create(t *testing.T, input *dynamodb.CreateTableInput) {
	t.Helper()
	harness.CreateTable(t, client, input)
	t.Cleanup(func() {
		if _, err := client.DeleteTable(context.Background(),
			&dynamodb.DeleteTableInput{TableName: input.TableName}); err != nil {
			t.Error(err)
		}
	})
}

func put(t *testing.T, table string, i item) {
	t.Helper()
	if _, err := client.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: &table, Item: i}); err != nil {
		t.Fatal(err)
	}
}

// query reads all pages.
func query(t *testing.T, input *dynamodb.QueryInput) (found []item) {
	t.Helper()
	pages := dynamodb.NewQueryPaginator(client, input)
	for pages.HasMorePages() {
		page, err := pages.NextPage(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if int(page.Count) != len(page.Items) {
			t.Fatalf("Count is %d with %d items", page.Count, len(page.Items))
		}
		found = append(found, page.Items...)
	}
	return found
}
