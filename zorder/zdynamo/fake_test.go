// SPDX-License-Identifier: Apache-2.0

package zdynamo

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/weftdb/weft/zorder/codec"
)

// fake is one partition of an index, in the order of address and primary key. It is as strict as DynamoDB about what
// the kit could get wrong.
type fake struct {
	t       *testing.T
	items   []Item
	pageMax int // items that a request reads at most
	sent    []*dynamodb.QueryInput
	fail    error // of the next request
}

func text(v types.AttributeValue) string {
	switch v := v.(type) {
	case *types.AttributeValueMemberS:
		return v.Value
	case *types.AttributeValueMemberN:
		return v.Value
	case *types.AttributeValueMemberB:
		return string(v.Value)
	}
	return ""
}

func compare(a, b Item) int {
	return strings.Compare(text(a["z"])+text(a["id"]), text(b["z"])+text(b["id"]))
}

func (f *fake) add(x *Index, item Item) {
	f.t.Helper()
	if err := x.Stamp(item); err != nil {
		f.t.Fatal(err)
	}
	if item["z"] != nil {
		f.items = append(f.items, item)
		slices.SortFunc(f.items, compare)
	}
}

func (f *fake) Query(_ context.Context, in *dynamodb.QueryInput, _ ...func(*dynamodb.Options)) (*dynamodb.QueryOutput,
	error) {
	f.sent = append(f.sent, in)
	if err := f.fail; err != nil {
		f.fail = nil
		return nil, err
	}
	low, high := []byte(text(in.ExpressionAttributeValues[":zdl"])), []byte(text(in.ExpressionAttributeValues[":zdh"]))
	bounded := strings.Contains(*in.KeyConditionExpression, "BETWEEN")
	if bounded && bytes.Compare(low, high) > 0 {
		return nil, fmt.Errorf("bounds in the wrong order: %x %x", low, high)
	}
	within := func(item Item) bool {
		z := []byte(text(item["z"]))
		return bytes.Compare(z, low) >= 0 && (!bounded || bytes.Compare(z, high) <= 0)
	}
	if in.ExclusiveStartKey != nil && (!within(in.ExclusiveStartKey) || len(in.ExclusiveStartKey) != 3) {
		return nil, fmt.Errorf("start key outside of the bounds: %v", in.ExclusiveStartKey)
	}
	items := slices.Clone(f.items)
	if !aws.ToBool(in.ScanIndexForward) {
		slices.Reverse(items)
	}
	out := &dynamodb.QueryOutput{ConsumedCapacity: &types.ConsumedCapacity{CapacityUnits: aws.Float64(0.5)}}
	for _, item := range items {
		order := compare(item, in.ExclusiveStartKey)
		if !aws.ToBool(in.ScanIndexForward) {
			order = -order
		}
		if !within(item) || in.ExclusiveStartKey != nil && order <= 0 {
			continue
		}
		out.Items = append(out.Items, cloneOf(item))
		out.ScannedCount++
		if out.ScannedCount == min(*in.Limit, int32(f.pageMax)) {
			out.LastEvaluatedKey = Item{"p": item["p"], "z": item["z"], "id": item["id"]}
			break
		}
	}
	return out, nil
}

func cloneOf(item Item) Item {
	clone := Item{}
	for name, v := range item {
		clone[name] = v
	}
	return clone
}

func codecs(t testing.TB, list string) []Attribute {
	t.Helper()
	parsed, err := codec.Parse(list)
	if err != nil {
		t.Fatal(err)
	}
	var attributes []Attribute
	for _, a := range parsed {
		c, err := codec.New(a, 1)
		if err != nil {
			t.Fatal(err)
		}
		attributes = append(attributes, Attribute{Name: a.Name, Codec: c})
	}
	return attributes
}

func index(t testing.TB, list string) *Index {
	t.Helper()
	x, err := New(Schema{Table: "t", Index: "byZ", Partition: "p", Address: "z", TableKey: []string{"id"},
		Attributes: codecs(t, list)})
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func n(v any) types.AttributeValue { return &types.AttributeValueMemberN{Value: fmt.Sprint(v)} }

func s(v string) types.AttributeValue { return &types.AttributeValueMemberS{Value: v} }

// failing fails after some requests, and again after as many.
type failing struct {
	*fake
	left int
	err  error
}

func (f *failing) Query(ctx context.Context, in *dynamodb.QueryInput,
	_ ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error) {
	if f.left == 0 {
		return nil, f.err
	}
	f.left--
	return f.fake.Query(ctx, in)
}
