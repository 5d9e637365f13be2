// SPDX-License-Identifier: Apache-2.0

package permission

import (
	"cmp"
	"context"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/security/account"
	"github.com/weftdb/weft/internal/security/policy"
)

// Request is a principal's request.
type Request struct {
	Action string // as "dynamodb:GetItem"
	// Resource is the last part of the ARN, as account.TableResource makes it, and Part what follows it, as
	// "/index/by_name". "*" is no resource of its own. What begins with "arn:" is an ARN of another service.
	Resource, Part string
	// Pattern is policy.Request's.
	Pattern bool
	// Values returns the values that a condition key has in this request; name is in lower case. ok is false if it has
	// none. The keys of the principal are known without it. nil: there are no others.
	Values func(name string) (values []string, ok bool)
	// Policy is the policy of the resource, nil for none.
	Policy *policy.Policy
	// Unknown, Patterns and Lenient are policy.Request's.
	Unknown  func(name string) bool
	Patterns func(name string) bool
	Lenient  bool

	table *schema.Table // whose tags count; nil: of none
}

// Options are the settings of a Guard.
type Options struct {
	Account, Region string // in ARNs
	// Warn allows everything. Requests that would have been denied are logged, once a minute at most for a user, action
	// and resource.
	Warn   bool
	Logger *slog.Logger // nil: nothing is logged
	// Observe, if not nil, is called for every decision. It must be quick and safe for concurrent use.
	Observe func(*Decision)
	Now     func() time.Time // nil: time.Now
}

// Decision is the answer to one request.
type Decision struct {
	Principal        *Principal
	Action, Resource string  // Resource is an ARN
	Detail           string  // of a change of a user or a role: what of it is changed
	Denied           *Denied // nil: it is allowed
}

// Guard decides what users may do. A nil Guard allows everything. It is safe for concurrent use.
type Guard struct {
	accounts *account.Accounts
	options  Options

	mu    sync.RWMutex
	known map[string]*rights
	// tables are the policies of tables, by their UUIDs.
	tables map[string]tablePolicy

	warned warnings
}

// rights are a user's stored rights. They are immutable.
type rights struct {
	policies []*policy.Policy
	all      bool // they allow everything
	readAt   time.Time
	// credential is the user's; "" if there is no such user.
	credential string
}

// outdated are the rights of a principal whose user was dropped or whose password was changed. //
// immutable
var outdated = &rights{}

const (
	// rightsAge is the time the rights of a user are kept: a right that is taken away holds no longer.
	rightsAge = time.Second
	// usersMax is of how many users rights are kept.
	usersMax = 10_000
)

// New returns the guard of some accounts.
func New(accounts *account.Accounts, o Options) *Guard {
	if o.Now == nil {
		o.Now = time.Now
	}
	o.Logger = cmp.Or(o.Logger, slog.New(slog.DiscardHandler))
	return &Guard{accounts: accounts, options: o, known: map[string]*rights{}, tables: map[string]tablePolicy{}}
}

// Check wants all requests to be allowed to a principal. Errors: *Denied for the first that is not, those of the store.
func (g *Guard) Check(ctx context.Context, p *Principal, requests ...Request) error {
	if g == nil {
		return nil
	}
	now := g.options.Now()
	r, err := g.rightsOf(ctx, p, now)
	if err != nil {
		return err
	}
	for i := range requests {
		if one := &requests[i]; r.all && one.Policy == nil && g.options.Observe == nil {
			continue
		} else if err := g.check(p, r, one, now); err != nil {
			return err
		}
	}
	return nil
}

// Ask wants an action on a table, or on a part of it such as "/index/by_name", to be allowed to a principal. more
// adds to
// the request what else is known of it; nil: nothing. Errors: those of Check and Table.
func (g *Guard) Ask(
	ctx context.Context, p *Principal, action string, table *schema.Table, part string, more func(*Request),
) error {
	if g == nil {
		return nil
	}
	request, err := g.Table(action, table, part)
	if err != nil {
		return err
	}
	if more != nil {
		more(&request)
	}
	return g.Check(ctx, p, request)
}

