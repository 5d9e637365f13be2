// SPDX-License-Identifier: Apache-2.0

package dynamohttp

import (
	"net"
	"net/http"
	"net/url"
)

// Headers for web pages of other origins: they may send any request, and see these headers of the answer. A browser may
// remember that for two days.
var (
	allowedOrigin  = []string{"*"}                                                          // immutable
	exposedHeaders = []string{"x-amzn-RequestId,x-amzn-ErrorType,x-amzn-ErrorMessage,Date"} // immutable
	preflightAge   = []string{"172800"}                                                     // immutable
)

// Origins says which web pages of other origins may ask.
type Origins string

// The choices.
const (
	NoOrigin     Origins = "none"  // the zero value means the same
	LocalOrigins Origins = "local" // pages that this machine serves: localhost and loopback addresses
	AnyOrigin    Origins = "any"   // as Amazon answers; its requests need a signature
)

// allows reports whether a page of that origin, such as "http://localhost:3000", may ask.
func (o Origins) allows(origin string) bool {
	switch o {
	case AnyOrigin:
		return true
	case LocalOrigins:
		u, err := url.Parse(origin)
		if err != nil {
			return false
		}
		ip := net.ParseIP(u.Hostname())
		return u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
	}
	return false
}

// isRefused reports whether a web page asks that may not. A browser shows it no answer, but would let it write. A page
// whose name an attacker has made resolve to this machine is among them: a POST names its origin even if that is the
// server itself.
func (x *exchange) isRefused() bool {
	origin, ok := x.requestHeader["Origin"]
	return ok && !x.server.options.Origins.allows(first(origin))
}

// isForeign reports whether a web page of another origin asks, one that may.
func (x *exchange) isForeign() bool {
	origin, ok := x.requestHeader["Origin"]
	return ok && x.server.options.Origins.allows(first(origin))
}

// allowOrigin lets a web page of another origin see the answer.
func (x *exchange) allowOrigin(header http.Header) {
	if x.isForeign() {
		header["Access-Control-Allow-Origin"] = allowedOrigin
		header["Access-Control-Expose-Headers"] = exposedHeaders
	}
}

// answerPreflight tells a browser that its page may send the request that it has in mind.
func (x *exchange) answerPreflight(w http.ResponseWriter) {
	header := w.Header()
	header["Access-Control-Max-Age"] = preflightAge
	if asked := x.requestHeader["Access-Control-Request-Headers"]; len(asked) > 0 {
		header["Access-Control-Allow-Headers"] = asked[:1]
	}
	if asked := x.requestHeader["Access-Control-Request-Method"]; len(asked) > 0 {
		header["Access-Control-Allow-Methods"] = asked[:1]
	}
	x.answer = x.answer[:0]
	x.send(w, http.StatusOK, "")
}
