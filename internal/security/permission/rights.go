// SPDX-License-Identifier: Apache-2.0

package permission

import (
	"context"
	"slices"

	"github.com/weftdb/weft/internal/security/account"
	"github.com/weftdb/weft/internal/security/policy"
)

// Rights are the rights of a principal, for callers that cache decisions: two Rights are equal as long as decisions are
// the same except for the time of day. The zero value allows everything.
type Rights struct {
	guard     *Guard
	principal *Principal
	of        *rights
}

// RightsOf returns what a principal may do, as of a second ago at the latest. A nil Guard allows everything.
func (g *Guard) RightsOf(ctx context.Context, p *Principal) (Rights, error) {
	if g == nil {
		return Rights{}, nil
	}
	of, err := g.rightsOf(ctx, p, g.options.Now())
	return Rights{g, p, of}, err
}

// Everything reports whether everything is allowed without a look at policies.
func (r Rights) Everything() bool { return r.guard == nil }

// IsOutdated reports whether the principal signed in as a user that there is no more, or by a password that was
// changed.
func (r Rights) IsOutdated() bool { return r.of == outdated }

// Decide decides on a request without an entry in the audit log.
func (r Rights) Decide(request *Request) policy.Effect {
	if r.guard == nil {
		return policy.Allow
	}
	if r.of == nil { // what they are could not be read
		return policy.NoMatch
	}
	denied := r.guard.decide(r.principal, r.of, request, r.guard.options.Now())
	switch {
	case denied == nil:
		return policy.Allow
	case denied.By != "":
		return policy.Deny
	}
	return policy.NoMatch
}

// DeniedBy reports whether a policy would deny a request if it were that of the resource. Errors: what is wrong with
// the document.
func (r Rights) DeniedBy(document string, request Request) (bool, error) {
	parsed, err := policy.Parse([]byte(document), policy.Resource)
	request.Policy = parsed
	return err == nil && r.Decide(&request) == policy.Deny, err
}

// Observed reports whether decisions are observed.
func (r Rights) Observed() bool { return r.guard != nil && r.guard.options.Observe != nil }

// Warns reports whether what is denied is to be done and logged all the same.
func (r Rights) Warns() bool { return r.guard != nil && r.guard.options.Warn }

// Tell tells Options.Observe of a decision that was made, perhaps from answers that were kept, and logs a denial if
// that is all that comes of it.
func (r Rights) Tell(request *Request, allowed bool) {
	if r.guard == nil || allowed && !r.Observed() {
		return
	}
	var denied *Denied
	if !allowed {
		denied = &Denied{User: r.principal.User, Principal: r.guard.arnOf(r.principal.User), Action: request.Action,
			Resource: r.guard.resource(request)}
	}
	if r.Observed() {
		r.guard.options.Observe(&Decision{Principal: r.principal, Action: request.Action,
			Resource: r.guard.resource(request), Denied: denied})
	}
	if denied != nil && r.guard.options.Warn {
		r.guard.warned.warn(r.guard.options.Logger, denied, r.guard.options.Now())
	}
}

// TellOfUser is Tell for a change of a user or a role. detail says what of it is changed, such as the privileges.
func (r Rights) TellOfUser(action, name, detail string, allowed bool) {
	if r.guard == nil {
		return
	}
	d := Decision{Principal: r.principal, Action: action, Resource: r.guard.arnOf(name), Detail: detail}
	if !allowed {
		d.Denied = &Denied{User: r.principal.User, Principal: r.guard.arnOf(r.principal.User), Action: action,
			Resource: d.Resource}
	}
	if r.Observed() {
		r.guard.options.Observe(&d)
	}
	if d.Denied != nil && r.guard.options.Warn {
		r.guard.warned.warn(r.guard.options.Logger, d.Denied, r.guard.options.Now())
	}
}

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
