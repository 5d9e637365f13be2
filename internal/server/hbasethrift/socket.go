// SPDX-License-Identifier: Apache-2.0

package hbasethrift

import (
	"context"
	"encoding/binary"
	"io"
	"time"

	"github.com/apache/thrift/lib/go/thrift"

	"github.com/weftdb/weft/internal/memory"
)

// The bytes by which messages of Thrift's protocols begin.
const (
	binaryMark  = 0x80
	compactMark = 0x82
)

// nativeMark begins a connection of HBase's native RPC.
const nativeMark = "HBas"

// turnAwayNative tells the operator, once, that a client speaks HBase's native RPC, which has no answer for a server of Thrift.
func (s *Server) turnAwayNative(c *conn) {
	s.native.Do(func() {
		s.options.Logger.Warn("a client speaks HBase's native RPC, but this port speaks Thrift: set the client's hbase.client.connection.impl to "+
			"org.apache.hadoop.hbase.thrift2.client.ThriftConnection", "address", c.host())
	})
}

// serveSocket answers the messages of a connection without HTTP, one after the other.
func (s *Server) serveSocket(c *conn) {
	for {
		_ = c.SetReadDeadline(time.Now().Add(s.options.IdleTimeout))
		if _, err := c.in.Peek(1); err != nil || !s.setBusy(c, true) {
			return
		}
		if !s.answerSocket(c) || !s.setBusy(c, false) {
			return
		}
	}
}

// answerSocket answers one message. It says whether the connection goes on.
func (s *Server) answerSocket(c *conn) bool {
	_ = c.SetReadDeadline(time.Now().Add(s.options.transferTime(s.options.MessageBytesMax)))
	head, err := c.in.Peek(5)
	if err != nil {
		return false
	}
	isFramed := !isMessage(head[0]) && !isLetter(head[4]) // or in the binary protocol's old form, which begins with the length of the call's name
	host := c.host()
	if _, denied := s.signIn(s.base, "", "", host); denied != nil { // without HTTP nobody can say who he is
		s.turnAwaySocket(c, isFramed, denied)
		return false
	}
	share := s.options.Memory.share()
	defer share.Release()
	ctx := s.contextOf(s.base, c, "", host, &share)
	to, giveBack := s.room()
	defer giveBack()
	if !isFramed {
		from := &stream{of: s.options.Memory, from: c.in, left: s.options.MessageBytesMax, share: &share, waitMax: s.options.WaitMax}
		var giveUp context.CancelFunc
		from.ctx, giveUp = context.WithCancel(ctx)
		defer giveUp()
		from.transfer = s.options.Memory.begin(func() { giveUp(); c.interruptRead() })
		defer from.transfer.end()
		ok := s.answerFrom(ctx, to, from, head[0])
		return to.Len() > 0 && s.send(c, to.Bytes()) && ok
	}
	length := int(binary.BigEndian.Uint32(head))
	if _, err := c.in.Discard(4); err != nil || length > s.options.MessageBytesMax {
		return false
	}
	body, err := s.readWhole(ctx, io.LimitReader(c.in, int64(length)), int64(length), &share, c.interruptRead)
	if err != nil || len(body) != length {
		return false
	}
	_, _ = to.Write(make([]byte, 4)) // into memory; the answer's length follows
	ok := s.answer(ctx, to, body)
	whole := to.Bytes()
	if len(whole) <= 4 {
		return false
	}
	binary.BigEndian.PutUint32(whole, uint32(len(whole)-4))
	return s.send(c, whole) && ok
}

func isLetter(b byte) bool { return b|0x20 >= 'a' && b|0x20 <= 'z' }

func isMessage(first byte) bool { return first == binaryMark || first == compactMark }

// send sends an answer.
func (s *Server) send(c *conn, whole []byte) bool {
	_ = c.SetWriteDeadline(time.Now().Add(s.options.transferTime(len(whole))))
	return sendAll(c, whole, s.options.Memory, func() { _ = c.SetWriteDeadline(past) }) == nil
}

// interruptRead ends what waits for the client's bytes.
func (c *conn) interruptRead() { _ = c.SetReadDeadline(past) }

// turnAwaySocket answers a client that may not come in. It reads no more than says which call that is; the rest is thrown away for a while, because a
// connection that is closed before it may lose the answer.
func (s *Server) turnAwaySocket(c *conn, isFramed bool, reason error) {
	const nameBytes, restBytes = 512, 64 << 10
	_ = c.SetReadDeadline(time.Now().Add(s.options.HeaderTimeout))
	if isFramed {
		_, _ = c.in.Discard(4) // they were peeked at
	}
	first, err := c.in.Peek(1)
	if err != nil {
		return
	}
	answer := s.refusal(s.base, &stream{from: c.in, left: nameBytes}, first[0], reason.Error())
	if answer == nil {
		return
	}
	if isFramed {
		answer = append(binary.BigEndian.AppendUint32(nil, uint32(len(answer))), answer...)
	}
	if !s.send(c, answer) {
		return
	}
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite()
	}
	_, _ = io.CopyN(io.Discard, c.in, restBytes)
}

// stream is the transport of a message whose end only its decoder knows.
type stream struct {
	ctx      context.Context
	of       *Memory
	from     io.Reader
	left     int           // bytes that the message may still have
	share    *memory.Share // nil: nothing is kept
	transfer *transfer     // of the message
	waitMax  time.Duration
}

// Read implements thrift.TTransport.
func (t *stream) Read(p []byte) (int, error) {
	if t.left <= 0 {
		return 0, thrift.NewTTransportException(thrift.END_OF_FILE, "the message is too long")
	}
	n, err := t.from.Read(p[:min(len(p), t.left)])
	t.left -= n
	t.transfer.move(n)
	if t.share != nil && !t.of.await(t.ctx, t.share, int64(n*decodedShare), t.waitMax) {
		return n, errNoMemory{}
	}
	return n, err
}

// RemainingBytes implements thrift.TTransport.
func (t *stream) RemainingBytes() uint64 { return uint64(t.left) }

// Write, Flush, Open and IsOpen implement thrift.TTransport, for which a stream is never written.
func (t *stream) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

// Flush implements thrift.TTransport.
func (t *stream) Flush(context.Context) error { return nil }

// Open implements thrift.TTransport.
func (t *stream) Open() error { return nil }

// IsOpen implements thrift.TTransport.
func (t *stream) IsOpen() bool { return true }

// Close implements thrift.TTransport.
func (t *stream) Close() error { return nil }
