// SPDX-License-Identifier: Apache-2.0

package hbasethrift

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"runtime/debug"
	"time"

	"github.com/apache/thrift/lib/go/thrift"

	"github.com/weftdb/weft/internal/hbase"
	"github.com/weftdb/weft/internal/memory"
	"github.com/weftdb/weft/internal/metric"
	"github.com/weftdb/weft/internal/permission"
)

// call is what a message knows of its connection, in its context.
type call struct {
	user    string
	share   *memory.Share
	outcome metric.Outcome

	puts    []*hbase.Put   // the arguments of putMultiple, where they could be read at once: see bounded.takePuts
	results []hbase.Result // the answer, where it is written at once: see answerWith
}

type callKey struct{}

func callOf(ctx context.Context) *call { return ctx.Value(callKey{}).(*call) }

// signIn returns who a client is, or why it may not come in.
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

// configuration bounds what Thrift's library takes.
func (s *Server) configuration() *thrift.TConfiguration {
	most := int32(s.options.MessageBytesMax)
	return &thrift.TConfiguration{MaxMessageSize: most, MaxFrameSize: most}
}

// answer answers a message that is whole, into to. It writes nothing for bytes that are none, and says whether the connection goes on.
func (s *Server) answer(ctx context.Context, to *thrift.TMemoryBuffer, body []byte) bool {
	return len(body) > 0 && s.answerFrom(ctx, to, &thrift.TMemoryBuffer{Buffer: bytes.NewBuffer(body)}, body[0])
}

// room is a buffer for an answer. giveBack returns it when the answer was sent.
func (s *Server) room() (to *thrift.TMemoryBuffer, giveBack func()) {
	const most = 1 << 20
	to = s.answers.Get().(*thrift.TMemoryBuffer)
	return to, func() {
		if to.Cap() <= most {
			to.Reset()
			s.answers.Put(to)
		}
	}
}

// answerFrom answers the message that begins with a byte.
func (s *Server) answerFrom(ctx context.Context, to *thrift.TMemoryBuffer, from thrift.TTransport, first byte) (ok bool) {
	in, out := s.protocolOf(from, first), s.protocolOf(to, first)
	name, kind, seq, err := in.ReadMessageBegin(ctx)
	if err != nil || kind != thrift.CALL && kind != thrift.ONEWAY {
		return false
	}
	begun := time.Now()
	operation := s.operations[name]
	if operation == nil {
		operation = s.operations[""]
	}
	if operation != nil {
		operation.Begin()
		defer func() {
			operation.End(metric.Request{Outcome: callOf(ctx).outcome, Seconds: time.Since(begun).Seconds(), BytesOut: int64(to.Len())})
		}()
	}
	return s.carryOut(ctx, name, seq, in, out, to)
}

// protocolOf is the protocol of messages that begin with a byte.
func (s *Server) protocolOf(t thrift.TTransport, first byte) *bounded {
	if first == compactMark {
		return &bounded{TProtocol: thrift.NewTCompactProtocolConf(t, s.configuration())}
	}
	return &bounded{TProtocol: thrift.NewTBinaryProtocolConf(t, s.configuration())}
}

// carryOut does what a message asks for and writes the answer. ok is false if the connection must end after it.
func (s *Server) carryOut(ctx context.Context, name string, seq int32, in, out *bounded, to *thrift.TMemoryBuffer) (ok bool) {
	x, begin := callOf(ctx), to.Len()
	defer func() {
		if r := recover(); r != nil {
			s.options.Logger.Error("a call failed", "call", name, "panic", r, "stack", string(debug.Stack()))
			if m := s.options.Metrics; m != nil {
				m.Panicked()
			}
			to.Truncate(begin)
			x.outcome = metric.Failed
			s.refuse(ctx, out, name, seq, thrift.INTERNAL_ERROR, "the call failed: see the server's log")
			ok = false
		}
	}()
	function, known := s.functions[name]
	if !known {
		x.outcome = metric.Refused
		ok = in.Skip(ctx, thrift.STRUCT) == nil
		s.refuse(ctx, out, name, seq, thrift.UNKNOWN_METHOD, s.unknown(name))
		return ok
	}
	_, in.isShared = s.others[name]
	in.hasPuts = name == "putMultiple"
	_, err := function.Process(ctx, seq, in, out)
	if err == nil || x.outcome != metric.OK { // a failure of the call itself is noted, and answered
		return true
	}
	x.outcome = metric.Refused // the message can't be read: another protocol, or a client of the other version
	to.Truncate(begin)
	s.refuse(ctx, out, name, seq, thrift.PROTOCOL_ERROR, s.malformed(name, err))
	return false
}

