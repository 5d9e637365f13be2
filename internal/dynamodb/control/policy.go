// SPDX-License-Identifier: Apache-2.0

package control

import (
	"context"

	"github.com/weftdb/weft/internal/dynamodb/exception"
	"github.com/weftdb/weft/internal/dynamodb/tablemodel"
)

// Nothing has a resource policy: this server has one account and judges no request by policies, so it takes none.

// policyRequest is the body of the operations on policies. ConfirmRemoveSelfResourceAccess has nothing to confirm.
type policyRequest struct {
	ResourceArn        *string
	Policy             *string
	ExpectedRevisionID *string `json:"ExpectedRevisionId"`
}

// check judges a request about a policy, and finds the table that it is about. There are no streams that could have one.
func (r *policyRequest) check(a *API, operation string) error {
	if err := tablemodel.CheckPolicy(r.Policy, r.ExpectedRevisionID, operation == "PutResourcePolicy"); err != nil {
		return err
	}
	table, part, err := a.account().Resource(r.ResourceArn, operation)
	if err != nil {
		return err
	}
	if part != "" {
		return exception.New(exception.KindResourceNotFound, "Requested resource not found")
	}
	return tableError(table, a.find(table))
}

func (a *API) putResourcePolicy(_ context.Context, in *policyRequest) (any, error) {
	if err := in.check(a, "PutResourcePolicy"); err != nil {
		return nil, err
	}
	return nil, tablemodel.PolicyRefusal("Policy")
}

func (a *API) getResourcePolicy(_ context.Context, in *policyRequest) (any, error) {
	if err := in.check(a, "GetResourcePolicy"); err != nil {
		return nil, err
	}
	return nil, tablemodel.PolicyNotFound(*in.ResourceArn)
}

// deleteResourcePolicy finds nothing to delete, which is no error unless a revision was expected.
func (a *API) deleteResourcePolicy(_ context.Context, in *policyRequest) (any, error) {
	if err := in.check(a, "DeleteResourcePolicy"); err != nil {
		return nil, err
	}
	if tablemodel.ExpectsPolicy(in.ExpectedRevisionID) {
		return nil, tablemodel.PolicyNotFound(*in.ResourceArn)
	}
	return struct{}{}, nil
}
