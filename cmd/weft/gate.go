// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync/atomic"
	"time"

	"github.com/weftdb/weft/cmd/weft/endpoint"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/security/account"
	"github.com/weftdb/weft/internal/security/audit"
	"github.com/weftdb/weft/internal/security/permission"
	"github.com/weftdb/weft/internal/security/signature"
	"github.com/weftdb/weft/internal/server/console"
	"github.com/weftdb/weft/internal/server/dynamohttp"
	"github.com/weftdb/weft/internal/sql/fault"
)

// adminTokenVariable holds the token that commands show to the admin port.
const adminTokenVariable = envPrefix + "ADMIN_TOKEN"

// noUsers is the message to clients and the log while nobody can sign in.
const noUsers = "there are no users yet, so nobody can sign in: on the server's machine, create the first administrator with weft user add NAME"

// accountTimeout is the time looking up an account may take.
const accountTimeout = 5 * time.Second

// gate knows whether there is anybody who could sign in, and what users may do.
type gate struct {
	server   *server
	accounts *database.Accounts
	guard    *permission.Guard
	throttle *account.Throttle // of passwords
	found    atomic.Bool
}

// isShut reports whether there are no users. Once there was one, that is not looked up again.
func (g *gate) isShut(ctx context.Context) bool {
	if g.found.Load() {
		return false
	}
	users, err := g.accounts.List(ctx)
	if err == nil && len(users) > 0 {
		g.found.Store(true)
	}
	return err == nil && len(users) == 0
}

// judgeLogin refuses logins while there are no users, and those of who failed too often, whether or not there is such a
// user.
func (g *gate) judgeLogin(user, host string, proved bool) *fault.Error {
	refusal, reason := g.judge(user, host, proved), ""
	switch {
	case refusal != nil:
		reason = refusal.Message
	case !proved:
		reason = "the user or the password is wrong"
	}
	g.server.auditLogin(audit.Event{Port: "mysql", User: user, From: host}, reason)
	return refusal
}

func (g *gate) judge(user, host string, proved bool) *fault.Error {
	ctx, cancel := context.WithTimeout(context.Background(), accountTimeout)
	defer cancel()
	if g.isShut(ctx) {
		return fault.Message(fault.AccessDenied, noUsers)
	}
	if _, wait := g.throttle.Login(user, host, proved); wait > 0 {
		return fault.Message(fault.AccessDenied,
			"Too many logins of user '%s' or from '%s' failed: try again in %d seconds", user, host, 1+
				int(wait/time.Second))
	}
	return nil
}

// guardedSigners tell clients of DynamoDB's API why nobody can sign in.
type guardedSigners struct {
	dynamohttp.Signers
	gate *gate
}

// Verify implements dynamohttp.Signers.
func (s guardedSigners) Verify(ctx context.Context, r *http.Request, body *signature.Sum) (string, *signature.Fault,
	error) {
	user, refusal, err := s.Signers.Verify(ctx, r, body)
	if refusal != nil && s.gate.isShut(ctx) {
		refusal = &signature.Fault{Name: signature.UnrecognizedClient, Message: noUsers}
	}
	return user, refusal, err
}

// warnInterval is the time between two warnings that nobody can sign in.
const warnInterval = time.Minute

// warnWhileShut says in the log how the first user is made, until there is one or ctx ends.
func (s *server) warnWhileShut(ctx context.Context, tick <-chan time.Time) {
	for s.gate.isShut(ctx) {
		s.log.Warn(noUsers)
		select {
		case <-tick:
		case <-ctx.Done():
			return
		}
	}
}

// userHeader carries the name of the administrator who asks to the pages of the admin port, whatever the client sent
// under that name.
const userHeader = "X-Weft-User"

