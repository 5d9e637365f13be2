// SPDX-License-Identifier: Apache-2.0

package permission

import (
	"cmp"
	"context"
	"log/slog"
	"net/netip"
	"strconv"
	"sync"
	"time"
)

// Principal is the identity behind a request.
type Principal struct {
	User string // "": nobody signed in
	// Credential is the account.Credential of a password's login, for as long as a connection is open; "" if each
	// request proves its identity. Once the user has another one, the principal may do nothing.
	Credential string
	Address    netip.Addr // of the client; the zero Addr if it is not known
	Agent      string     // what the client calls itself
	Secure     bool       // over TLS
	Request    string     // the request's id
}

type contextKey struct{}

// NewContext returns a context for a principal's requests. The principal must not be changed while the context is in
// use.
func NewContext(ctx context.Context, p *Principal) context.Context {
	return context.WithValue(ctx, contextKey{}, p)
}

// nobody is the principal where none is known. // immutable
var nobody = &Principal{}

// FromContext returns the principal of NewContext, or one who has not signed in.
func FromContext(ctx context.Context) *Principal {
	if p, ok := ctx.Value(contextKey{}).(*Principal); ok {
		return p
	}
	return nobody
}

// value is a condition key that does not depend on the operation.
func (p *Principal) value(g *Guard, key string, now time.Time) (value string, ok bool) {
	switch key {
	case "aws:username", "aws:userid":
		return p.User, p.User != ""
	case "aws:principalarn":
		return g.arnOf(p.User), p.User != ""
	case "aws:viaawsservice", "aws:principalisawsservice":
		return "false", true
	case "aws:resourceaccount":
		return g.options.Account, true
	case "aws:principalaccount":
		return g.options.Account, p.User != ""
	case "aws:principaltype":
		if p.User == "" {
			return "Anonymous", true
		}
		return "User", true
	case "aws:sourceip":
		return p.Address.Unmap().WithZone("").String(), p.Address.IsValid()
	case "aws:securetransport":
		return strconv.FormatBool(p.Secure), true
	case "aws:useragent":
		return p.Agent, p.Agent != ""
	case "aws:currenttime":
		return now.UTC().Format(time.RFC3339), true
	case "aws:epochtime":
		return strconv.FormatInt(now.Unix(), 10), true
	case "aws:requestedregion":
		return g.options.Region, true
	}
	return "", false
}

// Denied says that a principal may not do something.
type Denied struct {
	User      string // "": nobody signed in
	Principal string // the user's ARN
	Action    string
	Resource  string // ARN
	By        string // "identity" or "resource": the kind of policy that denies it; "": no policy allows it
}

// Error is AWS's text.
func (d *Denied) Error() string {
	who := d.Principal
	who = cmp.Or(who, "anonymous")
	text := "User: " + who + " is not authorized to perform: " + d.Action + " on resource: " + d.Resource
	if d.By != "" {
		return text + " with an explicit deny in a" + map[bool]string{true: "n"}[d.By == "identity"] + " " + d.By +
			"-based policy"
	}
	return text + " because no identity-based policy allows the " + d.Action + " action"
}

const (
	warningPause = time.Minute
	warningsMax  = 1000 // denials that are remembered
)

// warnings remembers what was warned of lately.
type warnings struct {
	mu   sync.Mutex
	last map[Denied]time.Time
}

// warn logs what would be denied.
func (w *warnings) warn(logger *slog.Logger, d *Denied, now time.Time) {
	w.mu.Lock()
	last, again := w.last[*d]
	again = again && now.Sub(last) < warningPause
	if w.last == nil || len(w.last) >= warningsMax {
		w.last = map[Denied]time.Time{}
	}
	if !again {
		w.last[*d] = now
	}
	w.mu.Unlock()
	if !again {
		logger.Warn("this request would be denied if auth were required", "user", d.User, "action", d.Action,
			"resource", d.Resource, "reason", d.Error())
	}
}
