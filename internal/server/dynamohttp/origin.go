// SPDX-License-Identifier: Apache-2.0

package dynamohttp

import "net/http"

// What web pages of other origins are told: they may ask anything, and see these headers of the answer. A browser may remember that for two days.
var (
	allowedOrigin  = []string{"*"}                                                          // immutable
	exposedHeaders = []string{"x-amzn-RequestId,x-amzn-ErrorType,x-amzn-ErrorMessage,Date"} // immutable
	preflightAge   = []string{"172800"}                                                     // immutable
)

// allowOrigin lets a web page of another origin see the answer.
func (x *exchange) allowOrigin(header http.Header) {
	if _, ok := x.asked["Origin"]; ok {
		header["Access-Control-Allow-Origin"] = allowedOrigin
		header["Access-Control-Expose-Headers"] = exposedHeaders
	}
}

// answerPreflight tells a browser that its page may send the request that it has in mind.
func (x *exchange) answerPreflight(w http.ResponseWriter) {
	header := w.Header()
	header["Access-Control-Max-Age"] = preflightAge
	if asked := x.asked["Access-Control-Request-Headers"]; len(asked) > 0 {
		header["Access-Control-Allow-Headers"] = asked[:1]
	}
	if asked := x.asked["Access-Control-Request-Method"]; len(asked) > 0 {
		header["Access-Control-Allow-Methods"] = asked[:1]
	}
	x.answer = x.answer[:0]
	x.send(w, http.StatusOK, "")
}
