// SPDX-License-Identifier: Apache-2.0

package zorder

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/weftdb/weft/test/harness"
)

// keyOf makes a key of attributes: one whose name begins with zorder( is of type B, others are texts.
func keyOf(names []string, definitions map[string]types.ScalarAttributeType) (schema []types.KeySchemaElement) {
	for i, name := range names {
		definitions[name] = types.ScalarAttributeTypeS
		if strings.HasPrefix(name, "zorder(") {
			definitions[name] = types.ScalarAttributeTypeB
		}
		schema = append(schema, types.KeySchemaElement{AttributeName: &names[i],
			KeyType: []types.KeyType{types.KeyTypeHash, types.KeyTypeRange}[i]})
	}
	return schema
}

// create makes a table with the given key, and a global index box if it has a key.
func create(t *testing.T, name string, key, index []string) {
	t.Helper()
	definitions := map[string]types.ScalarAttributeType{}
	input := &dynamodb.CreateTableInput{TableName: &name, KeySchema: keyOf(key, definitions),
		BillingMode: types.BillingModePayPerRequest}
	if index != nil {
		input.GlobalSecondaryIndexes = []types.GlobalSecondaryIndex{{
			IndexName: aws.String("box"), KeySchema: keyOf(index, definitions),
			Projection: &types.Projection{ProjectionType: types.ProjectionTypeAll},
		}}
	}
	input.AttributeDefinitions = listed(definitions)
	harness.CreateTable(t, client, input)
}

func listed(definitions map[string]types.ScalarAttributeType) (list []types.AttributeDefinition) {
	for _, name := range slices.Sorted(maps.Keys(definitions)) {
		list = append(list, types.AttributeDefinition{AttributeName: aws.String(name),
			AttributeType: definitions[name]})
	}
	return list
}

func put(t *testing.T, table string, i item) {
	t.Helper()
	if err := tryPut(t, table, i); err != nil {
		t.Fatal(err)
	}
}

func tryPut(t *testing.T, table string, i item) error {
	_, err := client.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: &table, Item: i})
	return err
}

// ask is a query of the index box below one partition key, or with kind "" a scan of it; of the table itself if own is
// set.
type ask struct {
	table, kind, filter string
	own                 bool
	values              item
	limit               int32
	backward            bool
	start               item
}

// reply is one page.
type reply struct {
	items          []item
	count, scanned int
	last           item
	units          float64
}

// ids are the attributes id of the items.
func (r *reply) ids() (ids []string) {
	for _, i := range r.items {
		ids = append(ids, text(i, "id"))
	}
	return ids
}

func (a ask) page(t *testing.T) reply {
	t.Helper()
	r, err := a.try(t)
	if err != nil {
		t.Fatalf("%+v: %v", a, err)
	}
	return r
}

func (a ask) try(t *testing.T) (r reply, err error) {
	values := maps.Clone(a.values)
	if values == nil {
		values = item{}
	}
	index, filter, limit := aws.String("box"), &a.filter, &a.limit
	if a.own {
		index = nil
	}
	if a.filter == "" {
		filter = nil
	}
	if a.limit == 0 {
		limit = nil
	}
	if a.kind == "" {
		input := &dynamodb.ScanInput{TableName: &a.table, IndexName: index, FilterExpression: filter, Limit: limit,
			ExclusiveStartKey:      a.start,
			ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal}
		if len(values) > 0 {
			input.ExpressionAttributeValues = values
		}
		found, err := client.Scan(t.Context(), input)
		if err != nil {
			return r, err
		}
		return reply{found.Items, int(found.Count), int(found.ScannedCount), found.LastEvaluatedKey,
			*found.ConsumedCapacity.CapacityUnits}, nil
	}
	values[":kind"] = s(a.kind)
	found, err := client.Query(t.Context(),
		&dynamodb.QueryInput{TableName: &a.table, IndexName: index, KeyConditionExpression: aws.String("kind = :kind"),
			FilterExpression: filter, ExpressionAttributeValues: values, Limit: limit,
			ScanIndexForward: aws.Bool(!a.backward), ExclusiveStartKey: a.start,
			ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal})
	if err != nil {
		return r, err
	}
	return reply{found.Items, int(found.Count), int(found.ScannedCount), found.LastEvaluatedKey,
		*found.ConsumedCapacity.CapacityUnits}, nil
}

// all asks for page after page, of one walk.
func (a ask) all(t *testing.T) (whole reply, pages int) {
	t.Helper()
	for {
		r := a.page(t)
		if pages++; pages > 10_000 {
			t.Fatalf("%+v does not end", a)
		}
		whole.items, whole.count, whole.scanned = append(whole.items, r.items...), whole.count+r.count, whole.scanned+
			r.scanned
		if whole.units += r.units; r.last == nil {
			return whole, pages
		}
		if a.limit > 0 && r.scanned != int(a.limit) {
			t.Errorf("%+v: a page of %d entries goes on", a, r.scanned)
		}
		a.start = r.last
	}
}

// expect wants the given ids, in any order, from a number of entries looked at; -1 is any.
func (a ask) expect(t *testing.T, scanned int, ids ...string) {
	t.Helper()
	r, _ := a.all(t)
	got := slices.Sorted(slices.Values(r.ids()))
	slices.Sort(ids)
	if !slices.Equal(got, ids) || r.count != len(ids) || scanned >= 0 && r.scanned != scanned {
		t.Errorf("%s %s: %q, %d of %d; want %q of %d", a.filter, format(a.values), got, r.count, r.scanned, ids,
			scanned)
	}
}

// refused wants an error with a text in it.
func refused(t *testing.T, err error, words string) {
	t.Helper()
	if err == nil || !strings.Contains(fmt.Sprint(err), words) {
		t.Errorf("%v, want an error with %q", err, words)
	}
}