// judgeAdmin decides on the pages of the admin port that a visitor may see.
func (s *server) judgeAdmin(r *http.Request, page console.Access) *console.Refusal {
	r.Header.Del(userHeader)
	if s.config.Auth == "off" || page == console.Anyone || page == console.Visitors ||
		page == console.Readers && loopback(s.config.AdminAddr) {
		return console.Local(r, page)
	}
	refusal := s.judgeToken(r, page)
	if refusal != nil && refusal.Status < http.StatusInternalServerError {
		s.auditLogin(audit.Event{Port: "admin", User: r.Header.Get(userHeader), From: hostOf(r.RemoteAddr),
			Action: r.Method + " " + r.URL.Path, Request: r.Header.Get(endpoint.RequestIDHeader)}, refusal.Reason)
	}
	if refusal != nil && s.config.Auth == "warn" {
		if refusal.Status != http.StatusServiceUnavailable {
			s.log.WarnContext(r.Context(), "this request to the admin port would be refused if auth were required",
				"client", r.RemoteAddr, "page", r.URL.Path, "reason", refusal.Reason)
		}
		return console.Local(r, page)
	}
	return refusal
}

// judgeAndKeep is judgeAdmin. Requests of signed-in users are not cut off for new connections.
func (s *server) judgeAndKeep(r *http.Request, page console.Access) *console.Refusal {
	refusal := s.judgeAdmin(r, page)
	if refusal == nil && (page == console.Users || page == console.Administrators) {
		endpoint.Keep(r.Context())
	}
	return refusal
}

// seesNames reports whether a client may learn the names of tables from metrics: as pages for readers, but a refusal is
// no event.
func (s *server) seesNames(r *http.Request) bool {
	return s.config.Auth != "required" || loopback(s.config.AdminAddr) ||
		r.Header.Get("Authorization") != "" && s.judgeToken(r, console.Readers) == nil
}

// judgeToken refuses who has not signed in, and on pages that are not for all users, who is no administrator. Before
// there is a user, programs on this machine count as administrators.
func (s *server) judgeToken(r *http.Request, page console.Access) *console.Refusal {
	if s.phase.Load() == &starting { // before it is over, there may be no database
		return &console.Refusal{Status: http.StatusServiceUnavailable, Reason: "not ready: " + starting}
	}
	ctx, cancel := context.WithTimeout(r.Context(), accountTimeout)
	defer cancel()
	text, shown := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !shown {
		return s.refuseStranger(ctx, r, page)
	}
	user, ok, err := s.userOfToken(ctx, text)
	if err == nil && !ok {
		return &console.Refusal{Status: http.StatusUnauthorized,
			Reason: "there is no such token: sign in again, or make one with weft user token create"}
	}
	if err == nil {
		r.Header.Set(userHeader, user)
		if page == console.Users {
			return nil // its rights are checked with each request
		}
		at, _ := netip.ParseAddrPort(r.RemoteAddr)
		err = s.gate.guard.Check(ctx, &permission.Principal{User: user, Address: at.Addr(),
			Request: r.Header.Get(endpoint.RequestIDHeader)},
			permission.Request{Action: "weft:ManageServer", Resource: "*"},
			permission.Request{Action: "weft:ManageUsers", Resource: "*"})
	}
	switch denied := (*permission.Denied)(nil); {
	case errors.As(err, &denied):
		return &console.Refusal{Status: http.StatusForbidden,
			Reason: "user " + user + " is not an administrator: " + denied.Error()}
	case err != nil:
		s.log.ErrorContext(r.Context(), "failed to check a token", "error", err)
		return &console.Refusal{Status: http.StatusInternalServerError,
			Reason: "the token can't be checked: see the log"}
	}
	return nil
}

// refuseStranger answers a request without a token.
func (s *server) refuseStranger(ctx context.Context, r *http.Request, page console.Access) *console.Refusal {
	switch shut := s.gate.isShut(ctx); {
	case shut && page != console.Users && console.FromHere(r):
		return nil
	case shut:
		return &console.Refusal{Status: http.StatusUnauthorized, Reason: noUsers}
	case page == console.Users:
		return &console.Refusal{Status: http.StatusUnauthorized,
			Reason: "sign in: POST /api/session answers with a token, to be sent as Authorization: Bearer TOKEN"}
	}
	return &console.Refusal{Status: http.StatusUnauthorized,
		Reason: "this page is for administrators: send a token as Authorization: Bearer TOKEN; commands of weft read it from " + adminTokenVariable}
}

