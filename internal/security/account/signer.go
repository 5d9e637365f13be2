// SPDX-License-Identifier: Apache-2.0

package account

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/weftdb/weft/internal/security/signature"
)

// SignerAge is the time for which an access key's record is used before it is read again: a key that is disabled signs
// no more after that.
const SignerAge = time.Second

// service is the one that requests are signed for, those of streams, too.
const service = "dynamodb"

const (
	signersMax = 4096 // access keys that are known at a time
	scopesMax  = 8    // derived keys of one access key: days, regions and services
)

// Signers finds the signers of requests. It is safe for concurrent use, and keeps access keys and the keys derived from
// them for SignerAge.
type Signers struct {
	accounts *Accounts
	throttle *Throttle
	mu       sync.Mutex
	known    map[string]*signer
}

// signer is an access key that was read. Its derived keys are guarded by Signers.mu.
type signer struct {
	user, secret string
	readAt       time.Time
	keys         map[signature.Scope]signature.Key
}

// NewSigners returns the signers of some accounts.
func NewSigners(a *Accounts) *Signers {
	return &Signers{accounts: a, throttle: NewThrottle(a.now), known: map[string]*signer{}}
}

// Verify returns the user who signed a request, body being the digest of its body as it came. fault is the reason for a
// refusal; err, that it could not be found out.
func (s *Signers) Verify(ctx context.Context, r *http.Request, body *signature.Sum) (user string,
	fault *signature.Fault, err error) {
	claim, fault := signature.Read(r)
	if fault != nil {
		return "", fault, nil
	}
	now := s.accounts.now()
	if fault := claim.VerifyTime(now); fault != nil {
		return "", fault, nil
	}
	if fault := claim.VerifyService(service); fault != nil {
		return "", fault, nil
	}
	user, key, ok, err := s.keyOf(ctx, claim, now)
	if err != nil {
		return "", nil, err
	}
	id := claim.AccessKey
	if !ok || claim.Token != "" { // sessions are not made here, so every token is unknown
		id, fault = "", signature.Unrecognized()
	} else {
		fault = claim.Verify(&key, r, body)
	}
	if _, wait := s.throttle.Signature(id, r.RemoteAddr, fault == nil); wait > 0 {
		return "", signature.Throttle(), nil
	}
	return user, fault, nil
}

// keyOf returns the key that a claim must be signed with.
func (s *Signers) keyOf(ctx context.Context, claim *signature.Claim, now time.Time) (user string, key signature.Key,
	ok bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	one := s.known[claim.AccessKey]
	if one == nil || now.Sub(one.readAt) >= SignerAge || now.Before(one.readAt) {
		if one, err = s.read(ctx, claim.AccessKey, one, now); err != nil || one == nil {
			return "", key, false, err
		}
	}
	key, ok = one.keys[claim.Scope]
	if !ok {
		if len(one.keys) >= scopesMax {
			clear(one.keys)
		}
		key = signature.NewKey(one.secret, claim.Scope)
		one.keys[claim.Scope] = key
	}
	return one.user, key, true, nil
}

// read reads an access key, without the lock; nil if it may not sign. Derived keys are kept if the secret is the same.
func (s *Signers) read(ctx context.Context, id string, old *signer, now time.Time) (*signer, error) {
	s.mu.Unlock()
	user, secret, ok, err := s.accounts.Signer(ctx, id)
	s.mu.Lock()
	if err != nil {
		return nil, err
	}
	if !ok {
		delete(s.known, id)
		return nil, nil
	}
	if len(s.known) >= signersMax {
		clear(s.known)
	}
	one := &signer{user: user, secret: secret, readAt: now, keys: map[signature.Scope]signature.Key{}}
	if old != nil && old.secret == secret {
		one.keys = old.keys
	}
	s.known[id] = one
	return one, nil
}
