// SPDX-License-Identifier: Apache-2.0

package terraform

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
)

// Terraform waits long; a server that needs longer than this for anything here hangs.
const (
	waitMax   = 60 * time.Second
	pollPause = 20 * time.Millisecond
)

// reason is an error's kind and message, without what differs from call to call.
func reason(err error) string {
	var api smithy.APIError
	if errors.As(err, &api) {
		return api.ErrorCode() + ": " + api.ErrorMessage()
	}
	return err.Error()
}

// await repeats a look until it says that it is done.
func await(ctx context.Context, what string, look func(context.Context) (bool, error)) error {
	ctx, cancel := context.WithTimeout(ctx, waitMax)
	defer cancel()
	for {
		done, err := look(ctx)
		if done || err != nil {
			return err
		}
		select {
		case <-time.After(pollPause):
		case <-ctx.Done():
			return fmt.Errorf("waited too long for %s", what)
		}
	}
}

// apply creates or changes the table and reads it.
func (r *resource) apply(ctx context.Context, wanted configuration) error {
	change := r.create
	if r.created {
		change = r.update
	}
	if err := change(ctx, wanted); err != nil {
		return err
	}
	r.created = true
	return r.refresh(ctx, wanted.name)
}

func (r *resource) create(ctx context.Context, c configuration) error {
	input := &dynamodb.CreateTableInput{
		TableName: &c.name, BillingMode: types.BillingMode(c.billing), KeySchema: keySchema(c.hash, c.rnge),
		AttributeDefinitions: c.definitions(), ProvisionedThroughput: c.throughput(c.read, c.write),
		DeletionProtectionEnabled: &c.protected, TableClass: types.TableClass(c.class),
		SSESpecification: encryption(c.encrypted), StreamSpecification: streaming(c.stream),
	}
	for _, name := range slices.Sorted(maps.Keys(c.global)) {
		i := c.global[name]
		input.GlobalSecondaryIndexes = append(input.GlobalSecondaryIndexes, types.GlobalSecondaryIndex{
			IndexName: &name, KeySchema: keySchema(i.hash, i.rnge), Projection: i.projected(),
			ProvisionedThroughput: c.throughput(i.read, i.write),
		})
	}
	for _, name := range slices.Sorted(maps.Keys(c.local)) {
		i := c.local[name]
		input.LocalSecondaryIndexes = append(input.LocalSecondaryIndexes,
			types.LocalSecondaryIndex{IndexName: &name, KeySchema: keySchema(c.hash, i.rnge),
				Projection: i.projected()})
	}
	for _, key := range slices.Sorted(maps.Keys(c.tags)) {
		input.Tags = append(input.Tags, types.Tag{Key: &key, Value: aws.String(c.tags[key])})
	}
	if _, err := r.client.CreateTable(ctx, input); err != nil {
		return err
	}
	if err := r.awaitActive(ctx, c.name); err != nil {
		return err
	}
	if c.expiry != "" {
		if err := r.setExpiry(ctx, c.name, c.expiry, true); err != nil {
			return err
		}
	}
	if c.recovery {
		return r.setRecovery(ctx, c.name, true)
	}
	return nil
}

// update changes one thing after the other, in the provider's order.
func (r *resource) update(ctx context.Context, c configuration) error {
	old := r.found
	change := func(input *dynamodb.UpdateTableInput) error {
		input.TableName = &c.name
		if _, err := r.client.UpdateTable(ctx, input); err != nil {
			return err
		}
		return r.awaitActive(ctx, c.name)
	}
	if old.protected != c.protected {
		if err := change(&dynamodb.UpdateTableInput{DeletionProtectionEnabled: &c.protected}); err != nil {
			return err
		}
	}
	if old.class != c.class {
		if err := change(&dynamodb.UpdateTableInput{TableClass: types.TableClass(c.class)}); err != nil {
			return err
		}
	}
	if old.stream != c.stream {
		if old.stream != "" { // a stream is ended before another begins
			if err := change(&dynamodb.UpdateTableInput{
				StreamSpecification: &types.StreamSpecification{StreamEnabled: aws.Bool(false)}}); err != nil {
				return err
			}
		}
		if c.stream != "" {
			if err := change(&dynamodb.UpdateTableInput{StreamSpecification: streaming(c.stream)}); err != nil {
				return err
			}
		}
	}
	if err := r.updateCapacity(old, c, change); err != nil {
		return err
	}
	if err := r.updateIndexes(ctx, old, c, change); err != nil {
		return err
	}
	if old.encrypted != c.encrypted {
		if err := r.setEncryption(ctx, c, change); err != nil {
			return err
		}
	}
	if old.expiry != c.expiry {
		attribute, on := c.expiry, c.expiry != ""
		if !on {
			attribute = old.expiry
		}
		if err := r.setExpiry(ctx, c.name, attribute, on); err != nil {
			return err
		}
	}
	if old.recovery != c.recovery {
		if err := r.setRecovery(ctx, c.name, c.recovery); err != nil {
			return err
		}
	}
	return r.updateTags(ctx, old, c)
}