// userOfToken finds whose a token is: of a session of the web console, or one that was made to last.
func (s *server) userOfToken(ctx context.Context, text string) (user string, ok bool, err error) {
	if !strings.HasPrefix(text, console.SessionPrefix) {
		return s.gate.accounts.UserOfToken(ctx, text)
	}
	user, credential, ok := s.sessions.User(text, time.Now())
	if !ok {
		return "", false, nil
	}
	account, ok, err := s.gate.accounts.Get(ctx, user)
	if err != nil || !ok || account.IsRole || account.Credential() != credential {
		// It was dropped meanwhile, or is another of that name or with another password.
		return "", false, err
	}
	return user, true, nil
}

// openAudit opens the audit log, if there is to be one. What can't be written to it goes to the server's log, as a
// whole.
func (s *server) openAudit() (err error) {
	if s.config.AuditLog == "" || s.config.idle {
		return nil
	}
	s.audit, err = audit.Open(audit.Options{
		File: s.config.AuditLog, BytesMax: int64(s.config.AuditLogMaxMB) << 20,
		Events: audit.Events(s.config.AuditEvents),
		Lost: func(line string, err error) {
			s.log.Error("the audit log can't be written; its line is here", "error", err, "line", line)
		},
	})
	return err
}

// auditDecision records what a user asked for. It is called for every request.
func (s *server) auditDecision(d *permission.Decision) {
	kind, outcome := audit.KindOf(d.Action), audit.Allowed
	if d.Denied != nil {
		outcome = s.refusalOutcome()
	}
	if !s.audit.Wants(kind, outcome) {
		return
	}
	e := audit.Event{Kind: kind, User: d.Principal.User, Action: d.Action, Resource: d.Resource, Detail: d.Detail,
		Outcome: outcome, Request: d.Principal.Request}
	if d.Principal.Address.IsValid() {
		e.From = d.Principal.Address.Unmap().String()
	}
	if d.Denied != nil {
		e.Reason = d.Denied.Error()
	}
	s.audit.Record(e)
}

// refusalOutcome is the outcome of a refusal.
func (s *server) refusalOutcome() audit.Outcome {
	if s.config.Auth == "warn" {
		return audit.Warned
	}
	return audit.Denied
}

// auditLogin records who came in; reason is why one did not.
func (s *server) auditLogin(e audit.Event, reason string) {
	e.Kind, e.Outcome, e.Reason = audit.Login, audit.Allowed, reason
	if reason != "" {
		e.Outcome = s.refusalOutcome()
	}
	s.audit.Record(e)
}

// auditSignature records a request whose signature was refused.
func (s *server) auditSignature(r *http.Request, p *permission.Principal, refusal *signature.Fault) {
	e := audit.Event{Port: "dynamodb", From: p.Address.Unmap().String(), Request: p.Request}
	if claim, _ := signature.Read(r); claim != nil {
		e.AccessKey = claim.AccessKey
	}
	_, e.Action, _ = strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	s.auditLogin(e, refusal.Error())
}

// auditChange records a change of users at the admin port; err is why it failed.
func (s *server) auditChange(r *http.Request, request *userRequest, err error) {
	s.auditAdmin(r, "weft user "+request.Do, strings.Join(strings.Fields(request.Name+" "+request.Policy), " "), err)
}

// auditAdmin records what an administrator did at the admin port; err is why it failed.
func (s *server) auditAdmin(r *http.Request, action, resource string, err error) {
	e := audit.Event{
		Kind: audit.Administration, Port: "admin", User: r.Header.Get(userHeader), From: hostOf(r.RemoteAddr),
		Outcome: audit.Allowed,
		Action:  action, Resource: resource, Request: r.Header.Get(endpoint.RequestIDHeader),
	}
	if err != nil {
		e.Reason = "failed: " + err.Error()
	}
	s.audit.Record(e)
}

// hostOf is the address of HOST:PORT.
func hostOf(address string) string {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return address
	}
	return host
}
