// SPDX-License-Identifier: Apache-2.0

package account

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/weftdb/weft/internal/security/signature"
	"github.com/weftdb/weft/kv/mem"
)

// sign signs an empty request as an SDK does; signFor does so for any service.
func sign(t *testing.T, id, secret string, at time.Time, token string) *http.Request {
	return signFor(t, service, id, secret, at, token)
}

func signFor(t *testing.T, service, id, secret string, at time.Time, token string) *http.Request {
	t.Helper()
	date := at.UTC().Format("20060102T150405Z")
	scope := signature.Scope{Date: date[:8], Region: "us-east-1", Service: service}
	r := &http.Request{Method: "POST", RequestURI: "/", URL: &url.URL{Path: "/"}, Host: "h",
		Header: http.Header{"X-Amz-Date": {date}}}
	if token != "" {
		r.Header.Set("X-Amz-Security-Token", token)
	}
	empty := sha256.Sum256(nil)
	canonical := sha256.Sum256([]byte("POST\n/\n\nhost:h\nx-amz-date:" + date + "\n\nhost;x-amz-date\n" +
		hex.EncodeToString(empty[:])))
	key := signature.NewKey(secret, scope)
	sum := signature.MAC(key[:], []byte("AWS4-HMAC-SHA256\n"+date+"\n"+scope.String()+"\n"+
		hex.EncodeToString(canonical[:])))
	r.Header.Set("Authorization", fmt.Sprintf(
		"AWS4-HMAC-SHA256 Credential=%s/%s, SignedHeaders=host;x-amz-date, Signature=%x", id, scope, sum))
	return r
}

// TestSigners asks who signed, as keys are disabled and dropped and the clock goes on.
func TestSigners(t *testing.T) {
	store := mem.Open(mem.Options{})
	now := time.Date(2026, 11, 23, 23, 59, 58, 0, time.UTC)
	a := New(store, func() time.Time { return now }).WithMaster(masterOf(t, 1))
	if err := a.Add(t.Context(), "ann", "secret"); err != nil {
		t.Fatal(err)
	}
	id, secret, err := a.CreateAccessKey(t.Context(), "ann")
	if err != nil {
		t.Fatal(err)
	}
	s := NewSigners(a)
	empty := sha256.Sum256(nil)
	ask := func(what string, r *http.Request, want string) {
		t.Helper()
		user, fault, err := s.Verify(t.Context(), r, &empty)
		got := user
		if fault != nil {
			got = fault.Name
		}
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: %s, not %s", what, got, want)
		}
	}
	ask("signed", sign(t, id, secret, now, ""), "ann")
	for _, other := range []string{"s3", "iam", "dynamodbstreams", "DynamoDB"} {
		ask("a signature for "+other, signFor(t, other, id, secret, now, ""), signature.Invalid)
	}
	ask("again", sign(t, id, secret, now, ""), "ann")
	ask("wrong secret", sign(t, id, secret+"x", now, ""), signature.Invalid)
	ask("unknown key", sign(t, "AKIA0000000000000000", secret, now, ""), signature.UnrecognizedClient)
	ask("unknown session", sign(t, id, secret, now, "token"), signature.UnrecognizedClient)
	ask("old", sign(t, id, secret, now.Add(-16*time.Minute), ""), signature.Invalid)
	for i := range 20 { // more scopes than are kept
		ask("another day", sign(t, id, secret, now.Add(time.Duration(i%3)*time.Second), ""), "ann")
		now = now.Add(time.Second)
	}
	if err := a.DisableAccessKey(t.Context(), id, true); err != nil {
		t.Fatal(err)
	}
	now = now.Add(SignerAge)
	ask("disabled", sign(t, id, secret, now, ""), signature.UnrecognizedClient)
	if err := a.DisableAccessKey(t.Context(), id, false); err != nil {
		t.Fatal(err)
	}
	ask("enabled", sign(t, id, secret, now, ""), "ann")
	if err := a.Drop(t.Context(), "ann"); err != nil {
		t.Fatal(err)
	}
	now = now.Add(SignerAge)
	ask("dropped", sign(t, id, secret, now, ""), signature.UnrecognizedClient)
	if strings.Contains(fmt.Sprint(s.known), secret) {
		t.Error("a dropped secret is kept")
	}
}