// updateCapacity changes how the table is paid, with the capacity of all its indexes that stay.
func (r *resource) updateCapacity(old, c configuration, change func(*dynamodb.UpdateTableInput) error) error {
	if old.billing == c.billing && old.read == c.read && old.write == c.write {
		return nil
	}
	input := &dynamodb.UpdateTableInput{BillingMode: types.BillingMode(c.billing),
		ProvisionedThroughput: c.throughput(c.read, c.write)}
	for _, name := range slices.Sorted(maps.Keys(old.global)) {
		if after, kept := c.global[name]; kept && old.billing != c.billing && c.billing == "PROVISIONED" {
			input.GlobalSecondaryIndexUpdates = append(input.GlobalSecondaryIndexUpdates,
				types.GlobalSecondaryIndexUpdate{
					Update: &types.UpdateGlobalSecondaryIndexAction{IndexName: &name,
						ProvisionedThroughput: c.throughput(after.read, after.write)},
				})
		}
	}
	return change(input)
}

// updateIndexes deletes, creates and changes global indexes, one in each call: DynamoDB allows no more.
func (r *resource) updateIndexes(ctx context.Context, old, c configuration,
	change func(*dynamodb.UpdateTableInput) error) error {
	send := func(one types.GlobalSecondaryIndexUpdate) error {
		return change(&dynamodb.UpdateTableInput{AttributeDefinitions: c.definitions(),
			GlobalSecondaryIndexUpdates: []types.GlobalSecondaryIndexUpdate{one}})
	}
	remade := func(name string) bool {
		before, after := old.global[name], c.global[name]
		before.read, before.write, after.read, after.write = 0, 0, 0, 0
		return before.text() != after.text()
	}
	for _, name := range slices.Sorted(maps.Keys(old.global)) {
		if _, kept := c.global[name]; kept && !remade(name) {
			continue
		}
		if err := send(types.GlobalSecondaryIndexUpdate{
			Delete: &types.DeleteGlobalSecondaryIndexAction{IndexName: &name}}); err != nil {
			return err
		}
		if err := r.awaitIndex(ctx, c.name, name, ""); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.global)) {
		i, err := c.global[name], error(nil)
		before, was := old.global[name]
		switch {
		case !was || remade(name):
			err = send(types.GlobalSecondaryIndexUpdate{Create: &types.CreateGlobalSecondaryIndexAction{
				IndexName: &name, KeySchema: keySchema(i.hash, i.rnge), Projection: i.projected(),
				ProvisionedThroughput: c.throughput(i.read, i.write),
			}})
		case old.billing == c.billing && before.text() != i.text():
			err = send(types.GlobalSecondaryIndexUpdate{
				Update: &types.UpdateGlobalSecondaryIndexAction{IndexName: &name,
					ProvisionedThroughput: c.throughput(i.read, i.write)}})
		default:
			continue
		}
		if err == nil {
			err = r.awaitIndex(ctx, c.name, name, types.IndexStatusActive)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *resource) updateTags(ctx context.Context, old, c configuration) error {
	if maps.Equal(old.tags, c.tags) {
		return nil
	}
	described, err := r.client.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: &c.name})
	if err != nil {
		return err
	}
	arn := described.Table.TableArn
	var gone []string
	var set []types.Tag
	for _, key := range slices.Sorted(maps.Keys(old.tags)) {
		if _, kept := c.tags[key]; !kept {
			gone = append(gone, key)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(c.tags)) {
		if value, was := old.tags[key]; !was || value != c.tags[key] {
			set = append(set, types.Tag{Key: &key, Value: aws.String(c.tags[key])})
		}
	}
	if len(gone) > 0 {
		if _, err = r.client.UntagResource(ctx,
			&dynamodb.UntagResourceInput{ResourceArn: arn, TagKeys: gone}); err != nil {
			return err
		}
	}
	if len(set) > 0 {
		if _, err = r.client.TagResource(ctx, &dynamodb.TagResourceInput{ResourceArn: arn, Tags: set}); err != nil {
			return err
		}
	}
	return await(ctx, "tags", func(ctx context.Context) (bool, error) {
		found, err := r.tags(ctx, arn)
		return maps.Equal(found, c.tags), err
	})
}

