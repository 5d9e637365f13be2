// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"io"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/weftdb/weft/cmd/weft/endpoint"
	"github.com/weftdb/weft/internal/advice/advisor"
	"github.com/weftdb/weft/internal/advice/advisor/design"
	"github.com/weftdb/weft/internal/advice/advisor/report"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/dynamodb"
	"github.com/weftdb/weft/internal/hbase"
	"github.com/weftdb/weft/internal/security/audit"
	"github.com/weftdb/weft/internal/security/permission"
	"github.com/weftdb/weft/internal/security/signature"
	"github.com/weftdb/weft/internal/server/console"
	"github.com/weftdb/weft/internal/server/dynamohttp"
	"github.com/weftdb/weft/internal/server/hbasejson"
	"github.com/weftdb/weft/internal/sql/result"
)

// consoleUser is the key of the web console's user in a context.
type consoleUser struct{}

// consoleSigners take requests of the web console as signed by its user, and leave all others to the
// signers within.
type consoleSigners struct{ within dynamohttp.Signers } // nil: nobody signs

// Verify implements dynamohttp.Signers.
func (s consoleSigners) Verify(ctx context.Context, r *http.Request, body *signature.Sum) (string, *signature.Fault,
	error) {
	if user, ok := ctx.Value(consoleUser{}).(string); ok && user != "" {
		return user, nil, nil
	}
	if s.within == nil {
		return "", &signature.Fault{Name: signature.MissingToken, Message: "Missing Authentication Token"}, nil
	}
	return s.within.Verify(ctx, r, body)
}

// formOfSignature stands in requests of the web console, which are not signed: DynamoDB's API wants the form of one.
const formOfSignature = "AWS4-HMAC-SHA256 Credential=console/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host;x-amz-date;x-amz-target, Signature=none"

// databaseHeader names the database whose tables a request of DynamoDB's API is about. Only the admin port knows it.
const databaseHeader = "X-Weft-Database"

// consoleDatabase is the key of a context's database, if it is not the default one.
type consoleDatabase struct{}

// withinDatabase finds the API of requests that name another database, and of clients with tables of their own; nil for
// none.
func withinDatabase(api *dynamodb.API, own *dynamohttp.OwnTables) func(*http.Request) dynamohttp.API {
	return func(r *http.Request) dynamohttp.API {
		if name, ok := r.Context().Value(consoleDatabase{}).(string); ok {
			return api.Within(name)
		}
		if _, console := r.Context().Value(consoleUser{}).(string); own != nil && !console {
			return own.Of(r)
		}
		return nil
	}
}

// dynamoHandler is POST /api/dynamodb: a request of DynamoDB's API, in the name of the console's user.
func (s *server) dynamoHandler(w http.ResponseWriter, r *http.Request) {
	ctx := context.WithValue(r.Context(), consoleUser{}, r.Header.Get(userHeader))
	if name := r.Header.Get(databaseHeader); name != "" && name != database.DefaultDatabase {
		ctx = context.WithValue(ctx, consoleDatabase{}, name)
	}
	r = r.Clone(ctx)
	r.URL.Path, r.URL.RawQuery = "/", ""
	r.Header.Del("Origin") // it was judged
	r.Header.Set("Authorization", formOfSignature)
	r.Header.Set("X-Amz-Date", time.Now().UTC().Format("20060102T150405Z")) // lint:clock a date of the protocol
	r.Header.Set("Content-Type", "application/x-amz-json-1.0")
	s.dynamo.ServeHTTP(w, r)
}

// openScans makes HBase's scans for the web console, whether HBase's own ports are on or not.
func openScans(s *server, api *hbase.API) *hbasejson.Server {
	return hbasejson.New(hbasejson.Options{API: api, Logger: s.log,
		Metrics: s.metrics.Protocol("admin").Operation("hbase-scan"),
		Principal: func(r *http.Request) *permission.Principal {
			at, _ := netip.ParseAddrPort(r.RemoteAddr) // the zero Addr is an unknown one
			return &permission.Principal{User: r.Header.Get(userHeader), Address: at.Addr().Unmap(),
				Agent:  r.UserAgent(),
				Secure: r.TLS != nil, Request: r.Header.Get(endpoint.RequestIDHeader)}
		}})
}

