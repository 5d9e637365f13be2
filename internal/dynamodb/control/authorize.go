// SPDX-License-Identifier: Apache-2.0

package control

import (
	"context"
	"slices"
	"strings"

	"github.com/weftdb/weft/internal/dynamodb/exception"
	"github.com/weftdb/weft/internal/dynamodb/tablemodel"
	"github.com/weftdb/weft/internal/security/permission"
)

// onAccount lists the operations that are about no single table. All others name one, by a name or an ARN. // immutable
var onAccount = []string{"ListTables", "ListBackups", "ListContributorInsights", "DescribeLimits", "DescribeEndpoints"}

// authorize wants the caller to be allowed an operation on the resource that the request names. A request that names
// none, or none that can be, is left to the operation, which refuses it.
func (a *API) authorize(ctx context.Context, operation string, in any) error {
	if a.Guard == nil {
		return nil
	}
	request := permission.Request{Action: actionOf(operation), Resource: "*"}
	if !slices.Contains(onAccount, operation) {
		table, part, ok := a.resourceOf(operation, in)
		if !ok {
			return nil
		}
		var err error
		if request, err = a.requestOn(request.Action, table, part); err != nil {
			return err
		}
	}
	create, isCreate := in.(*tablemodel.Create)
	tagged, _ := in.(tagger)
	if isCreate {
		tagged = creation{create}
	}
	request.Values = func(name string) ([]string, bool) { return tagValues(tagged, name) }
	requests := []permission.Request{request}
	if isCreate {
		requests = append(requests, besides(request, create)...)
	} else if makesIndexes(tagged) {
		request.Action = "dynamodb:UpdateTable"
		requests = append(requests, request)
	}
	if ok, err := a.managesPolicies(ctx, operation); err != nil {
		return err
	} else if ok {
		requests[0].Policy = nil
	}
	return exception.Authorization(a.Guard.Check(ctx, permission.FromContext(ctx), requests...))
}

// actionOf is the action that an operation needs. To remove all items is to remove the table.
func actionOf(operation string) string {
	if operation == "Purge" {
		operation = "DeleteTable"
	}
	return "dynamodb:" + operation
}

// besides are the requests that making a table is, too, if it gives the table a policy or tags.
func besides(request permission.Request, in *tablemodel.Create) (list []permission.Request) {
	if in.ResourcePolicy != nil {
		request.Action = "dynamodb:PutResourcePolicy"
		list = append(list, request)
	}
	if len(in.Tags) > 0 {
		request.Action = "dynamodb:TagResource"
		list = append(list, request)
	}
	return list
}

// makesIndexes reports whether tags of a request make indexes, or remove them.
func makesIndexes(in tagger) bool {
	if in == nil {
		return false
	}
	for key := range in.tags {
		if key != nil && strings.HasPrefix(*key, tablemodel.IndexTag) {
			return true
		}
	}
	return false
}

// managesPolicies reports whether the caller is an administrator who asks for the policy of a table. What that policy
// says of it does not count then, as it does not for the root of an account at AWS: otherwise a policy that denies
// everything could never be taken away.
func (a *API) managesPolicies(ctx context.Context, operation string) (bool, error) {
	if operation != "GetResourcePolicy" && operation != "PutResourcePolicy" && operation != "DeleteResourcePolicy" {
		return false, nil
	}
	rights, err := a.Guard.RightsOf(ctx, permission.FromContext(ctx))
	return err == nil && rights.IsAdministrator(), err
}

// tagger is a request that names tags.
type tagger interface {
	// tags yields the keys and the values; a value is nil where the request names keys alone.
	tags(yield func(key, value *string) bool)
}

// tagValues returns the values of the condition keys about tags of a request.
func tagValues(in tagger, name string) (values []string, ok bool) {
	wanted, isTag := strings.CutPrefix(name, "aws:requesttag/")
	if in == nil || !isTag && name != "aws:tagkeys" {
		return nil, false
	}
	for key, value := range in.tags {
		switch {
		case key == nil:
		case !isTag:
			values = append(values, *key)
		case value != nil && strings.EqualFold(*key, wanted):
			values = append(values, *value)
		}
	}
	return values, len(values) > 0
}

// eachTag yields tags.
func eachTag(list []tablemodel.Tag, yield func(key, value *string) bool) {
	for _, tag := range list {
		if !yield(tag.Key, tag.Value) {
			return
		}
	}
}

func (r *tagRequest) tags(yield func(key, value *string) bool) { eachTag(r.Tags, yield) }

func (r *untagRequest) tags(yield func(key, value *string) bool) {
	for _, key := range r.TagKeys {
		if !yield(key, nil) {
			return
		}
	}
}

// creation lets the tags of a CreateTable be judged.
type creation struct{ *tablemodel.Create }

func (c creation) tags(yield func(key, value *string) bool) { eachTag(c.Tags, yield) }

// requestOn is a request about a table, whether that is there or not.
func (a *API) requestOn(action, name, part string) (request permission.Request, err error) {
	return a.Guard.Table(action, a.DB.DescriptorOf(a.Name(), name), part)
}

// resourceOf is the table that a request names, and the part of it, such as "/backup/ID"; ok is false for one that
// names no possible table.
func (a *API) resourceOf(operation string, in any) (table, part string, ok bool) {
	var err error
	switch in := in.(type) {
	case interface{ table() *string }:
		return *in.table(), "", true // it was judged before
	case *tablemodel.Create:
		table, ok = a.tableOf(in.TableName, operation)
		return table, "", ok
	case *tablemodel.Update:
		table, ok = a.tableOf(in.TableName, operation)
		return table, "", ok
	case interface{ part() (*string, string) }:
		arn, kind := in.part()
		table, id, err := a.account().Part(arn, kind, operation)
		return table, "/" + kind + "/" + id, err == nil
	case interface{ resource() *string }:
		table, _, err = a.account().Resource(in.resource(), operation)
	}
	return table, "", err == nil && table != ""
}

func (a *API) tableOf(name *string, operation string) (string, bool) {
	if name == nil {
		return "", false
	}
	table, err := a.account().Table(*name, operation)
	return table, err == nil && table != ""
}