func (r *resource) setExpiry(ctx context.Context, table, attribute string, on bool) error {
	_, err := r.client.UpdateTimeToLive(ctx,
		&dynamodb.UpdateTimeToLiveInput{TableName: &table,
			TimeToLiveSpecification: &types.TimeToLiveSpecification{AttributeName: &attribute, Enabled: &on}})
	if err != nil {
		return err
	}
	return await(ctx, "expiry", func(ctx context.Context) (bool, error) {
		described, err := r.client.DescribeTimeToLive(ctx, &dynamodb.DescribeTimeToLiveInput{TableName: &table})
		if err != nil {
			return false, err
		}
		status := described.TimeToLiveDescription.TimeToLiveStatus
		return on && status == types.TimeToLiveStatusEnabled || !on && status == types.TimeToLiveStatusDisabled, nil
	})
}

func (r *resource) setRecovery(ctx context.Context, table string, on bool) error {
	_, err := r.client.UpdateContinuousBackups(ctx,
		&dynamodb.UpdateContinuousBackupsInput{TableName: &table,
			PointInTimeRecoverySpecification: &types.PointInTimeRecoverySpecification{PointInTimeRecoveryEnabled: &on}})
	if err != nil {
		return err
	}
	return await(ctx, "point in time recovery", func(ctx context.Context) (bool, error) {
		found, err := r.recovery(ctx, table)
		return found == on, err
	})
}

func (r *resource) setEncryption(ctx context.Context, c configuration,
	change func(*dynamodb.UpdateTableInput) error) error {
	if err := change(&dynamodb.UpdateTableInput{
		SSESpecification: &types.SSESpecification{Enabled: &c.encrypted}}); err != nil {
		return err
	}
	return await(ctx, "encryption", func(ctx context.Context) (bool, error) {
		described, err := r.client.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: &c.name})
		if err != nil {
			return false, err
		}
		found := described.Table.SSEDescription
		if !c.encrypted {
			return found == nil || found.Status == types.SSEStatusDisabled, nil
		}
		return found != nil && found.Status == types.SSEStatusEnabled, nil
	})
}

func (r *resource) awaitActive(ctx context.Context, table string) error {
	return await(ctx, "an active table", func(ctx context.Context) (bool, error) {
		described, err := r.client.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: &table})
		return err == nil && described.Table.TableStatus == types.TableStatusActive, err
	})
}

// awaitIndex waits for an index's status; "" means that there is no such index any more.
func (r *resource) awaitIndex(ctx context.Context, table, name string, status types.IndexStatus) error {
	return await(ctx, "index "+name, func(ctx context.Context) (bool, error) {
		described, err := r.client.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: &table})
		if err != nil {
			return false, err
		}
		for _, found := range described.Table.GlobalSecondaryIndexes {
			if *found.IndexName == name {
				return found.IndexStatus == status, nil
			}
		}
		return status == "", nil
	})
}

func (r *resource) destroy(ctx context.Context, table string) error {
	if _, err := r.client.DeleteTable(ctx, &dynamodb.DeleteTableInput{TableName: &table}); err != nil {
		return err
	}
	return await(ctx, "the table's end", func(ctx context.Context) (bool, error) {
		_, err := r.client.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: &table})
		var absent *types.ResourceNotFoundException
		if errors.As(err, &absent) {
			return true, nil
		}
		return false, err
	})
}

func keySchema(hash, rnge string) []types.KeySchemaElement {
	keys := []types.KeySchemaElement{{AttributeName: &hash, KeyType: types.KeyTypeHash}}
	if rnge != "" {
		keys = append(keys, types.KeySchemaElement{AttributeName: &rnge, KeyType: types.KeyTypeRange})
	}
	return keys
}

func (c configuration) definitions() []types.AttributeDefinition {
	var all []types.AttributeDefinition
	for _, name := range slices.Sorted(maps.Keys(c.attributes)) {
		all = append(all, types.AttributeDefinition{AttributeName: &name,
			AttributeType: types.ScalarAttributeType(c.attributes[name])})
	}
	return all
}

// throughput is nil for a table that is paid per request.
func (c configuration) throughput(read, write int64) *types.ProvisionedThroughput {
	if c.billing == "PAY_PER_REQUEST" {
		return nil
	}
	return &types.ProvisionedThroughput{ReadCapacityUnits: &read, WriteCapacityUnits: &write}
}

func (i index) projected() *types.Projection {
	return &types.Projection{ProjectionType: types.ProjectionType(i.projection), NonKeyAttributes: i.others}
}

func encryption(on bool) *types.SSESpecification {
	if !on {
		return nil
	}
	return &types.SSESpecification{Enabled: &on}
}

func streaming(view string) *types.StreamSpecification {
	if view == "" {
		return nil
	}
	return &types.StreamSpecification{StreamEnabled: aws.Bool(true), StreamViewType: types.StreamViewType(view)}
}