// adviceOnPatterns is POST /api/advise: the advisor's findings about a design that the body describes, as weft advise
// --patterns does.
func adviceOnPatterns(w http.ResponseWriter, r *http.Request) {
	text, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, "the request did not arrive", http.StatusBadRequest)
		return
	}
	d, err := design.Parse(text)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	answerJSON(w, struct {
		*report.Report
		Candidates []report.Candidate
	}{advisor.Advise(d), advisor.Weigh(d)})
}

// loginOf is the login of a request through the web console. Without access control, all are root.
func loginOf(r *http.Request) result.Login {
	login := result.Login{User: r.Header.Get(userHeader), Host: hostOf(r.RemoteAddr), TLS: r.TLS != nil,
		MultiStatements: true, Charset: utf8mb4Collation, Attributes: map[string]string{"program_name": "weft console"}}
	login.User = cmp.Or(login.User, "root")
	return login
}

// utf8mb4Collation is MySQL's number of utf8mb4_bin.
const utf8mb4Collation = 46

// shownSession is the answer of GET /api/session.
type shownSession struct {
	Auth string `json:"auth"` // as the setting has it
	User string `json:"user"` // "" for nobody
	// Protocols are the addresses of the other ports, for code that the console writes.
	Protocols map[string]string `json:"protocols"`
}

// sessionHandler is GET /api/session.
func (s *server) sessionHandler(w http.ResponseWriter, r *http.Request) {
	shown := shownSession{Auth: s.config.Auth, Protocols: map[string]string{}}
	if s.phase.Load() == nil {
		for _, d := range s.protocols {
			shown.Protocols[d.Name()] = d.Addr().String()
		}
	}
	if text, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok && s.config.Auth != "off" &&
		s.phase.Load() == nil {
		ctx, cancel := context.WithTimeout(r.Context(), accountTimeout)
		defer cancel()
		shown.User, _, _ = s.userOfToken(ctx, text) // who can't be found out is nobody
	}
	answerJSON(w, shown)
}

// signInHandler is POST /api/session.
func (s *server) signInHandler(w http.ResponseWriter, r *http.Request) {
	var asked struct {
		User     string `json:"user"`
		Password string `json:"password"`
	}
	switch err := json.NewDecoder(r.Body).Decode(&asked); {
	case err != nil:
		http.Error(w, `the body must be JSON: {"user": "..", "password": ".."}`, http.StatusBadRequest)
		return
	case s.config.Auth == "off":
		http.Error(w, "access control is off: nobody need sign in", http.StatusConflict)
		return
	case s.phase.Load() != nil:
		http.Error(w, "not ready: "+*s.phase.Load(), http.StatusServiceUnavailable)
		return
	}
	host := hostOf(r.RemoteAddr)
	credential, proved := s.proves(asked.User, asked.Password)
	refusal, reason := s.gate.judge(asked.User, host, proved), ""
	switch {
	case refusal != nil:
		reason = refusal.Message
	case !proved:
		reason = "the user or the password is wrong"
	}
	s.auditLogin(audit.Event{Port: "admin", User: asked.User, From: host,
		Request: r.Header.Get(endpoint.RequestIDHeader)}, reason)
	if reason != "" {
		http.Error(w, reason, http.StatusUnauthorized)
		return
	}
	answerJSON(w, map[string]string{"user": asked.User, "token": s.sessions.Open(asked.User, credential, time.Now())})
}

// proves reports whether a password is a user's, and returns the user's credential. It takes as long for users that
// there are none of.
func (s *server) proves(user, password string) (credential string, ok bool) {
	v, ok := verifierOf(s, s.gate.accounts, user)
	inner := sha256.Sum256([]byte(password))
	outer := sha256.Sum256(inner[:])
	return v.Credential, subtle.ConstantTimeCompare(outer[:], v.SHA256[:]) == 1 && ok && password != ""
}

// signOutHandler is DELETE /api/session.
func (s *server) signOutHandler(w http.ResponseWriter, r *http.Request) {
	if text, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "+console.SessionPrefix); ok {
		s.sessions.Close(console.SessionPrefix + text)
	}
	answerJSON(w, map[string]string{})
}

func answerJSON(w http.ResponseWriter, content any) {
	body, err := json.Marshal(content)
	if err != nil {
		http.Error(w, "failed to write the answer", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	_, _ = w.Write(body) // the client is gone; nobody to tell
}