// MayDoAll reports whether a principal may do everything with a table, so that no request about it needs to be made for
// Check. It is false where decisions are observed. Errors: those of the store.
func (g *Guard) MayDoAll(ctx context.Context, p *Principal, table *schema.Table) (bool, error) {
	if g.options.Observe != nil || table.Dialect[dialect] != nil {
		return false, nil
	}
	r, err := g.rightsOf(ctx, p, g.options.Now())
	return err == nil && r.all, err
}

func (g *Guard) check(p *Principal, r *rights, request *Request, now time.Time) error {
	denied := g.decide(p, r, request, now)
	if g.options.Observe != nil {
		g.options.Observe(&Decision{Principal: p, Action: request.Action, Resource: g.resource(request),
			Denied: denied})
	}
	switch {
	case denied == nil:
		return nil
	case g.options.Warn:
		g.warned.warn(g.options.Logger, denied, now)
		return nil
	}
	return denied
}

// decide follows AWS's rule for one account: what any policy denies is denied, and else what any policy allows is
// allowed.
func (g *Guard) decide(p *Principal, r *rights, request *Request, now time.Time) *Denied {
	if r.all && request.Policy == nil {
		return nil
	}
	asked := policy.Request{Unknown: request.Unknown, Patterns: request.Patterns, Lenient: request.Lenient,
		Account: g.options.Account, Action: request.Action,
		Resource: g.resource(request), Pattern: request.Pattern}
	asked.Values = func(name string) ([]string, bool) {
		if value, ok := p.value(g, name, now); ok {
			return []string{value}, true
		}
		if tag, ok := strings.CutPrefix(name, resourceTag); ok {
			return request.tagValues(tag)
		}
		if request.Values == nil {
			return nil, false
		}
		return request.Values(name)
	}
	if p.User != "" {
		asked.Principal = g.arnOf(p.User)
	}
	own, of := policy.Decide(r.policies, &asked), policy.NoMatch
	if request.Policy != nil {
		of = request.Policy.Decide(&asked)
	}
	switch {
	case own == policy.Deny:
		return &Denied{User: p.User, Principal: asked.Principal, Action: request.Action, Resource: asked.Resource,
			By: "identity"}
	case of == policy.Deny:
		return &Denied{User: p.User, Principal: asked.Principal, Action: request.Action, Resource: asked.Resource,
			By: "resource"}
	case own == policy.Allow, of == policy.Allow:
		return nil
	}
	return &Denied{User: p.User, Principal: asked.Principal, Action: request.Action, Resource: asked.Resource}
}

// rightsOf returns what a principal may do, as of a second ago at the latest.
func (g *Guard) rightsOf(ctx context.Context, p *Principal, now time.Time) (*rights, error) {
	g.mu.RLock()
	r := g.known[p.User]
	g.mu.RUnlock()
	current := func() bool { return p.Credential == "" || p.Credential == r.credential }
	if r != nil && now.Sub(r.readAt) < rightsAge && !now.Before(r.readAt) && current() {
		return r, nil
	}
	r, err := g.readRights(ctx, p.User, now)
	if err == nil && !current() {
		return outdated, nil
	}
	return r, err
}

func (g *Guard) readRights(ctx context.Context, user string, now time.Time) (*rights, error) {
	r := &rights{readAt: now}
	if user != "" {
		policies, credential, err := g.accounts.Policies(ctx, user)
		if err != nil {
			return nil, err
		}
		r.policies, r.all, r.credential = policies, policy.AllowEverything(policies), credential
	}
	g.mu.Lock()
	if len(g.known) >= usersMax {
		clear(g.known)
	}
	g.known[user] = r
	g.mu.Unlock()
	return r, nil
}

func (g *Guard) arnOf(user string) string {
	return "arn:aws:iam::" + g.options.Account + ":user/" + user
}

// resource returns the ARN of the request's object.
func (g *Guard) resource(r *Request) string {
	if r.Resource == "*" || strings.HasPrefix(r.Resource, "arn:") {
		return r.Resource
	}
	return account.ResourcePrefix + g.options.Region + ":" + g.options.Account + ":" + r.Resource + r.Part
}
