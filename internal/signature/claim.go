// SPDX-License-Identifier: Apache-2.0

package signature

import (
	"encoding/hex"
	"net/http"
	"net/url"
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
	authorization := r.Header.Get("Authorization")
	var query url.Values
	if strings.Contains(r.URL.RawQuery, "X-Amz-Algorithm") {
		query = r.URL.Query()
	}
	inQuery := query.Get("X-Amz-Algorithm") != ""
	switch {
	case authorization == "" && !inQuery:
		return nil, &Fault{Name: MissingToken, Message: "Request is missing Authentication Token"}
	case authorization != "" && inQuery:
		return nil, invalid("Found both 'X-Amz-Algorithm' as a query-string param and 'Authorization' as HTTP header.")
	case len(authorization)+len(r.URL.RawQuery) > headerBytesMax:
		return nil, incomplete("The signature takes more than %d bytes.", headerBytesMax)
	case inQuery:
		return readQuery(query)
	}
	return readHeader(r, authorization)
}

// readHeader reads "AWS4-HMAC-SHA256 Credential=.., SignedHeaders=.., Signature=..".
func readHeader(r *http.Request, authorization string) (*Claim, *Fault) {
	algorithm, rest, _ := strings.Cut(authorization, " ")
	if algorithm != Algorithm {
		return nil, &Fault{Name: MissingToken, Message: "Request is missing Authentication Token"}
	}
	var credential, headers, signature string
	for part := range strings.SplitSeq(rest, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		switch name {
		case "Credential":
			credential = value
		case "SignedHeaders":
			headers = value
		case "Signature":
			signature = value
		}
	}
	at := r.Header.Get("X-Amz-Date")
	if at == "" {
		at = isoOf(r.Header.Get("Date"))
	}
	var lacks []string
	for _, one := range [...]struct{ name, value string }{{"Credential", credential}, {"Signature", signature}, {"SignedHeaders", headers}} {
		if one.value == "" {
			lacks = append(lacks, "Authorization header requires '"+one.name+"' parameter.")
		}
	}
	if at == "" {
		lacks = append(lacks, "Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header.")
	}
	if lacks != nil {
		return nil, incomplete("%s Authorization=%s", strings.Join(lacks, " "), strings.TrimSpace(authorization))
	}
	c := &Claim{Token: r.Header.Get("X-Amz-Security-Token")}
	if fault := c.fill(credential, headers, signature, at); fault != nil {
		return nil, fault
	}
	return c, c.requireSigned(r)
}

// isoOf writes the time of a Date header as X-Amz-Date does; "" if it is none.
func isoOf(date string) string {
	at, err := http.ParseTime(date)
	if err != nil {
		return date // AWS's own form may stand in Date, too
	}
	return at.UTC().Format(timeLayout)
}

// readQuery reads a presigned request.
func readQuery(query url.Values) (*Claim, *Fault) {
	var lacks []string
	for _, name := range [...]string{"X-Amz-Algorithm", "X-Amz-Credential", "X-Amz-Signature", "X-Amz-SignedHeaders", "X-Amz-Date", "X-Amz-Expires"} {
		if len(query[name]) != 1 || query.Get(name) == "" {
			lacks = append(lacks, "AWS query-string parameters must include '"+name+"'.")
		}
	}
	if lacks != nil {
		return nil, incomplete("%s Re-examine the query-string parameters.", strings.Join(lacks, " "))
	}
	if query.Get("X-Amz-Algorithm") != Algorithm {
		return nil, incomplete("Unsupported AWS 'algorithm': '%s'.", query.Get("X-Amz-Algorithm"))
	}
	seconds, err := strconv.Atoi(query.Get("X-Amz-Expires"))
	if err != nil || seconds < 0 || time.Duration(seconds)*time.Second > expiresMax {
		return nil, incomplete("X-Amz-Expires must be a number of seconds from 0 to %.0f.", expiresMax.Seconds())
	}
	c := &Claim{Presigned: true, Expires: time.Duration(seconds) * time.Second, Token: query.Get("X-Amz-Security-Token")}
	if fault := c.fill(query.Get("X-Amz-Credential"), query.Get("X-Amz-SignedHeaders"), query.Get("X-Amz-Signature"), query.Get("X-Amz-Date")); fault != nil {
		return nil, fault
	}
	return c, c.requireSigned(nil)
}

// fill reads what both forms have.
func (c *Claim) fill(credential, headers, signature, at string) *Fault {
	parts := strings.Split(credential, "/")
	if len(parts) != 5 {
		return incomplete("Credential must have exactly 5 slash-delimited elements, e.g. keyid/date/region/service/term, got '%s'", credential)
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
	c.headers = strings.Split(headers, ";")
	if len(c.headers) > signedHeadersMax {
		return incomplete("SignedHeaders names %d headers; at most %d are taken.", len(c.headers), signedHeadersMax)
	}
	if c.signature, err = hex.DecodeString(signature); err != nil || len(c.signature) != len(Key{}) {
		return invalid(mismatch)
	}
	return nil
}

// requireSigned refuses a signature that leaves out a header which decides what the request does. r is nil for a presigned one, whose time is in
// the query.
func (c *Claim) requireSigned(r *http.Request) *Fault {
	required := append(make([]string, 0, 3), "Host")
	if r != nil {
		if _, ok := r.Header["X-Amz-Target"]; ok {
			required = append(required, "X-Amz-Target")
		}
		if _, ok := r.Header["X-Amz-Date"]; ok {
			required = append(required, "X-Amz-Date")
		} else {
			required = append(required, "Date")
		}
	}
	for _, name := range required {
		if !slices.ContainsFunc(c.headers, func(signed string) bool { return len(signed) == len(name) && strings.EqualFold(signed, name) }) {
			return invalid("'%s' must be a 'SignedHeader' in the AWS Authorization.", name)
		}
	}
	return nil
}
