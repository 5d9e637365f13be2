// SPDX-License-Identifier: Apache-2.0

package main

import (
	"net"
	"net/http"
	"strings"

	"github.com/weftdb/weft/cmd/weft/endpoint"
	"github.com/weftdb/weft/internal/security/audit"
	"github.com/weftdb/weft/internal/security/permission"
	"github.com/weftdb/weft/internal/security/signature"
)

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
