// SPDX-License-Identifier: Apache-2.0

package account

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/weftdb/weft/internal/security/policy"
)

// NamedPolicy is an IAM policy of a user or a role.
type NamedPolicy struct {
	Name string `json:"name"`
	// Document is the policy as it was written; "" for one of Predefined, by its name.
	Document string `json:"document,omitempty"`
}

// Administrator is the predefined policy that allows everything. The first user of a database has it.
const Administrator = "AdministratorAccess"

// Predefined are the policies that need no document, with the names and the meaning that they have at AWS. // immutable
var predefined = []NamedPolicy{
	{Administrator, `{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"*","Resource":"*"}]}`},
	{"AmazonDynamoDBFullAccess", `{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"dynamodb:*","Resource":"*"}]}`},
	{"AmazonDynamoDBReadOnlyAccess", `{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":["dynamodb:BatchGetItem","dynamodb:Describe*",` +
		`"dynamodb:GetItem","dynamodb:GetResourcePolicy","dynamodb:List*","dynamodb:PartiQLSelect","dynamodb:Query","dynamodb:Scan"],"Resource":"*"}]}`},
}

// policiesMax bounds the policies of a user or a role, and with it what a decision costs.
const policiesMax = 20

// Errors of policies.
var (
	ErrNoPolicy        = errors.New("account: the user or role has no policy of this name: weft user policy list NAME lists all")
	ErrPolicyName      = errors.New("account: a policy's name must have 1 to 128 letters, digits and characters of +=,.@_-")
	ErrTooManyPolicies = fmt.Errorf("account: a user or role may have %d policies: write several statements into one, or grant roles", policiesMax)
)

// PolicyError says that a policy's document can't be read.
type PolicyError struct{ Err error }

// Error is the reason.
func (e *PolicyError) Error() string { return "account: the policy is refused: " + e.Err.Error() }

// Unwrap returns the reason.
func (e *PolicyError) Unwrap() error { return e.Err }

// PutPolicy gives a user or a role a policy, instead of the one that has the name. document is IAM's JSON, "" for a
// predefined policy. Errors: ErrPolicyName, ErrTooManyPolicies, *PolicyError.
func (u *Account) PutPolicy(name, document string) error {
	next := NamedPolicy{name, document}
	if !isPolicyName(name) {
		return ErrPolicyName
	}
	parsed, err := next.parse()
	if err != nil {
		return err
	}
	if err := parsed.CheckKeys(); err != nil {
		return &PolicyError{err}
	}
	at := slices.IndexFunc(u.Policies, func(p NamedPolicy) bool { return p.Name == name })
	switch {
	case at >= 0:
		u.Policies[at] = next
	case len(u.Policies) >= policiesMax:
		return ErrTooManyPolicies
	default:
		u.Policies = append(u.Policies, next)
	}
	return nil
}

// DropPolicy takes a policy away. Errors: ErrNoPolicy.
func (u *Account) DropPolicy(name string) error {
	before := len(u.Policies)
	if u.Policies = slices.DeleteFunc(u.Policies,
		func(p NamedPolicy) bool { return p.Name == name }); len(u.Policies) == before {
		return ErrNoPolicy
	}
	return nil
}

// Text is the policy's document.
func (p *NamedPolicy) Text() string {
	if at := slices.IndexFunc(predefined, func(one NamedPolicy) bool { return one.Name == p.Name }); at >= 0 &&
		p.Document == "" {
		return predefined[at].Document
	}
	return p.Document
}

func (p *NamedPolicy) parse() (*policy.Policy, error) {
	text := p.Text()
	if text == "" {
		return nil, &PolicyError{fmt.Errorf("there is no predefined policy %s; give a document, or one of %s, %s, %s",
			p.Name, predefined[0].Name, predefined[1].Name, predefined[2].Name)}
	}
	parsed, err := policy.Parse([]byte(text), policy.Identity)
	if err != nil {
		return nil, &PolicyError{err}
	}
	return parsed, nil
}

func isPolicyName(name string) bool {
	for _, c := range []byte(name) {
		if (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') &&
			!slices.Contains([]byte("+=,.@_-"), c) {
			return false
		}
	}
	return len(name) > 0 && len(name) <= 128
}

// Policies returns all policies that say what a user may do: its own, those of its roles, and its grants and theirs;
// and the user's Credential, which is "" if there is no such user.
func (a *Accounts) Policies(
	ctx context.Context, user string,
) (policies []*policy.Policy, credential string, err error) {
	u, ok, err := a.Get(ctx, user)
	if err != nil || !ok || u.IsRole {
		return nil, "", err
	}
	holders, err := a.RolesOf(ctx, &u)
	if err != nil {
		return nil, "", err
	}
	var grants []Grant
	for _, holder := range append(holders, u) {
		grants = append(grants, holder.Grants...)
		for i := range holder.Policies {
			one, err := holder.Policies[i].parse()
			if err != nil {
				return nil, "", err
			}
			policies = append(policies, one)
		}
	}
	granted, err := GrantPolicies(grants)
	return append(policies, granted...), u.Credential(), err
}
