// SPDX-License-Identifier: Apache-2.0

package crash

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"

	"github.com/weftdb/weft/test/harness"
)

const (
	tableName  = "load"
	fillerName = "filler"
	fillerRows = 10_000
	concatName = "concat(color,'#',user)"
	descName   = "desc(at)"
	timeName   = "until" // when an item expires
)

var colors = []string{"red", "green", "blue", "grey", counterName}

// index is one index as it should be.
type index struct {
	name       string
	hash, sort string                  // names of its key attributes
	needs      []string                // an item is in it if it has these
	holds      []string                // the attributes it holds; nil is all
	partition  func(document) string   // the value of hash
	compare    func(a, b document) int // by sort
}

func text(name string) func(document) string { return func(d document) string { return d[name][1:] } }

func byNumber(name string) func(a, b document) int {
	return func(a, b document) int { return cmp.Compare(a.number(name), b.number(name)) }
}

func byNothing(document, document) int { return 0 }

// indexes are those that the table has from the beginning: one in order with everything in it, one that few items are
// in, one with a computed key.
func indexes() []index {
	return []index{
		{name: "by_color", hash: "color", sort: "weight", needs: []string{"color", "weight"}, partition: text("color"),
			compare: byNumber("weight")},
		{name: "flagged", hash: "flag", needs: []string{"flag"}, holds: []string{"pk", "sk", "flag"},
			partition: text("flag"), compare: byNothing},
		{name: "computed", hash: concatName, sort: descName, needs: []string{"color", "user", "at"},
			holds:     []string{"pk", "sk", "color", "user", "at", "v"},
			partition: func(d document) string { return text("color")(d) + "#" + text("user")(d) },
			compare:   func(a, b document) int { return cmp.Compare(b.number("at"), a.number("at")) }},
	}
}

// late is the index that is built while the server is killed.
func late() index {
	return index{name: "late", hash: "late", needs: []string{"late"}, partition: text("late"), compare: byNothing}
}

func element(name string, kind types.KeyType) types.KeySchemaElement {
	return types.KeySchemaElement{AttributeName: aws.String(name), KeyType: kind}
}

func (x index) keySchema() []types.KeySchemaElement {
	schema := []types.KeySchemaElement{element(x.hash, types.KeyTypeHash)}
	if x.sort != "" {
		schema = append(schema, element(x.sort, types.KeyTypeRange))
	}
	return schema
}

func (x index) projection() *types.Projection {
	switch {
	case x.holds == nil:
		return &types.Projection{ProjectionType: types.ProjectionTypeAll}
	case slices.Contains(x.holds, "v"):
		return &types.Projection{ProjectionType: types.ProjectionTypeInclude, NonKeyAttributes: []string{"v"}}
	}
	return &types.Projection{ProjectionType: types.ProjectionTypeKeysOnly}
}

func definition(name string, kind types.ScalarAttributeType) types.AttributeDefinition {
	return types.AttributeDefinition{AttributeName: aws.String(name), AttributeType: kind}
}

func table() *dynamodb.CreateTableInput {
	input := &dynamodb.CreateTableInput{
		TableName: aws.String(tableName), BillingMode: types.BillingModePayPerRequest,
		StreamSpecification: &types.StreamSpecification{StreamEnabled: aws.Bool(true),
			StreamViewType: types.StreamViewTypeNewAndOldImages},
		KeySchema: []types.KeySchemaElement{element("pk", types.KeyTypeHash),
			element("sk", types.KeyTypeRange)},
		AttributeDefinitions: []types.AttributeDefinition{
			definition("pk", types.ScalarAttributeTypeS), definition("sk", types.ScalarAttributeTypeN),
			definition("color", types.ScalarAttributeTypeS), definition("weight", types.ScalarAttributeTypeN),
			definition("flag", types.ScalarAttributeTypeS),
			definition(concatName, types.ScalarAttributeTypeS), definition(descName, types.ScalarAttributeTypeN),
		},
	}
	for _, x := range indexes() {
		input.GlobalSecondaryIndexes = append(input.GlobalSecondaryIndexes,
			types.GlobalSecondaryIndex{IndexName: aws.String(x.name), KeySchema: x.keySchema(),
				Projection: x.projection()})
	}
	return input
}

