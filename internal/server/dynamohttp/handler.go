// SPDX-License-Identifier: Apache-2.0

package dynamohttp

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"github.com/weftdb/weft/internal/dynamodb/exception"
	"github.com/weftdb/weft/internal/resource/metric"
)

// notFoundBody is the answer of AWS's front end to a request that is none of an API.
const notFoundBody = "<UnknownOperationException/>\n"

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x := s.exchanges.Get().(*exchange)
	x.begin(s, w, r)
	defer s.finish(x, w, r)
	if r.Method == http.MethodPost && r.URL.Path == "/" {
		if contentType := contentTypeOf(r); contentType != "" {
			x.answerAPI(w, r, contentType)
			return
		}
	}
	x.answerOther(w, r)
}

// answerOther answers what is no request of the API.
func (x *exchange) answerOther(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.ContentLength > x.server.options.BodyBytesMax:
		x.closing = true
		x.answerFault(w, typePlainJSON, faultOfBody(errTooLong))
	case r.Method == http.MethodOptions && x.isForeign():
		x.answerPreflight(w)
	case (r.Method == http.MethodGet || r.Method == http.MethodHead) && r.URL.Path == "/":
		x.answer = append(append(append(x.answer[:0], "healthy: dynamodb."...), x.server.options.Region...),
			".amazonaws.com "...)
		x.send(w, http.StatusOK, "")
	default:
		x.answer = append(x.answer[:0], notFoundBody...)
		x.send(w, http.StatusNotFound, "")
	}
}

// answerAPI answers a request of the API.
func (x *exchange) answerAPI(w http.ResponseWriter, r *http.Request, contentType string) {
	s := x.server
	fault := x.start(r)
	if fault == nil {
		x.send(w, http.StatusOK, contentType)
		s.observe(r.Context(), x, metric.OK, time.Since(x.begun).Seconds())
		return
	}
	if fault.Status() >= http.StatusInternalServerError && fault.Cause != nil && r.Context().Err() == nil {
		s.logFault(r.Context(), x, fault)
	}
	if fault.Kind == exception.KindConditionFailed {
		x.conditionFailed = 1
	}
	x.answerFault(w, contentType, fault)
	s.observe(r.Context(), x, outcomeOf(r.Context(), fault), time.Since(x.begun).Seconds())
}

// start finds the operation, counts the request in and runs it.
func (x *exchange) start(r *http.Request) *exception.Error {
	o, known := x.server.lookUp(first(r.Header["X-Amz-Target"]))
	x.operation = o
	if o.metrics != nil {
		o.metrics.Begin()
	}
	return x.run(r, known)
}

// contentTypeOf returns the content type to answer with, "" if the request's is none of the API's. Without a body any
// will do.
func contentTypeOf(r *http.Request) string {
	switch given := first(r.Header["Content-Type"]); given {
	case typeJSON:
		return typeJSON
	case typePlainJSON:
		return typePlainJSON
	default:
		kind, _, _ := strings.Cut(given, ";")
		switch strings.ToLower(strings.TrimSpace(kind)) {
		case typeJSON:
			return typeJSON
		case typePlainJSON:
			return typePlainJSON
		}
		if r.ContentLength == 0 {
			return typePlainJSON
		}
		return ""
	}
}

// outcomeOf sorts a fault for the metrics.
func outcomeOf(ctx context.Context, fault *exception.Error) metric.Outcome {
	switch {
	case ctx.Err() != nil || fault.Kind == exception.KindTimeout:
		return metric.Canceled
	case fault.Kind == exception.KindUnavailable, fault.Kind.IsThrottle():
		return metric.Throttle
	case fault.Status() >= http.StatusInternalServerError:
		return metric.Failed
	case fault.Kind.IsConflict():
		return metric.Conflict
	}
	return metric.Refused
}

// logFault logs what the client does not see.
func (s *Server) logFault(ctx context.Context, x *exchange, fault *exception.Error) {
	s.options.Logger.LogAttrs(ctx, slog.LevelError, "a request failed", slog.String("request", string(x.id())),
		slog.String("operation", x.operation.Name), slog.Any("error", fault.Cause))
}

// finish ends every request. It catches panics: they end their own connection only.
func (s *Server) finish(x *exchange, w http.ResponseWriter, r *http.Request) {
	cause := recover()
	if cause == nil {
		x.end()
		s.exchanges.Put(x)
		return
	}
	// x and its buffers may still be in use: they are left to the garbage collector.
	s.transfers.end(x)
	x.release()
	s.options.Logger.LogAttrs(r.Context(), slog.LevelError, "a bug ended a request",
		slog.String("request", string(x.id())),
		slog.String("operation", x.operation.Name), slog.String("panic", fmt.Sprint(cause)), slog.String("stack",
			string(debug.Stack())))
	if s.options.Metrics != nil {
		s.options.Metrics.Panicked()
	}
	if x.status != 0 {
		// lint:invariant net/http's own way to cut a connection whose answer has begun; it recovers this value
		panic(http.ErrAbortHandler)
	}
	x.body, x.answer, x.closing = nil, nil, true
	x.answerFault(w, typeJSON, internalFault(nil))
	s.observe(r.Context(), x, metric.Failed, time.Since(x.begun).Seconds())
}

// explainHeader asks, with the value true or analyze, for how a Query or Scan is read in place of its answer.
const explainHeader = "X-Weft-Explain"

// explainer is an API that can explain, as *dynamodb.API does.
type explainer interface {
	Explain(ctx context.Context, operation string, body []byte, analyze bool, dst []byte) ([]byte, error)
}

// answerOf carries the operation out, or explains it if the request asks for that.
func (x *exchange) answerOf(ctx context.Context) ([]byte, error) {
	asked, ok := x.requestHeader[explainHeader]
	if !ok {
		return x.api.Run(ctx, x.operation.Operation, x.body, x.answer[:0])
	}
	how := first(asked)
	explains, ok := x.api.(explainer)
	if !ok || how != "true" && how != "analyze" {
		return nil, exception.Validation("The header " + explainHeader + " must be true or analyze")
	}
	return explains.Explain(ctx, x.operation.Name, x.body, how == "analyze", x.answer[:0])
}
