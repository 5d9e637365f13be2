// SPDX-License-Identifier: Apache-2.0

package signature

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"time"
)

// Credentials are the keys by which a client signs.
type Credentials struct {
	AccessKey, Secret string
	Token             string // of a session; "": none
}

// Sign signs a request that is to be sent, with a body, for a service in a region. It sets the headers X-Amz-Date,
// X-Amz-Security-Token and Authorization.
func Sign(r *http.Request, body []byte, by Credentials, region, service string, now time.Time) {
	c := &Claim{time: now.UTC().Format(timeLayout), headers: "host;x-amz-date;x-amz-target"}
	c.Scope = Scope{c.time[:8], region, service}
	r.Header.Set("X-Amz-Date", c.time)
	if by.Token != "" {
		r.Header.Set("X-Amz-Security-Token", by.Token)
		c.headers = "host;x-amz-date;x-amz-security-token;x-amz-target"
	}
	sum := sha256.Sum256(body)
	key := NewKey(by.Secret, c.Scope)
	signed := key.mac(c.appendToSign(nil, c.appendCanonical(nil, r, &sum)))
	r.Header.Set("Authorization", Algorithm+" Credential="+by.AccessKey+"/"+c.Scope.String()+", SignedHeaders="+
		c.headers+", Signature="+hex.EncodeToString(signed[:]))
}