// fill writes rows that no worker touches, so that an index build takes a while, and the counters.
func (r *run) fill() {
	r.filler = map[itemKey]document{}
	for i := range fillerRows {
		key := itemKey{fillerName, i}
		r.filler[key] = key.document().with(document{"late": lateValue(r.rng), "v": "Sfiller"})
	}
	rows := slices.Collect(maps.Values(r.filler))
	for i := range countersCount {
		rows = append(rows, itemKey{counterName,
			i}.document().with(document{"color": "S" + counterName, "weight": "N0"}))
	}
	var group sync.WaitGroup
	chunks := make(chan []document)
	for range workersCount {
		group.Go(func() {
			for chunk := range chunks {
				r.fillChunk(chunk)
			}
		})
	}
	for chunk := range slices.Chunk(rows, 25) {
		chunks <- chunk
	}
	close(chunks)
	group.Wait()
	if r.t.Failed() {
		r.t.FailNow()
	}
}

func (r *run) fillChunk(chunk []document) {
	var requests []types.WriteRequest
	for _, d := range chunk {
		requests = append(requests, types.WriteRequest{PutRequest: &types.PutRequest{Item: d.attributes()}})
	}
	out, err := r.client.BatchWriteItem(r.t.Context(),
		&dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{tableName: requests}})
	if err != nil || len(out.UnprocessedItems) > 0 {
		r.t.Errorf("filling the table: %v, %v", err, out)
	}
}

// beginBuild asks for the late index; the kill may come before the answer.
func (r *run) beginBuild() {
	x := late()
	_, err := r.client.UpdateTable(r.t.Context(), &dynamodb.UpdateTableInput{
		TableName:            aws.String(tableName),
		AttributeDefinitions: []types.AttributeDefinition{definition(x.hash, types.ScalarAttributeTypeS)},
		GlobalSecondaryIndexUpdates: []types.GlobalSecondaryIndexUpdate{{
			Create: &types.CreateGlobalSecondaryIndexAction{IndexName: aws.String(x.name), KeySchema: x.keySchema(),
				Projection: x.projection()},
		}},
	})
	var answer smithy.APIError
	if errors.As(err, &answer) {
		r.t.Errorf("adding an index: %v", err)
	}
}

// lateStatus is the state of the late index, "" if there is none.
func lateStatus(d *types.TableDescription) types.IndexStatus {
	for _, x := range d.GlobalSecondaryIndexes {
		if *x.IndexName == late().name {
			return x.IndexStatus
		}
	}
	return ""
}

// lookAtBuild counts how far the build had come. It is called as soon as the server is ready again.
func (r *run) lookAtBuild() {
	switch lateStatus(harness.WaitTable(r.t, r.client, tableName, func(*types.TableDescription) bool { return true })) {
	case "":
		r.buildsLate++
		r.building = false
	case types.IndexStatusActive:
		r.buildsEarly++
	default:
		r.buildsCut++
	}
}

// endBuild waits until the late index is whole, compares it and drops it again.
func (r *run) endBuild(rows map[itemKey]document) {
	harness.WaitTable(r.t, r.client, tableName,
		func(d *types.TableDescription) bool { return lateStatus(d) == types.IndexStatusActive })
	r.checkIndex(late(), rows)
	_, err := r.client.UpdateTable(r.t.Context(), &dynamodb.UpdateTableInput{
		TableName: aws.String(tableName),
		GlobalSecondaryIndexUpdates: []types.GlobalSecondaryIndexUpdate{
			{Delete: &types.DeleteGlobalSecondaryIndexAction{IndexName: aws.String(late().name)}}},
	})
	if err != nil {
		r.t.Fatalf("dropping the index: %v", err)
	}
	harness.WaitTable(r.t, r.client, tableName, func(d *types.TableDescription) bool { return lateStatus(d) == "" })
}
