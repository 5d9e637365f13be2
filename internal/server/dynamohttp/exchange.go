// SPDX-License-Identifier: Apache-2.0

package dynamohttp

import (
	"context"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/weftdb/weft/internal/dynamodb"
	"github.com/weftdb/weft/internal/dynamodb/exception"
	"github.com/weftdb/weft/internal/security/permission"
	"github.com/weftdb/weft/internal/security/signature"
)

// Sizes of memory, in bytes.
const (
	bodyBytesKept    = 16 << 10 // longer bodies' buffers are not kept for later requests
	answerBytesKept  = 32 << 10 // longer answers' buffers are kept apart,
	answerBytesLarge = 2 << 20  // up to this size
	// what a request needs besides its answer: a short body, the decoded request, the goroutine's stack
	overheadBytes = 32 << 10
)

// exchange is one request and its answer, with the memory for both. It is used again for later requests.
type exchange struct {
	server        *Server
	conn          deadliner // nil: no deadlines, as under a test's recorder
	begun         time.Time
	requestHeader http.Header // of the request
	operation     *operation
	api           API // that carries it out
	body          []byte
	pacer         pacer
	answer        []byte
	packed        []byte       // the answer compressed, if it is sent that way
	sent          int64        // bytes of the answer as it is sent
	reserved      atomic.Int64 // of Server.memory
	large         int64        // of Server.large
	bodyRoom      int64        // of reserved, what the body has; short bodies have it among overheadBytes
	moved         atomic.Int64 // when a transfer last came on, in nanoseconds since 1970
	stalled       atomic.Bool  // it was cut for others to go on
	sending       bool         // the transfer is that of the answer
	text          []byte       // scratch for header values; the request's id is at its beginning
	values        [6]string
	status        int  // sent; 0 before
	closing       bool // the connection ends with this answer

	// principal is the request's principal, if signatures are verified. Its User is "" for an unsigned request, which
	// only SignersWarn lets in.
	principal permission.Principal
	sum       signature.Sum // of the body as it came, if that is looked at

	conditionFailed int64 // 1 if a write was refused by its own condition
}

// begin prepares x for a request.
func (x *exchange) begin(s *Server, w http.ResponseWriter, r *http.Request) {
	x.server, x.begun, x.requestHeader, x.operation = s, time.Now(), r.Header, s.unknown
	x.conn, _ = w.(deadliner)
	x.text = appendRequestID(x.text[:0])
	x.sent, x.status, x.closing, x.conditionFailed = 0, 0, false, 0
	x.stalled.Store(false)
	x.sending, x.principal = false, permission.Principal{}
}

// end gives back what x holds but its small buffers.
func (x *exchange) end() {
	x.release()
	x.conn, x.requestHeader, x.pacer, x.api = nil, nil, pacer{}, nil
	if cap(x.body) > bodyBytesKept {
		x.body = nil
	}
	if cap(x.packed) > answerBytesKept {
		x.packed = nil
	}
	x.dropAnswer()
}

// dropAnswer lets go of a long answer's buffer.
func (x *exchange) dropAnswer() {
	if size := cap(x.answer); size > answerBytesKept {
		if size <= answerBytesLarge {
			buffer := x.answer // its own variable: the pool keeps the pointer
			x.server.answers.Put(&buffer)
		}
		x.answer = nil
	}
}

// id names the request in answers and logs.
func (x *exchange) id() []byte { return x.text[:requestIDLength] }

// run reads the body, judges the request and carries out the operation. The answer is in x.answer, unless there is a
// fault.
func (x *exchange) run(r *http.Request, known bool) *exception.Error {
	room := int64(answerBytesKept)
	err := x.reserve(r.Context(), overheadBytes+room)
	if err == nil {
		err = x.readBody(r)
	}
	// not before: a body may take long to come
	if expected := x.operation.answerBytes.Load(); err == nil && expected > room {
		room, err = x.reserveAnswer(r.Context(), expected, room)
	}
	if err != nil {
		x.closing = err != errNoMemory && err != errEncoding
		return faultOfBody(err)
	}
	if fault := x.refuse(r, known); fault != nil {
		return fault
	}
	ctx := r.Context()
	if !x.operation.ReadOnly {
		// A client that goes away, or only closes its sending side, does not leave a write half done. Shutdown still
		// can.
		ctx = x.server.base
	}
	if x.server.options.Signers != nil {
		ctx = permission.NewContext(ctx, &x.principal)
	}
	if x.operation.ShowsAddress {
		ctx = dynamodb.ReachedAt(ctx, r.Host)
	}
	x.api = x.server.options.API
	if within := x.server.options.Within; within != nil {
		if api := within(r); api != nil {
			x.api = api
		}
	}
	if room > answerBytesKept && room > int64(cap(x.answer)) {
		x.answer = make([]byte, 0, room) // growing to it would leave as much again to the garbage collector
	}
	return x.do(ctx, room)
}

// reserveAnswer takes memory for an answer that will be longer than what is reserved for it, and returns how much is
// reserved then.
func (x *exchange) reserveAnswer(ctx context.Context, expected, reserved int64) (room int64, err error) {
	x.answer = *x.server.answers.Get().(*[]byte)
	room = max(expected+expected/8, int64(cap(x.answer)))
	return room, x.reserve(ctx, room-reserved)
}

// refuse looks at the request as AWS does before it turns to the operation: JSON, the operation's name, the signature,
// whether there is a body.
func (x *exchange) refuse(r *http.Request, known bool) *exception.Error {
	if x.isRefused() {
		return refusedOrigin()
	}
	if hosts := x.server.options.Hosts; hosts != nil && !hosts(r.Host) {
		return refusedHost()
	}
	if !known {
		return x.preferBroken(unknownOperation())
	}
	if fault := x.authorize(r); fault != nil {
		return x.preferBroken(fault)
	}
	if len(x.body) == 0 {
		return brokenBody()
	}
	return nil
}

// do runs the operation, for whose answer room bytes are reserved.
func (x *exchange) do(ctx context.Context, room int64) *exception.Error {
	s := x.server
	answer, err := x.answerOf(ctx)
	if err != nil {
		return x.recheck(faultOf(err))
	}
	x.answer = answer
	x.operation.learn(int64(len(answer)))
	more := int64(cap(answer)) - room
	if more <= 0 {
		return nil
	}
	if x.operation.ReadOnly && !s.memory.squeeze(more) {
		x.answer = nil
		return memoryFault()
	}
	if !x.operation.ReadOnly {
		s.memory.force(more)
	}
	x.reserved.Add(more)
	return nil
}

// first returns the first value of a header, "" if there is none.
func first(values []string) string {
	if len(values) == 0 {
		return ""
	}
	return values[0]
}
