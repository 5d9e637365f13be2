// SPDX-License-Identifier: Apache-2.0

package control

import (
	"context"

	"github.com/weftdb/weft"
	"github.com/weftdb/weft/internal/dynamodb/definition"
)

// Resource policies are kept and shown, with revisions. This server has one account, and does not judge requests by policies.

// policyRequest is the body of the operations on policies. ConfirmRemoveSelfResourceAccess has nothing to confirm: a policy takes nobody's access.
type policyRequest struct {
	ResourceArn        *string
	Policy             *string
	ExpectedRevisionID *string `json:"ExpectedRevisionId"`

	ConfirmRemoveSelfResourceAccess bool
}

type policyAnswer struct {
	Policy     string `json:",omitempty"`
	RevisionID string `json:"RevisionId,omitempty"`
}

// policyOf reads a request about a policy, and finds the table and the part of the table that it is about.
func (a *API) policyOf(body []byte, operation string) (in policyRequest, table, part string, err error) {
	if err = read(body, &in); err != nil {
		return in, "", "", err
	}
	if err = definition.CheckPolicy(in.Policy, in.ExpectedRevisionID, operation == "PutResourcePolicy"); err != nil {
		return in, "", "", err
	}
	table, part, err = a.account().Resource(in.ResourceArn, operation)
	if err != nil {
		return in, "", "", err
	}
	err = a.look(table, func(t *weft.Descriptor) error {
		if ok, err := definition.HasPart(t, part); err != nil || !ok {
			return orNotFound(table, err)
		}
		return nil
	})
	return in, table, part, tableError(table, err)
}

func orNotFound(table string, err error) error {
	if err != nil {
		return err
	}
	return definition.NotFound(table)
}

func (in *policyRequest) expected() string {
	if in.ExpectedRevisionID == nil {
		return ""
	}
	return *in.ExpectedRevisionID
}

// putResourcePolicy attaches a policy to a table or its stream.
func (a *API) putResourcePolicy(ctx context.Context, body, dst []byte) ([]byte, error) {
	in, table, part, err := a.policyOf(body, "PutResourcePolicy")
	if err != nil {
		return nil, err
	}
	var kept definition.Policy
	err = a.change(ctx, table, func(s *definition.Settings) (err error) {
		kept, err = s.PutPolicy(part, *in.Policy, in.expected(), a.nowMS())
		return err
	})
	if err != nil {
		return nil, tableError(table, err)
	}
	return appendJSON(dst, policyAnswer{RevisionID: kept.RevisionID})
}

// getResourcePolicy shows the policy of a table or its stream.
func (a *API) getResourcePolicy(_ context.Context, body, dst []byte) ([]byte, error) {
	_, table, part, err := a.policyOf(body, "GetResourcePolicy")
	if err != nil {
		return nil, err
	}
	s, err := a.settings(table)
	if err != nil {
		return nil, tableError(table, err)
	}
	kept, ok := s.Policies[part]
	if !ok {
		return nil, definition.PolicyNotFound("there is none")
	}
	return appendJSON(dst, policyAnswer{kept.Text, kept.RevisionID})
}

// deleteResourcePolicy removes the policy of a table or its stream. That there is none is no error unless a revision was expected.
func (a *API) deleteResourcePolicy(ctx context.Context, body, dst []byte) ([]byte, error) {
	in, table, part, err := a.policyOf(body, "DeleteResourcePolicy")
	if err != nil {
		return nil, err
	}
	var gone definition.Policy
	err = a.change(ctx, table, func(s *definition.Settings) (err error) {
		gone, err = s.DeletePolicy(part, in.expected())
		return err
	})
	if err != nil {
		return nil, tableError(table, err)
	}
	return appendJSON(dst, policyAnswer{RevisionID: gone.RevisionID})
}
