// SPDX-License-Identifier: Apache-2.0

package signature

import (
	"encoding/hex"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Algorithm is the only one there is.
const Algorithm = "AWS4-HMAC-SHA256"

const (
	terminator = "aws4_request"
	timeLayout = "20060102T150405Z"
	// headerBytesMax bounds the Authorization header and the signed headers' names; SDKs need some 300 bytes.
	headerBytesMax   = 8 << 10
	signedHeadersMax = 64
	// expiresMax is the longest time for which a presigned request holds.
	expiresMax = 7 * 24 * time.Hour
)

// Scope is what a signing key is made for.
type Scope struct{ Date, Region, Service string }

func (s Scope) String() string { return s.Date + "/" + s.Region + "/" + s.Service + "/" + terminator }

// Claim is what a request says of its signature. Nothing of it is proved before Verify.
type Claim struct {
	AccessKey string
	Scope     Scope
	Time      time.Time // when it was signed
	Token     string    // of a session; "": none
	Presigned bool      // the signature is in the query
	Expires   time.Duration

	time      string // as it was written
	headers   []string
	signature []byte
	// unnormalized leaves dots and doubled slashes in the path, as S3 does. DynamoDB's path is "/", so that only AWS's cases need it.
	unnormalized bool
}

// Read reads the claim of a request. It reads neither the body nor more than a few KiB of headers.
func Read(r *http.Request) (*Claim, *Fault) {
	if len(first(r.Header["Authorization"]))+len(r.URL.RawQuery) > headerBytesMax {
		return nil, incomplete("The signature takes more than %d bytes.", headerBytesMax)
	}
	var f form
	if fault := f.read(r); fault != nil {
		return nil, fault
	}
	if f.algorithm != Algorithm {
		return nil, incomplete("Unsupported AWS 'algorithm': '%s'.", f.algorithm)
	}
	c := &Claim{Presigned: f.presigned, Token: f.token}
	if c.Presigned {
		seconds, err := strconv.Atoi(f.expires)
		if c.Expires = time.Duration(seconds) * time.Second; err != nil || seconds < 0 || c.Expires > expiresMax {
			return nil, incomplete("X-Amz-Expires must be a number of seconds from 0 to %.0f.", expiresMax.Seconds())
		}
	}
	if fault := c.fill(&f); fault != nil {
		return nil, fault
	}
	return c, c.requireSigned(r)
}

// fill reads the parts.
func (c *Claim) fill(f *form) *Fault {
	parts, at := strings.Split(f.credential, "/"), f.date
	if len(parts) != 5 {
		return incomplete("Credential must have exactly 5 slash-delimited elements, e.g. keyid/date/region/service/term, got '%s'", f.credential)
	}
	c.AccessKey, c.Scope = parts[0], Scope{parts[1], parts[2], parts[3]}
	if parts[4] != terminator {
		return invalid("Credential should be scoped with a valid terminator: '%s', not '%s'.", terminator, parts[4])
	}
	var err error
	if c.Time, err = time.Parse(timeLayout, at); err != nil {
		return incomplete("Date must be in ISO-8601 'basic format'. Got '%s'. See http://en.wikipedia.org/wiki/ISO_8601", at)
	}
	if c.time = at; at[:8] != c.Scope.Date {
		return invalid("Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date from HTTP: '%s' != '%s', from '%s'.", c.Scope.Date, at[:8], at)
	}
	c.headers = strings.Split(f.headers, ";")
	if len(c.headers) > signedHeadersMax {
		return incomplete("SignedHeaders names %d headers; at most %d are taken.", len(c.headers), signedHeadersMax)
	}
	if c.signature, err = hex.DecodeString(f.signature); err != nil || len(c.signature) != len(Key{}) {
		return invalid(mismatch)
	}
	return nil
}

// requireSigned refuses a signature that leaves out a header which decides what the request does. The time of a presigned one is in the query.
func (c *Claim) requireSigned(r *http.Request) *Fault {
	required := append(make([]string, 0, 3), "Host")
	if _, ok := r.Header["X-Amz-Target"]; ok {
		required = append(required, "X-Amz-Target")
	}
	if _, ok := r.Header["X-Amz-Date"]; ok && !c.Presigned {
		required = append(required, "X-Amz-Date")
	} else if !c.Presigned {
		required = append(required, "Date")
	}
	for _, name := range required {
		if !slices.ContainsFunc(c.headers, func(signed string) bool { return len(signed) == len(name) && strings.EqualFold(signed, name) }) {
			return invalid("'%s' must be a 'SignedHeader' in the AWS Authorization.", name)
		}
	}
	return nil
}
