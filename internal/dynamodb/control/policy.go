// SPDX-License-Identifier: Apache-2.0

package control

import (
	"context"
	"strconv"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/dynamodb/exception"
	"github.com/weftdb/weft/internal/dynamodb/tablemodel"
	"github.com/weftdb/weft/internal/security/permission"
)

// policyRequest is the body of the operations on policies.
type policyRequest struct {
	ResourceArn                     *string
	Policy                          *string
	ExpectedRevisionID              *string `json:"ExpectedRevisionId"`
	ConfirmRemoveSelfResourceAccess *bool
}

func (r *policyRequest) resource() *string { return r.ResourceArn }

// revision is the answer to a change of a policy.
type revision struct {
	RevisionID string `json:"RevisionId,omitempty"`
}

// check judges a request about a policy, and finds the table that it is about. There are no streams that could have
// one.
func (r *policyRequest) check(a *API, operation string) (table string, err error) {
	if err := tablemodel.CheckPolicy(r.Policy, r.ExpectedRevisionID, operation == "PutResourcePolicy"); err != nil {
		return "", err
	}
	table, part, err := a.account().Resource(r.ResourceArn, operation)
	if err != nil {
		return "", err
	}
	if part != "" {
		return "", exception.New(exception.KindResourceNotFound, "Requested resource not found")
	}
	return table, tableError(table, a.find(table))
}

func (a *API) putResourcePolicy(ctx context.Context, in *policyRequest) (any, error) {
	table, err := in.check(a, "PutResourcePolicy")
	if err != nil {
		return nil, err
	}
	if in.ConfirmRemoveSelfResourceAccess == nil || !*in.ConfirmRemoveSelfResourceAccess {
		if err := a.checkOwnAccess(ctx, table, *in.Policy); err != nil {
			return nil, err
		}
	}
	next := permission.TablePolicy{Document: *in.Policy}
	err = a.changePolicy(ctx, table, func(old *permission.TablePolicy) (*permission.TablePolicy, error) {
		switch expected := in.ExpectedRevisionID; {
		case expected != nil && old == nil && tablemodel.ExpectsPolicy(expected),
			expected != nil && old != nil && *expected != old.Revision:
			return nil, tablemodel.PolicyNotFound(*in.ResourceArn)
		case old != nil && old.Document == next.Document:
			next.Revision = old.Revision
		default:
			next.Revision = nextRevision(old, a.nowMS())
		}
		return &next, nil
	})
	if err != nil {
		return nil, tableError(table, err)
	}
	return revision{next.Revision}, nil
}

// checkOwnAccess refuses a policy by which the caller could change the policy of the table no more. The text is from
// memory.
func (a *API) checkOwnAccess(ctx context.Context, name, document string) error {
	if a.Guard == nil {
		return nil
	}
	rights, err := a.Guard.RightsOf(ctx, permission.FromContext(ctx))
	if err != nil || rights.Warns() || rights.IsAdministrator() {
		return err
	}
	for _, action := range []string{"dynamodb:PutResourcePolicy", "dynamodb:DeleteResourcePolicy"} {
		request, err := a.requestOn(action, name, "")
		if err != nil {
			return err
		}
		denied, err := rights.DeniedBy(document, request)
		if err != nil {
			return tablemodel.InvalidPolicy(err)
		}
		if denied {
			return exception.Validation("The new resource policy denies you " + action +
				", so that you could not change it any more: set ConfirmRemoveSelfResourceAccess to true if that is what you want")
		}
	}
	return nil
}

// nextRevision names a new version of a policy: the time in milliseconds, as at AWS, and never one that was there.
func nextRevision(old *permission.TablePolicy, nowMS int64) string {
	if old != nil {
		if last, err := strconv.ParseInt(old.Revision, 10, 64); err == nil {
			nowMS = max(nowMS, last+1)
		}
	}
	return strconv.FormatInt(nowMS, 10)
}

// changePolicy changes the policy of a table in a transaction; edit may run more than once.
func (a *API) changePolicy(ctx context.Context, name string,
	edit func(old *permission.TablePolicy) (*permission.TablePolicy, error)) error {
	table, err := a.Open(name)
	if err != nil {
		return err
	}
	return table.Edit(ctx, func(d *schema.Table) error {
		stored, ok, err := permission.PolicyOf(d)
		if err != nil {
			return err
		}
		old := &stored
		if !ok {
			old = nil
		}
		next, err := edit(old)
		if err != nil {
			return err
		}
		dialects, err := permission.SetPolicy(d.Dialect, next)
		if err != nil {
			return tablemodel.InvalidPolicy(err)
		}
		d.Dialect = dialects
		return nil
	})
}

func (a *API) getResourcePolicy(_ context.Context, in *policyRequest) (any, error) {
	table, err := in.check(a, "GetResourcePolicy")
	if err != nil {
		return nil, err
	}
	var stored permission.TablePolicy
	found := false
	err = a.look(table, func(d *schema.Table) (err error) {
		stored, found, err = permission.PolicyOf(d)
		return err
	})
	if err == nil && !found {
		err = tablemodel.PolicyNotFound(*in.ResourceArn)
	}
	if err != nil {
		return nil, tableError(table, err)
	}
	return struct {
		Policy     string
		RevisionID string `json:"RevisionId"`
	}{stored.Document, stored.Revision}, nil
}

// deleteResourcePolicy finds nothing to delete where there is no policy, which is no error unless a revision was
// expected.
func (a *API) deleteResourcePolicy(ctx context.Context, in *policyRequest) (any, error) {
	table, err := in.check(a, "DeleteResourcePolicy")
	if err != nil {
		return nil, err
	}
	var gone revision
	err = a.changePolicy(ctx, table, func(old *permission.TablePolicy) (*permission.TablePolicy, error) {
		expected := in.ExpectedRevisionID
		if expected != nil && (old == nil && tablemodel.ExpectsPolicy(expected) ||
			old != nil && *expected != old.Revision) {
			return nil, tablemodel.PolicyNotFound(*in.ResourceArn)
		}
		if gone = (revision{}); old != nil {
			gone.RevisionID = old.Revision
		}
		return nil, nil
	})
	return gone, tableError(table, err)
}