// refuse answers with Thrift's own exception.
func (s *Server) refuse(ctx context.Context, out thrift.TProtocol, name string, seq, kind int32, reason string) {
	_ = out.WriteMessageBegin(ctx, name, thrift.EXCEPTION, seq) // into memory, as all of these
	_ = thrift.NewTApplicationException(kind, reason).Write(ctx, out)
	_ = out.WriteMessageEnd(ctx)
	_ = out.Flush(ctx)
}

// refusal is the exception that answers the call with which a message begins; nil if it begins otherwise.
func (s *Server) refusal(ctx context.Context, from thrift.TTransport, first byte, reason string) []byte {
	to := thrift.NewTMemoryBufferLen(256)
	name, _, seq, err := s.protocolOf(from, first).ReadMessageBegin(ctx)
	if err != nil {
		return nil
	}
	s.refuse(ctx, s.protocolOf(to, first), name, seq, thrift.INTERNAL_ERROR, reason)
	return to.Bytes()
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

// bounded refuses containers with more elements than bytes that are left of the message, and arguments of the other version.
type bounded struct {
	thrift.TProtocol
	depth    int  // of the structs that are being read
	isShared bool // both versions have a call of this name, with other arguments
	hasPuts  bool // the call's one list is of TPuts
}

// errArgument is the refusal of an argument that the version has not got, or has with another type. Thrift's code would go on without it.
var errArgument = thrift.NewTProtocolExceptionWithType(thrift.INVALID_DATA, errors.New("they are those of another version")) // immutable

// ReadStructBegin implements thrift.TProtocol.
func (p *bounded) ReadStructBegin(ctx context.Context) (string, error) {
	p.depth++
	return p.TProtocol.ReadStructBegin(ctx)
}

// ReadStructEnd implements thrift.TProtocol.
func (p *bounded) ReadStructEnd(ctx context.Context) error {
	p.depth--
	return p.TProtocol.ReadStructEnd(ctx)
}

// ReadMessageEnd implements thrift.TProtocol. From here on it is not the client that is waited for.
func (p *bounded) ReadMessageEnd(ctx context.Context) error {
	if from, ok := p.Transport().(*stream); ok {
		from.transfer.end()
	}
	return p.TProtocol.ReadMessageEnd(ctx)
}

// Skip implements thrift.TProtocol. The arguments of a call are a struct.
func (p *bounded) Skip(ctx context.Context, of thrift.TType) error {
	if p.isShared && p.depth == 1 {
		return errArgument
	}
	return p.TProtocol.Skip(ctx, of)
}

// errElements is the refusal.
var errElements = thrift.NewTProtocolExceptionWithType(thrift.SIZE_LIMIT, errors.New("a list or map is longer than its message")) // immutable

func (p *bounded) checked(size int, err error) error {
	if err == nil && uint64(size) > min(p.Transport().RemainingBytes(), elementsMax) {
		return errElements
	}
	return err
}

// elementsMax is the most elements of a list or a map. Memory for so many is taken before they are read.
const elementsMax = 1 << 20

// ReadListBegin implements thrift.TProtocol.
func (p *bounded) ReadListBegin(ctx context.Context) (thrift.TType, int, error) {
	of, size, err := p.TProtocol.ReadListBegin(ctx)
	if err = p.checked(size, err); err == nil && p.hasPuts && p.depth == 1 && p.takePuts(ctx, of, size) {
		size = 0
	}
	return of, size, err
}

// ReadSetBegin implements thrift.TProtocol.
func (p *bounded) ReadSetBegin(ctx context.Context) (thrift.TType, int, error) {
	of, size, err := p.TProtocol.ReadSetBegin(ctx)
	return of, size, p.checked(size, err)
}

// ReadMapBegin implements thrift.TProtocol.
func (p *bounded) ReadMapBegin(ctx context.Context) (thrift.TType, thrift.TType, int, error) {
	key, of, size, err := p.TProtocol.ReadMapBegin(ctx)
	return key, of, size, p.checked(size, err)
}
