// SPDX-License-Identifier: Apache-2.0

package hbasethrift

import (
	"context"
	"encoding/binary"
	"io"
	"time"

	"github.com/weftdb/weft/internal/resource/memory"
	"github.com/weftdb/weft/internal/server/thriftwire"
)

// nativeMark begins a connection of HBase's native RPC.
const nativeMark = "HBas"

// turnAwayNative tells the operator, once, that a client speaks HBase's native RPC, which has no answer for a server of
// Thrift.
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

// answerSocket answers one message. It reports whether the connection goes on.
func (s *Server) answerSocket(c *conn) bool {
	_ = c.SetReadDeadline(time.Now().Add(s.options.transferTime(s.options.MessageBytesMax)))
	head, err := c.in.Peek(5)
	if err != nil {
		return false
	}
	// or in the binary protocol's old form, which begins with the length of the call's name
	isFramed := !isMessage(head[0]) && !isLetter(head[4])
	host := c.host()
	if _, denied := s.signIn(s.base, "", "", host); denied != nil { // without HTTP nobody can say who he is
		s.turnAwaySocket(c, isFramed, denied)
		return false
	}
	share := s.options.Memory.share()
	defer share.Release()
	ctx := s.contextOf(s.base, c, "", host, &share)
	w, giveBack := s.room()
	defer giveBack()
	if !isFramed {
		message, broken := s.gather(ctx, c, &share, thriftwire.ProtocolOf(head[0]))
		ok := s.answer(ctx, w, message, broken)
		return w.Len() > 0 && s.send(c, w.Bytes()) && ok
	}
	length := int(binary.BigEndian.Uint32(head))
	if _, err := c.in.Discard(4); err != nil || length > s.options.MessageBytesMax {
		return false
	}
	body, err := s.readWhole(ctx, io.LimitReader(c.in, int64(length)), int64(length), &share, c.interruptRead)
	if err != nil || len(body) != length {
		return false
	}
	frame := w.OpenFrame()
	ok := s.answer(ctx, w, body, nil)
	if w.CloseFrame(frame); w.Len() == frame+4 {
		return false
	}
	return s.send(c, w.Bytes()) && ok
}

func isLetter(b byte) bool { return b|0x20 >= 'a' && b|0x20 <= 'z' }

func isMessage(first byte) bool {
	return first == byte(thriftwire.Binary) || first == byte(thriftwire.Compact)
}

// send sends an answer.
func (s *Server) send(c *conn, whole []byte) bool {
	_ = c.SetWriteDeadline(time.Now().Add(s.options.transferTime(len(whole))))
	return sendAll(c, whole, s.options.Memory, func() { _ = c.SetWriteDeadline(past) }) == nil
}

// interruptRead ends what waits for the client's bytes.
func (c *conn) interruptRead() { _ = c.SetReadDeadline(past) }

// turnAwaySocket answers a client that may not come in. It reads no more than says which call that is; the rest is
// thrown away for a while, because a connection that is closed before it may lose the answer.
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
	p := thriftwire.ProtocolOf(first[0])
	head := thriftwire.NewStream(p, (&stream{from: c.in, most: nameBytes}).more)
	answer := refusal(p, &head, reason.Error())
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

// gather reads a message whose end only its structure tells. With an error it returns the part read so far.
func (s *Server) gather(ctx context.Context, c *conn, share *memory.Share, p thriftwire.Protocol) ([]byte, error) {
	ctx, giveUp := context.WithCancel(ctx)
	defer giveUp()
	t := &stream{from: c.in, most: s.options.MessageBytesMax,
		transfer: s.options.Memory.begin(func() { giveUp(); c.interruptRead() })}
	defer t.transfer.end()
	t.room = func(n int) bool {
		return s.options.Memory.await(ctx, share, int64(n*decodedShare)-share.Held(), s.options.WaitMax)
	}
	r := thriftwire.NewStream(p, t.more)
	r.Message()
	r.SkipStruct()
	return t.whole, r.Err()
}

// stream gathers a message as its reader asks for bytes.
type stream struct {
	from     io.Reader
	most     int // bytes of the message
	whole    []byte
	room     func(n int) bool // waits for memory for so many bytes, and reports whether there is; nil: there is
	transfer *transfer
}

// more returns what the reader has left of the message with n bytes or more. It takes no byte that may be another
// message's.
func (t *stream) more(rest []byte, n int) ([]byte, error) {
	begin := len(t.whole) - len(rest)
	if n > t.most-begin {
		return nil, errTooLong{t.most}
	}
	for end := begin + n; len(t.whole) < end; {
		if len(t.whole) == cap(t.whole) && !t.grow() {
			return nil, errNoMemory{}
		}
		n, err := t.from.Read(t.whole[len(t.whole):min(end, cap(t.whole))])
		t.whole = t.whole[:len(t.whole)+n]
		t.transfer.move(n)
		if err != nil && len(t.whole) < end {
			return nil, err
		}
	}
	return t.whole[begin:], nil
}

// grow makes more room, as long as bytes come.
func (t *stream) grow() bool {
	const least = 512
	size := max(least, 2*cap(t.whole))
	if t.room != nil && !t.room(size) {
		return false
	}
	t.whole = append(make([]byte, 0, size), t.whole...)
	return true
}
