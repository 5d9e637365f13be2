// SPDX-License-Identifier: Apache-2.0

package zdynamo

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Putter is the part of *dynamodb.Client that Put needs.
type Putter interface {
	PutItem(ctx context.Context, input *dynamodb.PutItemInput,
		options ...func(*dynamodb.Options)) (*dynamodb.PutItemOutput, error)
}

// Updater is the part of *dynamodb.Client that Update needs.
type Updater interface {
	GetItem(ctx context.Context, input *dynamodb.GetItemInput,
		options ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error)
	UpdateItem(ctx context.Context, input *dynamodb.UpdateItemInput,
		options ...func(*dynamodb.Options)) (*dynamodb.UpdateItemOutput, error)
}

// triesMax is the number of times that Update tries to get in between the changes of others.
const triesMax = 10

// Put stamps input.Item and writes it. A nil TableName is the schema's table.
func (x *Index) Put(ctx context.Context, to Putter, input *dynamodb.PutItemInput) (*dynamodb.PutItemOutput, error) {
	if err := x.Stamp(input.Item); err != nil {
		return nil, err
	}
	if input.TableName == nil {
		input.TableName = &x.schema.Table
	}
	return to.PutItem(ctx, input)
}

// Update sets attributes of an item, in the table of a secondary index, and its address with them; a nil value removes
// the attribute. The address depends on attributes that may not be among the changes, so the item is read first and
// written on condition that nobody has changed these meanwhile; otherwise it is tried again, and after ten times the
// error wraps ErrContended. Without an item a new one is made. It returns the item as it is then. An address that is
// part of the table's key cannot be changed in place: delete the item and put another in one transaction.
func (x *Index) Update(ctx context.Context, to Updater, key, changes Item) (Item, error) {
	if slices.Contains(x.schema.TableKey, x.schema.Address) {
		return nil, fmt.Errorf("%w: its address is part of its key; delete it and put the new one in a transaction",
			ErrItem)
	}
	for range triesMax {
		old, err := to.GetItem(ctx, &dynamodb.GetItemInput{TableName: &x.schema.Table, Key: key,
			ConsistentRead: aws.Bool(true)})
		if err != nil {
			return nil, err
		}
		input, err := x.updateInput(old.Item, key, changes)
		if err != nil {
			return nil, err
		}
		out, err := to.UpdateItem(ctx, input)
		if err == nil {
			return out.Attributes, nil
		}
		if _, refused := errors.AsType[*types.ConditionalCheckFailedException](err); !refused {
			return nil, err
		}
	}
	return nil, ErrContended
}

// updateInput is the update that makes the changes to the item as it was read.
func (x *Index) updateInput(old, key, changes Item) (*dynamodb.UpdateItemInput, error) {
	changed := maps.Clone(old)
	if changed == nil {
		changed = maps.Clone(key)
	}
	written := maps.Clone(changes)
	for name, v := range changes {
		if changed[name] = v; v == nil {
			delete(changed, name)
		}
	}
	if err := x.Stamp(changed); err != nil {
		return nil, err
	}
	written[x.schema.Address] = changed[x.schema.Address]
	u := updateText{names: map[string]string{}, values: Item{}}
	for _, name := range slices.Sorted(maps.Keys(written)) {
		u.change(name, written[name])
	}
	for _, name := range slices.Concat(x.names(), x.schema.Tail) {
		u.expect(name, old[name])
	}
	if len(u.values) == 0 {
		u.values = nil
	}
	expression := u.expression()
	return &dynamodb.UpdateItemInput{
		TableName: &x.schema.Table, Key: key, UpdateExpression: &expression,
		ConditionExpression:      some(strings.Join(u.expected, " AND ")),
		ExpressionAttributeNames: u.names, ExpressionAttributeValues: u.values, ReturnValues: types.ReturnValueAllNew,
	}, nil
}

// updateText collects the expressions of an update.
type updateText struct {
	set, remove, expected []string
	names                 map[string]string
	values                Item
}

func (u *updateText) change(name string, v types.AttributeValue) {
	if v == nil {
		u.remove = append(u.remove, u.name(name))
		return
	}
	u.set = append(u.set, u.name(name)+" = "+u.value(v))
}

// expect adds the condition that an attribute is as it was.
func (u *updateText) expect(name string, v types.AttributeValue) {
	if v == nil {
		u.expected = append(u.expected, "attribute_not_exists("+u.name(name)+")")
		return
	}
	u.expected = append(u.expected, u.name(name)+" = "+u.value(v))
}

func (u *updateText) name(name string) string {
	placeholder := fmt.Sprintf("#n%d", len(u.names))
	u.names[placeholder] = name
	return placeholder
}

func (u *updateText) value(v types.AttributeValue) string {
	placeholder := fmt.Sprintf(":v%d", len(u.values))
	u.values[placeholder] = v
	return placeholder
}

func (u *updateText) expression() string {
	var clauses []string
	if len(u.set) > 0 {
		clauses = append(clauses, "SET "+strings.Join(u.set, ", "))
	}
	if len(u.remove) > 0 {
		clauses = append(clauses, "REMOVE "+strings.Join(u.remove, ", "))
	}
	return strings.Join(clauses, " ")
}
