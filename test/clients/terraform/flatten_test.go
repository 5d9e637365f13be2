// SPDX-License-Identifier: Apache-2.0

package terraform

import (
	"context"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// refresh reads the table, as before each plan.
func (r *resource) refresh(ctx context.Context, table string) error {
	described, err := r.client.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: &table})
	if err != nil {
		return err
	}
	r.found = flatten(described.Table)
	if r.found.recovery, err = r.recovery(ctx, table); err != nil {
		return err
	}
	expiry, err := r.client.DescribeTimeToLive(ctx, &dynamodb.DescribeTimeToLiveInput{TableName: &table})
	if err != nil {
		return err
	}
	if found := expiry.TimeToLiveDescription; found.TimeToLiveStatus == types.TimeToLiveStatusEnabled {
		r.found.expiry = *found.AttributeName
	}
	r.found.tags, err = r.tags(ctx, described.Table.TableArn)
	return err
}

func (r *resource) recovery(ctx context.Context, table string) (bool, error) {
	described, err := r.client.DescribeContinuousBackups(ctx,
		&dynamodb.DescribeContinuousBackupsInput{TableName: &table})
	if err != nil {
		return false, err
	}
	found := described.ContinuousBackupsDescription.PointInTimeRecoveryDescription
	return found != nil && found.PointInTimeRecoveryStatus == types.PointInTimeRecoveryStatusEnabled, nil
}

// tags follows the pages, if there is more than one.
func (r *resource) tags(ctx context.Context, arn *string) (map[string]string, error) {
	found := map[string]string{}
	for input := (&dynamodb.ListTagsOfResourceInput{ResourceArn: arn}); ; {
		page, err := r.client.ListTagsOfResource(ctx, input)
		if err != nil {
			return nil, err
		}
		for _, tag := range page.Tags {
			found[*tag.Key] = *tag.Value
		}
		if page.NextToken == nil {
			return found, nil
		}
		input.NextToken = page.NextToken
	}
}

// flatten turns a description into settings. What AWS leaves out means the default.
func flatten(t *types.TableDescription) configuration {
	c := configuration{name: *t.TableName, billing: "PROVISIONED", class: "STANDARD", attributes: map[string]string{},
		global: map[string]index{}, local: map[string]index{}}
	c.hash, c.rnge = keys(t.KeySchema)
	for _, d := range t.AttributeDefinitions {
		c.attributes[*d.AttributeName] = string(d.AttributeType)
	}
	if t.BillingModeSummary != nil && t.BillingModeSummary.BillingMode == types.BillingModePayPerRequest {
		c.billing = "PAY_PER_REQUEST"
	}
	c.read, c.write = capacity(t.ProvisionedThroughput)
	if t.TableClassSummary != nil {
		c.class = string(t.TableClassSummary.TableClass)
	}
	c.protected = t.DeletionProtectionEnabled != nil && *t.DeletionProtectionEnabled
	c.encrypted = t.SSEDescription != nil && t.SSEDescription.Status == types.SSEStatusEnabled
	if s := t.StreamSpecification; s != nil && s.StreamEnabled != nil && *s.StreamEnabled {
		c.stream = string(s.StreamViewType)
	}
	for _, g := range t.GlobalSecondaryIndexes {
		i := projected(g.Projection)
		i.hash, i.rnge = keys(g.KeySchema)
		i.read, i.write = capacity(g.ProvisionedThroughput)
		c.global[*g.IndexName] = i
	}
	for _, l := range t.LocalSecondaryIndexes {
		i := projected(l.Projection)
		_, i.rnge = keys(l.KeySchema)
		c.local[*l.IndexName] = i
	}
	return c
}

func keys(schema []types.KeySchemaElement) (hash, rnge string) {
	for _, k := range schema {
		if k.KeyType == types.KeyTypeHash {
			hash = *k.AttributeName
		} else {
			rnge = *k.AttributeName
		}
	}
	return hash, rnge
}

func capacity(p *types.ProvisionedThroughputDescription) (read, write int64) {
	if p == nil {
		return 0, 0
	}
	return *p.ReadCapacityUnits, *p.WriteCapacityUnits
}

func projected(p *types.Projection) index {
	i := index{projection: string(p.ProjectionType), others: slices.Clone(p.NonKeyAttributes)}
	slices.Sort(i.others)
	return i
}
