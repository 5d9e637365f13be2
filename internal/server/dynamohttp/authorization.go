// SPDX-License-Identifier: Apache-2.0

package dynamohttp

import (
	"context"
	"crypto/sha256"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"github.com/weftdb/weft/internal/dynamodb/exception"
	"github.com/weftdb/weft/internal/security/permission"
	"github.com/weftdb/weft/internal/security/signature"
)

// Signers finds the signer of a request; body is the digest of the body as it came. fault is the reason for a refusal;
// err, that it could not be found out. *account.Signers is one.
type Signers interface {
	Verify(ctx context.Context, r *http.Request, body *signature.Sum) (user string, fault *signature.Fault, err error)
}

// authorize finds the request's principal. Without Signers, the form of a signature is enough.
func (x *exchange) authorize(r *http.Request) *exception.Error {
	o := &x.server.options
	if o.Signers == nil {
		if !o.CheckAuthorization {
			return nil
		}
		return exceptionOf(signature.CheckForm(r))
	}
	user, fault, err := o.Signers.Verify(r.Context(), r, x.bodySum())
	x.principal = permission.Principal{Address: addressOf(r), Agent: r.UserAgent(), Secure: r.TLS != nil,
		Request: string(x.id())}
	switch {
	case err != nil:
		return &exception.Error{Kind: exception.KindInternal, Message: "Internal server error", Cause: err}
	case fault == nil:
		x.principal.User = user
		return nil
	}
	if fault.Detail != "" {
		o.Logger.Debug("a signature is wrong", "request", string(x.id()), "detail", fault.Detail)
	}
	if o.Refused != nil {
		o.Refused(r, &x.principal, fault)
	}
	if o.SignersWarn {
		x.server.warnings.warn(o.Logger, r, fault)
		return nil
	}
	return exceptionOf(fault)
}

// addressOf is the client's address.
func addressOf(r *http.Request) netip.Addr {
	address, _ := netip.ParseAddrPort(r.RemoteAddr)
	return address.Addr()
}

// bodySum is the digest of the body as it came: a compressed one was digested while it was unpacked.
func (x *exchange) bodySum() *signature.Sum {
	if x.pacer.digest != nil {
		x.sum = signature.Sum(x.pacer.digest.Sum(nil))
	} else {
		x.sum = sha256.Sum256(x.body)
	}
	return &x.sum
}

// exceptionOf is a fault as the API answers it.
func exceptionOf(fault *signature.Fault) *exception.Error {
	if fault == nil {
		return nil
	}
	kind := exception.KindSignatureInvalid
	switch fault.Name {
	case signature.MissingToken:
		kind = exception.KindTokenMissing
	case signature.Incomplete:
		kind = exception.KindSignatureIncomplete
	case signature.Throttled:
		kind = exception.KindClientThrottled
	case signature.UnrecognizedClient:
		kind = exception.KindClientUnrecognized
	}
	return exception.New(kind, fault.Message)
}

// Warnings of one kind from one address are logged once in warningPause.
const (
	warningPause = time.Minute
	warningsMax  = 1000 // addresses and kinds that are remembered
)

// warnings remembers the users of recent warnings.
type warnings struct {
	mu   sync.Mutex
	last map[string]time.Time
}

// warn logs a request that would be refused.
func (w *warnings) warn(logger *slog.Logger, r *http.Request, fault *signature.Fault) {
	host, _, _ := net.SplitHostPort(r.RemoteAddr)
	now := time.Now()
	w.mu.Lock()
	id := fault.Name + " " + host
	again := now.Sub(w.last[id]) < warningPause
	if w.last == nil || len(w.last) >= warningsMax {
		w.last = map[string]time.Time{}
	}
	if !again {
		w.last[id] = now
	}
	w.mu.Unlock()
	if !again {
		logger.Warn("this request would be refused if auth were required", "client", host, "exception", fault.Name,
			"reason", fault.Message)
	}
}
