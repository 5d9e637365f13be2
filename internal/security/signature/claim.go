// SPDX-License-Identifier: Apache-2.0

package signature

import (
	"encoding/hex"
	"net/http"
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

// Scope is the scope of a signing key.
type Scope struct{ Date, Region, Service string }

func (s Scope) String() string { return s.Date + "/" + s.Region + "/" + s.Service + "/" + terminator }

// Claim is a request's own statement about its signature. Nothing of it is proved before Verify.
type Claim struct {
	AccessKey string
	Scope     Scope
	Time      time.Time // when it was signed
	Token     string    // of a session; "": none
	Presigned bool      // the signature is in the query
	Expires   time.Duration

	time      string // as it was written
	headers   string // the names of those signed, with semicolons between them
	signature Sum
	// unnormalized leaves dots and doubled slashes in the path, as S3 does. DynamoDB's path is "/", so that only AWS's
	// cases need it.
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
	var parts [5]string
	if !cutAll(parts[:], f.credential) {
		return incomplete("Credential must have exactly 5 slash-delimited elements, e.g. keyid/date/region/service/term, got '%s'", f.credential)
	}
	c.AccessKey, c.Scope = parts[0], Scope{parts[1], parts[2], parts[3]}
	if parts[4] != terminator {
		return invalid("Credential should be scoped with a valid terminator: '%s', not '%s'.", terminator, parts[4])
	}
	at := f.date
	var err error
	if c.Time, err = parseTime(at); err != nil {
		return incomplete("Date must be in ISO-8601 'basic format'. Got '%s'. See http://en.wikipedia.org/wiki/ISO_8601", at)
	}
	if c.time = at; at[:8] != c.Scope.Date {
		return invalid("Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date from HTTP: '%s' != '%s', from '%s'.", c.Scope.Date, at[:8], at)
	}
	c.headers = f.headers
	if n := strings.Count(c.headers, ";") + 1; n > signedHeadersMax {
		return incomplete("SignedHeaders names %d headers; at most %d are taken.", n, signedHeadersMax)
	}
	if hex.DecodedLen(len(f.signature)) != len(c.signature) || len(f.signature)%2 != 0 {
		return invalid(mismatch)
	}
	var digits [2 * len(c.signature)]byte
	copy(digits[:], f.signature)
	if _, err := hex.Decode(c.signature[:], digits[:]); err != nil {
		return invalid(mismatch)
	}
	return nil
}

// cutAll cuts a text at its slashes into just so many parts.
func cutAll(parts []string, text string) (ok bool) {
	for i := range parts {
		before, after, found := strings.Cut(text, "/")
		if found == (i == len(parts)-1) {
			return false
		}
		parts[i], text = before, after
	}
	return true
}

// parseTime is time.Parse by timeLayout, faster for times that need no look at the calendar.
func parseTime(text string) (time.Time, error) {
	if len(text) != len(timeLayout) || text[8] != 'T' || text[15] != 'Z' {
		return time.Parse(timeLayout, text)
	}
	number := func(from, to int) (n int) {
		for _, c := range []byte(text[from:to]) {
			if c < '0' || c > '9' {
				return -1
			}
			n = 10*n + int(c-'0')
		}
		return n
	}
	year, month, day := number(0, 4), number(4, 6), number(6, 8)
	hour, minute, second := number(9, 11), number(11, 13), number(13, 15)
	if year < 0 || month < 1 || month > 12 || day < 1 || day > 28 || hour < 0 || hour > 23 || minute < 0 ||
		minute > 59 || second < 0 || second > 59 {
		return time.Parse(timeLayout, text)
	}
	return time.Date(year, time.Month(month), day, hour, minute, second, 0, time.UTC), nil
}

// requireSigned refuses a signature that leaves out a header which decides what the request does. The time of a
// presigned one is in the query.
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
		if !c.signs(name) {
			return invalid("'%s' must be a 'SignedHeader' in the AWS Authorization.", name)
		}
	}
	return nil
}

// signs reports whether a header is among those signed.
func (c *Claim) signs(name string) bool {
	for signed := range strings.SplitSeq(c.headers, ";") {
		if len(signed) == len(name) && strings.EqualFold(signed, name) {
			return true
		}
	}
	return false
}
