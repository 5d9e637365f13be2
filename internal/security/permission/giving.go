// SPDX-License-Identifier: Apache-2.0

package permission

import (
	"slices"

	"github.com/weftdb/weft/internal/security/account"
	"github.com/weftdb/weft/internal/security/policy"
)

// IsAdministrator reports whether a principal may manage the server and its users, and with that give everybody any
// right.
func (r Rights) IsAdministrator() bool {
	return !slices.ContainsFunc([]account.Privileges{account.Super, account.CreateUser},
		func(one account.Privileges) bool {
			return r.Decide(&Request{Action: one.Action(), Resource: "*"}) != policy.Allow
		})
}

// Lacks returns a privilege of a set that a principal may not let others have at a level; 0: it may give them all. It
// must be allowed all that the privilege allows, on everything that the level covers and whatever the conditions of a
// request, and nothing of that may be denied. of is the policy of the level's table; nil: it has none.
func (r Rights) Lacks(set account.Privileges, at account.Level, of *policy.Policy) account.Privileges {
	if r.guard == nil {
		return 0
	}
	for one := range set.Each {
		for _, action := range one.Actions(at) {
			if !r.covers(action, one, set, at, of) {
				return one
			}
		}
	}
	const both = account.Insert | account.Delete
	if set&both == both && !r.covers(account.BatchWrite, account.Insert, set, at, of) {
		return account.Insert
	}
	return 0
}

// covers reports whether a principal may do what a privilege of a set allows, on everything that a level covers. Who
// may change the schema of tables may change their indexes, and writes answer nothing to users who may not read.
func (r Rights) covers(action string, one, set account.Privileges, at account.Level, of *policy.Policy) bool {
	for _, resource := range at.Resources() {
		request := &Request{Action: action, Resource: resource, Pattern: true, Policy: of,
			Unknown: func(string) bool { return true }}
		effect := r.Decide(request)
		if effect == policy.NoMatch && one == account.Index {
			request.Action = account.Alter.Action()
			effect = r.Decide(request)
		}
		if effect == policy.NoMatch && one.Writes() && set&account.Select == 0 {
			request.Unknown = func(key string) bool { return key != "dynamodb:returnvalues" }
			request.Values = func(key string) ([]string, bool) { return []string{"NONE"}, !request.Unknown(key) }
			effect = r.Decide(request)
		}
		if effect != policy.Allow {
			return false
		}
	}
	return true
}

// Outranks reports whether a user or role may do something that the principal may not give to others; lacks is Lacks,
// or more than that. Policies besides the grants count as such, since what they allow is not compared. roles are those
// of the user.
func (r Rights) Outranks(
	u *account.Account, roles []account.Account, lacks func(account.Privileges, account.Level) account.Privileges,
) bool {
	if r.guard == nil || r.IsAdministrator() {
		return false
	}
	for _, one := range append(roles[:len(roles):len(roles)], *u) {
		if len(one.Policies) > 0 {
			return true
		}
		for _, g := range one.Grants {
			if lacks(g.Privileges, g.Level) != 0 {
				return true
			}
		}
	}
	return false
}
