// SPDX-License-Identifier: Apache-2.0

package control

import (
	"context"

	"github.com/weftdb/weft"
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

// policyOf reads a request about a policy, and finds the table that it is about. There are no streams that could have one.
func (a *API) policyOf(body []byte, operation string) (in policyRequest, err error) {
	if err = read(body, &in); err != nil {
		return in, err
	}
	if err = tablemodel.CheckPolicy(in.Policy, in.ExpectedRevisionID, operation == "PutResourcePolicy"); err != nil {
		return in, err
	}
	table, part, err := a.account().Resource(in.ResourceArn, operation)
	if err != nil {
		return in, err
	}
	if part != "" {
		return in, exception.New(exception.KindResourceNotFound, "Requested resource not found")
	}
	return in, tableError(table, a.look(table, func(*weft.Descriptor) error { return nil }))
}

func (a *API) putResourcePolicy(_ context.Context, body, _ []byte) ([]byte, error) {
	if _, err := a.policyOf(body, "PutResourcePolicy"); err != nil {
		return nil, err
	}
	return nil, tablemodel.PolicyRefused("Policy")
}

func (a *API) getResourcePolicy(_ context.Context, body, _ []byte) ([]byte, error) {
	in, err := a.policyOf(body, "GetResourcePolicy")
	if err != nil {
		return nil, err
	}
	return nil, tablemodel.PolicyNotFound(*in.ResourceArn)
}

// deleteResourcePolicy finds nothing to delete, which is no error unless a revision was expected.
func (a *API) deleteResourcePolicy(_ context.Context, body, dst []byte) ([]byte, error) {
	in, err := a.policyOf(body, "DeleteResourcePolicy")
	if err != nil {
		return nil, err
	}
	if tablemodel.ExpectsPolicy(in.ExpectedRevisionID) {
		return nil, tablemodel.PolicyNotFound(*in.ResourceArn)
	}
	return append(dst, "{}"...), nil
}
