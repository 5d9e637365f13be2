// SPDX-License-Identifier: Apache-2.0

package control

import (
	"cmp"
	"context"
	"errors"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/dynamodb/exception"
	"github.com/weftdb/weft/internal/dynamodb/tablemodel"
)

// The bodies of the operations on tags.
type (
	tagRequest struct {
		ResourceArn *string
		Tags        []tablemodel.Tag
	}
	untagRequest struct {
		ResourceArn *string
		TagKeys     []*string
	}
	tagsRequest struct{ ResourceArn, NextToken *string }
)

func (r *tagRequest) resource() *string   { return r.ResourceArn }
func (r *untagRequest) resource() *string { return r.ResourceArn }
func (r *tagsRequest) resource() *string  { return r.ResourceArn }

// taggedTable is the table that a request about tags names. fault is the fault of its other members.
func (a *API) taggedTable(arn *string, operation string, fault error) (string, error) {
	if fault != nil && tablemodel.IsForeign(arn) {
		return "", fault
	}
	table, part, err := a.account().Resource(arn, operation)
	if err == nil && part != "" {
		err = exception.Validation("Invalid TableArn: Invalid ResourceArn provided as input " + *arn)
	}
	return table, cmp.Or(err, fault)
}

// resourceError words the error for a resource that is not there; detail is the operation's addition to Amazon's usual
// text.
func resourceError(detail string, err error) error {
	if fault, ok := errors.AsType[*database.Error](err); ok && fault.Kind == database.KindNotFound {
		return exception.New(exception.KindResourceNotFound, "Requested resource not found"+detail)
	}
	return err
}

// tagResource adds tags to a table or replaces their values, and makes the indexes that they ask for.
func (a *API) tagResource(ctx context.Context, in *tagRequest) (any, error) {
	table, err := a.taggedTable(in.ResourceArn, "TagResource", tablemodel.CheckTags(in.Tags))
	if err != nil {
		return nil, err
	}
	regions, err := tablemodel.RegionCount(in.Tags)
	if err != nil {
		return nil, err
	}
	var indexes []tablemodel.TaggedIndex
	err = a.look(table, func(d *schema.Table) (err error) {
		indexes, err = tablemodel.NewIndexes(d, in.Tags, a.Limits)
		return err
	})
	if err == nil {
		err = a.addIndexes(ctx, table, indexes)
	}
	if err == nil {
		err = a.change(ctx, table, func(s *tablemodel.Settings) error { return s.AddTags(in.Tags) })
	}
	if err == nil && regions > 1 {
		err = a.split(ctx, table, map[string]int{"": regions})
	}
	return nil, resourceError(": ResourcArn: "+*in.ResourceArn+" not found", err)
}

// addIndexes makes indexes of a table.
func (a *API) addIndexes(ctx context.Context, name string, list []tablemodel.TaggedIndex) error {
	if len(list) == 0 {
		return nil
	}
	table, err := a.Open(name)
	for i := 0; i < len(list) && err == nil; i++ {
		err = tableError(name, table.AddIndex(ctx, list[i].Spec))
	}
	return err
}

// dropTagged removes the indexes of a table that go with tags of these keys.
func (a *API) dropTagged(ctx context.Context, name string, keys []*string) error {
	var indexes []string
	err := a.look(name, func(d *schema.Table) (err error) {
		indexes, err = tablemodel.UntaggedIndexes(d, keys)
		return err
	})
	if err != nil || len(indexes) == 0 {
		return err
	}
	table, err := a.Open(name)
	for i := 0; i < len(indexes) && err == nil; i++ {
		err = table.DropIndex(ctx, indexes[i])
	}
	return err
}

// untagResource removes tags of a table, and the indexes that they have made.
func (a *API) untagResource(ctx context.Context, in *untagRequest) (any, error) {
	table, err := a.taggedTable(in.ResourceArn, "UntagResource", tablemodel.CheckTagKeys(in.TagKeys))
	if err != nil {
		return nil, err
	}
	if err = a.dropTagged(ctx, table, in.TagKeys); err == nil {
		err = a.change(ctx, table, func(s *tablemodel.Settings) error { return s.RemoveTags(in.TagKeys) })
	}
	return nil, resourceError("", err)
}

// listTagsOfResource lists all tags of a table, in the order of their keys. No answer has a NextToken, so none can be
// gone on from.
func (a *API) listTagsOfResource(_ context.Context, in *tagsRequest) (any, error) {
	var fault error
	if in.NextToken != nil {
		fault = exception.Validation("NextToken: this server has no pages of tags; leave it out")
	}
	table, err := a.taggedTable(in.ResourceArn, "ListTagsOfResource", fault)
	if err != nil {
		return nil, err
	}
	var tags []tablemodel.Tag
	err = a.look(table, func(d *schema.Table) (err error) {
		tags, err = tablemodel.TagsOf(d)
		return err
	})
	if database.KindOf(err) == database.KindNotFound && err != nil {
		return nil, a.account().AccessDenied(*in.ResourceArn, "ListTagsOfResource")
	}
	if err != nil {
		return nil, err
	}
	return struct{ Tags []tablemodel.Tag }{tags}, nil
}
