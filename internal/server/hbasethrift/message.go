// SPDX-License-Identifier: Apache-2.0

package hbasethrift

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"runtime/debug"
	"time"

	"github.com/weftdb/weft/internal/resource/memory"
	"github.com/weftdb/weft/internal/resource/metric"
	"github.com/weftdb/weft/internal/security/permission"
	"github.com/weftdb/weft/internal/server/thriftwire"
)

// call is a message's link to its connection, in its context.
type call struct {
	user    string
	share   *memory.Share
	outcome metric.Outcome
}

type callKey struct{}

func callOf(ctx context.Context) *call { return ctx.Value(callKey{}).(*call) }

// signIn returns a client's user, or the reason for its refusal.
func (s *Server) signIn(ctx context.Context, user, password, host string) (string, error) {
	if s.options.SignIn == nil {
		return "", nil
	}
	return s.options.SignIn(ctx, user, password, host)
}

// contextOf is the context of a message.
func (s *Server) contextOf(ctx context.Context, c *conn, user, host string, share *memory.Share) context.Context {
	p := &permission.Principal{User: user, Agent: "thrift"}
	p.Address, _ = netip.ParseAddr(host)
	x := &call{user: user, share: share}
	if c != nil {
		p.Secure = c.secure
	}
	return context.WithValue(permission.NewContext(ctx, p), callKey{}, x)
}

// answer answers a message into w. broken says why not all of the message is there, if so. It writes nothing for bytes
// that are none, and reports whether the connection goes on.
func (s *Server) answer(ctx context.Context, w *thriftwire.Writer, message []byte, broken error) (ok bool) {
	if len(message) == 0 {
		return false
	}
	p := thriftwire.ProtocolOf(message[0])
	r := thriftwire.NewReader(p, message)
	w.SetProtocol(p)
	head := r.Message()
	if r.Err() != nil {
		return false
	}
	begun := time.Now()
	operation := s.operations[head.Name]
	if operation == nil {
		operation = s.operations[""]
	}
	if operation != nil {
		operation.Begin()
		defer func() {
			operation.End(metric.Request{Outcome: callOf(ctx).outcome, Seconds: time.Since(begun).Seconds(),
				BytesOut: int64(w.Len())})
		}()
	}
	return s.carryOut(ctx, head, &r, w, broken)
}

// room is a buffer for an answer. giveBack returns it when the answer was sent.
func (s *Server) room() (w *thriftwire.Writer, giveBack func()) {
	const most = 1 << 20
	w = s.answers.Get().(*thriftwire.Writer)
	return w, func() {
		if w.Cap() <= most {
			w.Truncate(0)
			s.answers.Put(w)
		}
	}
}

// The numbers of Thrift's own exceptions.
const (
	unknownMethod      = 1
	invalidMessageType = 2
	internalError      = 6
	protocolError      = 7
)

// carryOut does what a message asks for and writes the answer. ok is false if the connection must end after it.
func (s *Server) carryOut(ctx context.Context, head thriftwire.Message, r *thriftwire.Reader, w *thriftwire.Writer,
	broken error) (ok bool) {
	x, begin := callOf(ctx), w.Len()
	defer func() {
		if p := recover(); p != nil {
			s.options.Logger.Error("a call failed", "call", head.Name, "panic", p, "stack", string(debug.Stack()))
			if m := s.options.Metrics; m != nil {
				m.Panicked()
			}
			w.Truncate(begin)
			x.outcome = metric.Failed
			refuseMessage(w, head, internalError, "the call failed: see the server's log")
			ok = false
		}
	}()
	if head.Kind != thriftwire.Call && head.Kind != thriftwire.OneWay {
		x.outcome = metric.Refused
		refuseMessage(w, head, invalidMessageType, "a message to a server must be a call")
		return false
	}
	do, known := s.functions[head.Name]
	if !known {
		x.outcome = metric.Refused
		r.SkipStruct()
		refuseMessage(w, head, unknownMethod, s.unknown(head.Name))
		return r.Err() == nil
	}
	err := do(ctx, head, r, w)
	if err == nil {
		return true
	}
	x.outcome = metric.Refused // the message can't be read: another protocol, or a client of the other version
	refuseMessage(w, head, protocolError, s.malformed(head.Name, cmp.Or(broken, err)))
	return false
}

// refuseMessage answers with Thrift's own exception.
func refuseMessage(w *thriftwire.Writer, head thriftwire.Message, kind int32, reason string) {
	head.Kind = thriftwire.Exception
	w.Message(head)
	outer := w.Open()
	w.Text(1, reason)
	w.I32(2, kind)
	w.Close(outer)
}

// refusal is the exception that answers the call with which a message begins; nil if it begins otherwise.
func refusal(p thriftwire.Protocol, r *thriftwire.Reader, reason string) []byte {
	head := r.Message()
	if r.Err() != nil {
		return nil
	}
	w := thriftwire.NewWriter(p)
	refuseMessage(w, head, internalError, reason)
	return w.Bytes()
}

// unknown says what to do about a call that this version has not got.
func (s *Server) unknown(name string) string {
	if _, ok := s.others[name]; ok {
		return "there is no call " + name + " on this port, which speaks " + s.elsewhere()
	}
	return fmt.Sprintf("there is no call %.100s in %s", name, s.options.Version)
}

// elsewhere says what this port speaks, and where the other version is.
func (s *Server) elsewhere() string {
	v := s.options.Version
	if s.options.OtherAddr == "" {
		return fmt.Sprintf("%s; %s is not served: see the settings hbase-addr and hbase-thrift1-addr", v, v.other())
	}
	return fmt.Sprintf("%s; %s is on %s", v, v.other(), s.options.OtherAddr)
}

// malformed says why a message can't be read.
func (s *Server) malformed(name string, err error) string {
	if errors.As(err, new(errNoMemory)) {
		return errNoMemory{}.Error()
	}
	if _, ok := s.others[name]; ok {
		return fmt.Sprintf("the arguments of %s can't be read (%v); this port speaks %s", name, err, s.elsewhere())
	}
	return fmt.Sprintf("the arguments of %s can't be read: %v", name, err)
}
