// SPDX-License-Identifier: Apache-2.0

package signature

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"fmt"
	"net/http"
	"time"
)

// Skew is the largest difference between a client's clock and the server's.
const Skew = 15 * time.Minute

// Key signs what belongs to one scope.
type Key [sha256.Size]byte

// NewKey makes the key of a secret for a scope.
func NewKey(secret string, s Scope) (k Key) {
	sum := []byte("AWS4" + secret)
	for _, part := range [...]string{s.Date, s.Region, s.Service, terminator} {
		sum = MAC(sum, []byte(part))
	}
	return Key(sum)
}

// MAC is HMAC-SHA256.
func MAC(key, text []byte) []byte {
	h := hmac.New(sha256.New, key)
	h.Write(text)
	return h.Sum(nil)
}

// mac is MAC by a key that is known to be short, without allocations for the texts that are signed (RFC 2104).
func (k *Key) mac(text []byte) Sum {
	var inner [sha256.BlockSize + 256]byte
	var outer [sha256.BlockSize + sha256.Size]byte
	for i := range sha256.BlockSize {
		inner[i], outer[i] = 0x36, 0x5c
	}
	for i, b := range k {
		inner[i] ^= b
		outer[i] ^= b
	}
	sum := sha256.Sum256(append(inner[:sha256.BlockSize], text...))
	copy(outer[sha256.BlockSize:], sum[:])
	return sha256.Sum256(outer[:])
}

// VerifyTime returns a fault if the signature holds no longer, or not yet.
func (c *Claim) VerifyTime(now time.Time) *Fault {
	now = now.UTC()
	lifetime := Skew
	if c.Presigned {
		lifetime = c.Expires
	}
	if least := now.Add(-lifetime); c.Time.Before(least.Truncate(time.Second)) {
		return invalid("Signature expired: %s is now earlier than %s (%s - %d min.)", c.time, least.Format(timeLayout),
			now.Format(timeLayout), int(lifetime.Minutes()))
	}
	if most := now.Add(Skew); c.Time.After(most) {
		return invalid("Signature not yet current: %s is still later than %s (%s + %d min.)", c.time,
			most.Format(timeLayout), now.Format(timeLayout), int(Skew.Minutes()))
	}
	return nil
}

// VerifyService returns a fault if the signature is for another service. A key that is derived for one is not for
// others. Regions are all the same.
func (c *Claim) VerifyService(name string) *Fault {
	if c.Scope.Service != name {
		return invalid("Credential should be scoped to correct service: '%s'. ", name)
	}
	return nil
}

// Sum is the digest of a body.
type Sum = [sha256.Size]byte

// Verify returns a fault if the request was not signed with the key, which must be of the claim's scope. body is the
// digest of the body as it came. A request that claims an unsigned payload is refused, since its signature is compared
// with that of the body. The comparison takes the same time for every wrong signature.
func (c *Claim) Verify(k *Key, r *http.Request, body *Sum) *Fault {
	canonical := c.appendCanonical(make([]byte, 0, 1<<10), r, body)
	text := c.appendToSign(make([]byte, 0, 256), canonical)
	if sum := k.mac(text); subtle.ConstantTimeCompare(sum[:], c.signature[:]) == 1 {
		return nil
	}
	fault := invalid(mismatch)
	fault.Detail = "The Canonical String for this request should have been\n'" + string(canonical) +
		"'\n\nThe String-to-Sign should have been\n'" + string(text) + "'\n"
	return fault
}

// appendToSign appends what the signature is of.
func (c *Claim) appendToSign(dst, canonical []byte) []byte {
	dst = append(append(dst, Algorithm...), '\n')
	dst = append(append(dst, c.time...), '\n')
	dst = append(append(dst, c.Scope.Date...), '/')
	dst = append(append(dst, c.Scope.Region...), '/')
	dst = append(append(dst, c.Scope.Service...), '/')
	dst = append(append(dst, terminator...), '\n')
	sum := sha256.Sum256(canonical)
	return hex.AppendEncode(dst, sum[:])
}

// Fault is why a request is not let in: the name of AWS's exception, and its text.
type Fault struct {
	Name    string
	Message string
	// Detail is the canonical request and the string to sign that the signature should have been made of, where the
	// signature is wrong. It helps to find a client's mistake, and quotes the request's headers.
	Detail string
}

func (f *Fault) Error() string { return f.Name + ": " + f.Message }

// The names of AWS's exceptions.
const (
	MissingToken       = "MissingAuthenticationTokenException"
	Incomplete         = "IncompleteSignatureException"
	Invalid            = "InvalidSignatureException"
	UnrecognizedClient = "UnrecognizedClientException"
	Throttled          = "ThrottlingException"
)

const mismatch = "The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key and signing method. " +
	"Consult the service documentation for details."

// Unrecognized is the answer to an access key that there is none of, that is disabled, or that comes with an unknown
// session token. The cases are not distinguished.
func Unrecognized() *Fault {
	return &Fault{Name: UnrecognizedClient, Message: "The security token included in the request is invalid."}
}

// Throttle is the answer to a client whose signatures were wrong too often. It does not report whether this one was.
func Throttle() *Fault {
	return &Fault{Name: Throttled, Message: "Too many requests with wrong signatures or unknown access keys came from this address: try again later."}
}

func incomplete(format string, args ...any) *Fault {
	return &Fault{Name: Incomplete, Message: fmt.Sprintf(format, args...)}
}

func invalid(format string, args ...any) *Fault {
	return &Fault{Name: Invalid, Message: fmt.Sprintf(format, args...)}
}
