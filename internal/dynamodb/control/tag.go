// SPDX-License-Identifier: Apache-2.0

package control

import (
	"context"
	"encoding/base64"
	"errors"

	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/dynamodb/exception"
	"github.com/weftdb/weft/internal/dynamodb/tablemodel"
)

// tagPage is how many tags one answer of ListTagsOfResource has.
const tagPage = 10

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

// taggedTable is the table that a request about tags names.
func (a *API) taggedTable(arn *string, operation string) (string, error) {
	table, part, err := a.account().Resource(arn, operation)
	if err == nil && part != "" {
		err = exception.Validation("Invalid TableArn: Invalid ResourceArn provided as input " + *arn)
	}
	return table, err
}

// resourceError words the error for a resource that is not there; detail is the operation's addition to Amazon's usual text.
func resourceError(detail string, err error) error {
	if fault, ok := errors.AsType[*database.Error](err); ok && fault.Kind == database.KindNotFound {
		return exception.New(exception.KindResourceNotFound, "Requested resource not found"+detail)
	}
	return err
}

// tagResource adds tags to a table or replaces their values.
func (a *API) tagResource(ctx context.Context, in *tagRequest) (any, error) {
	table, err := a.taggedTable(in.ResourceArn, "TagResource")
	if err != nil {
		return nil, err
	}
	if err := tablemodel.CheckTags(in.Tags); err != nil {
		return nil, err
	}
	regions, err := tablemodel.RegionCount(in.Tags)
	if err != nil {
		return nil, err
	}
	err = a.change(ctx, table, func(s *tablemodel.Settings) error { return s.AddTags(in.Tags) })
	if err == nil && regions > 1 {
		err = a.split(ctx, table, map[string]int{"": regions})
	}
	return nil, resourceError(": ResourcArn: "+*in.ResourceArn+" not found", err)
}

// untagResource removes tags of a table.
func (a *API) untagResource(ctx context.Context, in *untagRequest) (any, error) {
	table, err := a.taggedTable(in.ResourceArn, "UntagResource")
	if err != nil {
		return nil, err
	}
	if err := tablemodel.CheckTagKeys(in.TagKeys); err != nil {
		return nil, err
	}
	err = a.change(ctx, table, func(s *tablemodel.Settings) error { return s.RemoveTags(in.TagKeys) })
	return nil, resourceError("", err)
}

// listTagsOfResource lists a table's tags in the order of their keys, in pages. NextToken is the last key of the page before, veiled.
func (a *API) listTagsOfResource(_ context.Context, in *tagsRequest) (any, error) {
	table, err := a.taggedTable(in.ResourceArn, "ListTagsOfResource")
	if err != nil {
		return nil, err
	}
	after, err := tagAfter(in.NextToken)
	if err != nil {
		return nil, err
	}
	s, err := a.settings(table)
	if database.KindOf(err) == database.KindNotFound && err != nil {
		return nil, a.account().AccessDenied(*in.ResourceArn, "ListTagsOfResource")
	}
	if err != nil {
		return nil, err
	}
	var out struct {
		Tags      []tablemodel.Tag
		NextToken string `json:",omitempty"`
	}
	more := false
	if out.Tags, more = s.TagsAfter(after, tagPage); more {
		out.NextToken = base64.StdEncoding.EncodeToString([]byte(*out.Tags[len(out.Tags)-1].Key))
	}
	if out.Tags == nil {
		out.Tags = []tablemodel.Tag{}
	}
	return out, nil
}

// tagAfter reads a NextToken. The text is from memory.
func tagAfter(token *string) (string, error) {
	if token == nil {
		return "", nil
	}
	key, err := base64.StdEncoding.DecodeString(*token)
	if err != nil || len(key) == 0 {
		return "", exception.Validation("Invalid NextToken")
	}
	return string(key), nil
}
