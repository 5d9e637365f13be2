// SPDX-License-Identifier: Apache-2.0

package permission

import (
	"context"

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
