// SPDX-License-Identifier: Apache-2.0

package signature

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/textproto"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
)

// appendCanonical appends the canonical request: method, path, query, signed headers, and the digest of the body, a
// line each.
func (c *Claim) appendCanonical(dst []byte, r *http.Request, body *Sum) []byte {
	dst = append(append(dst, r.Method...), '\n')
	dst = append(appendPath(dst, sentPath(r), !c.unnormalized), '\n')
	dst = append(appendQuery(dst, r.URL.RawQuery), '\n')
	for name := range strings.SplitSeq(c.headers, ";") {
		dst = appendHeader(dst, r, name)
	}
	dst = append(append(dst, '\n'), c.headers...)
	return hex.AppendEncode(append(dst, '\n'), body[:])
}

// sentPath is the path as it came.
func sentPath(r *http.Request) string {
	sent, _, _ := strings.Cut(r.RequestURI, "?")
	if !strings.HasPrefix(sent, "/") { // a proxy's form
		return r.URL.EscapedPath()
	}
	return sent
}

// appendPath appends a path without dots and doubled slashes, if it is to be normalized, encoded once more than it was
// sent.
func appendPath(dst []byte, sent string, normalize bool) []byte {
	if sent == "" || sent == "/" {
		return append(dst, '/')
	}
	if normalize {
		clean := path.Clean("/" + sent)
		if clean != "/" && (strings.HasSuffix(sent, "/") || strings.HasSuffix(sent, "/.") ||
			strings.HasSuffix(sent, "/..")) {
			clean += "/"
		}
		sent = clean
	}
	return appendEncoded(dst, sent, true)
}

// appendQuery appends the parameters but for the signature, sorted by their encoded names and values.
func appendQuery(dst []byte, raw string) []byte {
	if raw == "" {
		return dst
	}
	type pair struct{ name, value string }
	var pairs []pair
	for part := range strings.SplitSeq(raw, "&") {
		if part == "" {
			continue
		}
		name, value, _ := strings.Cut(part, "=")
		if name = encodeAgain(name); name != "X-Amz-Signature" {
			pairs = append(pairs, pair{name, encodeAgain(value)})
		}
	}
	slices.SortFunc(pairs, func(a, b pair) int {
		return cmp.Or(strings.Compare(a.name, b.name),
			strings.Compare(a.value, b.value))
	})
	for i, p := range pairs {
		if i > 0 {
			dst = append(dst, '&')
		}
		dst = append(append(append(dst, p.name...), '='), p.value...)
	}
	return dst
}

// encodeAgain brings a part of a query into the one form that is signed. A part that can't be decoded stays as it is.
func encodeAgain(part string) string {
	plain, err := url.PathUnescape(part)
	if err != nil {
		plain = part
	}
	return string(appendEncoded(nil, plain, false))
}

// appendEncoded appends a text with all but the unreserved characters of RFC 3986 as %XX.
func appendEncoded(dst []byte, text string, slashes bool) []byte {
	const digits = "0123456789ABCDEF"
	for i := range len(text) {
		switch b := text[i]; {
		case 'A' <= b && b <= 'Z', 'a' <= b && b <= 'z', '0' <= b &&
			b <= '9', b == '-', b == '_', b == '.', b == '~', b == '/' && slashes:
			dst = append(dst, b)
		default:
			dst = append(dst, '%', digits[b>>4], digits[b&15])
		}
	}
	return dst
}

// appendHeader appends a line "name:value,value". Spaces around and within values are folded into one.
func appendHeader(dst []byte, r *http.Request, name string) []byte {
	dst = append(append(dst, name...), ':')
	switch name {
	case "host":
		return append(appendFolded(dst, r.Host), '\n')
	case "content-length": // which net/http takes out of the headers
		if first(r.Header["Content-Length"]) == "" && r.ContentLength >= 0 {
			return append(strconv.AppendInt(dst, r.ContentLength, 10), '\n')
		}
	}
	for i, value := range r.Header[canonicalName(name)] {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendFolded(dst, value)
	}
	return append(dst, '\n')
}

func appendFolded(dst []byte, value string) []byte {
	if strings.IndexByte(value, ' ') < 0 && strings.IndexByte(value, '\t') < 0 && strings.IndexByte(value, '\n') < 0 &&
		strings.IndexByte(value, '\r') < 0 {
		return append(dst, value...)
	}
	space, begun := false, false
	for i := range len(value) {
		b := value[i]
		if b == ' ' || b == '\t' || b == '\n' || b == '\r' {
			space = begun
			continue
		}
		if space {
			dst = append(dst, ' ')
		}
		space, begun = false, true
		dst = append(dst, b)
	}
	return dst
}

// canonicalName is the name under which net/http keeps a header, without making those anew that AWS's SDKs sign.
func canonicalName(name string) string {
	switch name {
	case "content-type":
		return "Content-Type"
	case "x-amz-date":
		return "X-Amz-Date"
	case "x-amz-target":
		return "X-Amz-Target"
	case "x-amz-content-sha256":
		return "X-Amz-Content-Sha256"
	case "x-amz-user-agent":
		return "X-Amz-User-Agent"
	case "amz-sdk-invocation-id":
		return "Amz-Sdk-Invocation-Id"
	case "amz-sdk-request":
		return "Amz-Sdk-Request"
	}
	return textproto.CanonicalMIMEHeaderKey(name)
}

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
