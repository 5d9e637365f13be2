// SPDX-License-Identifier: Apache-2.0

// Package sortkeys uses keys as people design them, through the AWS SDK against the real server. The examples show each
// pattern; the tests compare patterns with plain sorting of random data.
//
// Knows: the DynamoDB API, package sortkey.
// Never: packages inside the server.
package sortkeys

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/weftdb/weft/test/harness"
)

// client speaks to the one server that all examples and tests share; each has tables of its own.
var client *dynamodb.Client

func TestMain(m *testing.M) { os.Exit(serve(m)) }

// serve runs everything against a new server.
func serve(m *testing.M) int {
	dir, err := os.MkdirTemp("", "weft-sortkeys")
	check(err)
	defer os.RemoveAll(dir)
	binary, err := harness.Compile(dir)
	check(err)
	server, err := harness.Launch(binary, harness.Options{Data: dir + "/data"})
	check(err)
	defer server.Kill()
	client = server.Client()
	code := m.Run()
	if err := server.Stop(); err != nil {
		fmt.Fprintln(os.Stderr, "the server did not stop well:", err)
		return 1
	}
	return code
}

// check ends a program whose call failed; one that serves others would return the error.
func check(err error) {
	if err != nil {
		panic(err)
	}
}

type (
	item = map[string]types.AttributeValue
	// design is a table with key attributes written as name and type, such as "chain S".
	design struct {
		name, hash, sort string
		global, local    []indexDesign
		tags             map[string]string
	}
	indexDesign struct {
		name, hash, sort string
		keysOnly         bool
	}
)

// split takes "name T" apart. Names of computed keys have blanks of their own.
func split(attribute string) (name string, kind types.ScalarAttributeType) {
	at := strings.LastIndexByte(attribute, ' ')
	return attribute[:at], types.ScalarAttributeType(attribute[at+1:])
}

func keySchema(hash, sort string) (schema []types.KeySchemaElement) {
	name, _ := split(hash)
	schema = append(schema, types.KeySchemaElement{AttributeName: &name, KeyType: types.KeyTypeHash})
	if sort != "" {
		name, _ := split(sort)
		schema = append(schema, types.KeySchemaElement{AttributeName: &name, KeyType: types.KeyTypeRange})
	}
	return schema
}

func (d indexDesign) projection() *types.Projection {
	if d.keysOnly {
		return &types.Projection{ProjectionType: types.ProjectionTypeKeysOnly}
	}
	return &types.Projection{ProjectionType: types.ProjectionTypeAll}
}

// create makes the table and waits until it is active.
func create(ctx context.Context, d design) {
	input := &dynamodb.CreateTableInput{TableName: &d.name, BillingMode: types.BillingModePayPerRequest,
		KeySchema: keySchema(d.hash, d.sort)}
	attributes := []string{d.hash, d.sort}
	for _, x := range d.global {
		attributes = append(attributes, x.hash, x.sort)
		input.GlobalSecondaryIndexes = append(input.GlobalSecondaryIndexes,
			types.GlobalSecondaryIndex{IndexName: &x.name, KeySchema: keySchema(x.hash, x.sort),
				Projection: x.projection()})
	}
	for _, x := range d.local {
		attributes = append(attributes, x.sort)
		input.LocalSecondaryIndexes = append(input.LocalSecondaryIndexes,
			types.LocalSecondaryIndex{IndexName: &x.name, KeySchema: keySchema(d.hash, x.sort),
				Projection: x.projection()})
	}
	defined := map[string]bool{"": true}
	for _, attribute := range attributes {
		if !defined[attribute] {
			defined[attribute] = true
			name, kind := split(attribute)
			input.AttributeDefinitions = append(input.AttributeDefinitions,
				types.AttributeDefinition{AttributeName: &name, AttributeType: kind})
		}
	}
	for key, value := range d.tags {
		input.Tags = append(input.Tags, types.Tag{Key: &key, Value: &value})
	}
	check(harness.MakeTable(ctx, client, input))
}

// attributes makes an item of pairs of a name and what value takes.
func attributes(pairs ...any) item {
	made := item{}
	for i := 0; i < len(pairs); i += 2 {
		made[pairs[i].(string)] = value(pairs[i+1])
	}
	return made
}

// value is a string, an integer or a list of strings as the API has it.
func value(x any) types.AttributeValue {
	switch x := x.(type) {
	case string:
		return &types.AttributeValueMemberS{Value: x}
	case []string:
		return &types.AttributeValueMemberSS{Value: x}
	default:
		return &types.AttributeValueMemberN{Value: fmt.Sprint(x)}
	}
}

func put(ctx context.Context, table string, pairs ...any) {
	_, err := client.PutItem(ctx, &dynamodb.PutItemInput{TableName: &table, Item: attributes(pairs...)})
	check(err)
}

// text returns an attribute as text; numbers as DynamoDB writes them.
func text(i item, name string) string {
	switch v := i[name].(type) {
	case *types.AttributeValueMemberS:
		return v.Value
	case *types.AttributeValueMemberN:
		return v.Value
	case *types.AttributeValueMemberSS:
		return fmt.Sprint(v.Value)
	}
	return ""
}

func number(i item, name string) int {
	n, _ := strconv.Atoi(text(i, name))
	return n
}

// query reads all pages of a Query.
func query(ctx context.Context, q dynamodb.QueryInput) (found []item, err error) {
	pages := dynamodb.NewQueryPaginator(client, &q)
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return found, err
		}
		found = append(found, page.Items...)
	}
	return found, nil
}

// ask is a Query of a table or index ("" is the table) for a key condition. names are pairs of a placeholder and a
// name, for names that are no words.
func ask(table, index, condition string, values item, names ...string) dynamodb.QueryInput {
	q := dynamodb.QueryInput{TableName: &table, KeyConditionExpression: &condition, ExpressionAttributeValues: values}
	if index != "" {
		q.IndexName = aws.String(index)
	}
	for i := 0; i < len(names); i += 2 {
		if q.ExpressionAttributeNames == nil {
			q.ExpressionAttributeNames = map[string]string{}
		}
		q.ExpressionAttributeNames[names[i]] = names[i+1]
	}
	return q
}

// show prints one attribute of all items that a Query finds.
func show(ctx context.Context, q dynamodb.QueryInput, attribute string) {
	found, err := query(ctx, q)
	check(err)
	fmt.Println(texts(found, attribute))
}

func texts(items []item, attribute string) []string {
	all := []string{}
	for _, i := range items {
		all = append(all, text(i, attribute))
	}
	return all
}

// scan reads a table or an index with one Scan, in pages of so many items; 0 is as many as fit.
func scan(ctx context.Context, table, index string, limit int32) (found []item) {
	input := &dynamodb.ScanInput{TableName: &table}
	if index != "" {
		input.IndexName = &index
	}
	if limit > 0 {
		input.Limit = &limit
	}
	pages := dynamodb.NewScanPaginator(client, input)
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		check(err)
		found = append(found, page.Items...)
	}
	return found
}
