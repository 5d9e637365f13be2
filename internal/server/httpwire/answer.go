// SPDX-License-Identifier: Apache-2.0

package httpwire

import (
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	outBytes     = 4 << 10  // to begin with
	outBytesMax  = 16 << 10 // more is sent at once
	heldBytesMax = 2 << 10  // of an answer whose length is not known: with more it is sent in chunks
)

// answer is the answer to a request. It implements http.ResponseWriter.
type answer struct {
	connection *connection
	header     http.Header
	keys       []string // of the header, to be sorted
	status     int      // 0: not known yet
	length     int64    // of the body; -1: not known yet
	written    int64    // of the body
	open       bool     // the head waits for the first bytes of the body
	chunked    bool
	closing    bool // the connection ends with this answer
	failure    error
	out        *[]byte // what is to be sent
	held       []byte  // the body as long as it is not known how long it will be
	parts      [2][]byte
}

// begin prepares for a request. closing says that the client wants the connection to end.
func (a *answer) begin(closing bool) {
	if a.header == nil {
		a.header = http.Header{}
	}
	clear(a.header)
	a.status, a.length, a.written, a.open, a.chunked, a.closing = 0, -1, 0, false, false, closing
	a.held = a.held[:0]
	a.out = a.connection.server.outs.Get().(*[]byte)
}

// Header implements http.ResponseWriter.
func (a *answer) Header() http.Header { return a.header }

// SetReadDeadline is for http.ResponseController.
func (a *answer) SetReadDeadline(by time.Time) error { return a.connection.limits.SetReadDeadline(by) }

// SetWriteDeadline is for http.ResponseController.
func (a *answer) SetWriteDeadline(by time.Time) error {
	return a.connection.limits.SetWriteDeadline(by)
}

// WriteHeader implements http.ResponseWriter. A status of 1xx is not sent.
func (a *answer) WriteHeader(status int) {
	if a.status != 0 || status < http.StatusOK {
		return
	}
	a.status, a.open = status, true
	a.closing = a.closing || a.connection.server.closing.Load() || first(a.header["Connection"]) == "close"
	if !a.closing && !a.connection.body.drain() {
		a.closing = true
	}
	if length, err := strconv.ParseInt(first(a.header["Content-Length"]), 10, 64); err == nil && length >= 0 {
		a.length = length
	}
	a.appendHead()
}

// Write implements http.ResponseWriter.
func (a *answer) Write(b []byte) (int, error) {
	if a.WriteHeader(http.StatusOK); len(b) == 0 {
		return 0, nil
	}
	if !hasBody(a.status) {
		return 0, http.ErrBodyNotAllowed
	}
	if a.written += int64(len(b)); a.length >= 0 && a.written > a.length {
		return 0, http.ErrContentLength
	}
	if a.open && a.length < 0 {
		if len(a.held)+len(b) <= heldBytesMax {
			a.held = append(a.held, b...)
			return len(b), nil
		}
		a.sendHeld(b)
	}
	if a.open {
		a.endHead(b)
	}
	return len(b), a.sendPart(b)
}

// sendHeld begins an answer in chunks, before next.
func (a *answer) sendHeld(next []byte) {
	a.chunked = true
	if len(a.held) == 0 {
		a.endHead(next)
		return
	}
	a.endHead(a.held)
	_ = a.sendPart(a.held) // a.failure has the error
}

// FlushError is for http.ResponseController.
func (a *answer) FlushError() error {
	a.WriteHeader(http.StatusOK)
	switch {
	case !a.open:
	case a.length < 0 && hasBody(a.status):
		a.sendHeld(nil)
	default:
		a.endHead(nil)
	}
	return a.flush(nil)
}

// Flush implements http.Flusher.
func (a *answer) Flush() { _ = a.FlushError() }

// finish sends what is left; again is false if the connection ends with this answer.
func (a *answer) finish() (again bool) {
	a.WriteHeader(http.StatusOK)
	if a.open {
		if a.length < 0 && hasBody(a.status) {
			a.length = int64(len(a.held))
			*a.out = append(strconv.AppendInt(append(*a.out, "Content-Length: "...), a.length, 10), "\r\n"...)
		}
		a.endHead(a.held)
		_ = a.send(a.held)
	} else if a.chunked {
		*a.out = append(*a.out, "0\r\n\r\n"...)
	}
	_ = a.flush(nil)
	if cap(*a.out) <= 2*outBytesMax {
		a.connection.server.outs.Put(a.out)
	}
	a.out = nil
	short := a.length >= 0 && hasBody(a.status) && a.written != a.length
	return !a.closing && !short && a.failure == nil
}

// sendPart sends a part of the body.
func (a *answer) sendPart(b []byte) error {
	if !a.chunked {
		return a.send(b)
	}
	*a.out = append(strconv.AppendInt(*a.out, int64(len(b)), 16), "\r\n"...)
	err := a.send(b)
	*a.out = append(*a.out, "\r\n"...)
	return err
}

// send sends bytes, now or with those that follow.
func (a *answer) send(b []byte) error {
	if len(*a.out)+len(b) > outBytesMax {
		return a.flush(b)
	}
	*a.out = append(*a.out, b...)
	return a.failure
}

// flush sends what waits, and then b.
func (a *answer) flush(b []byte) error {
	if a.failure != nil || len(*a.out)+len(b) == 0 {
		return a.failure
	}
	c := a.connection
	c.limits.write(c.server.options.WriteTimeout)
	if len(b) == 0 {
		_, a.failure = c.conn.Write(*a.out)
	} else {
		a.parts = [2][]byte{*a.out, b}
		both := net.Buffers(a.parts[:])
		_, a.failure = both.WriteTo(c.conn)
		a.parts = [2][]byte{}
	}
	*a.out = (*a.out)[:0]
	return a.failure
}

// hasBody reports whether an answer of that status has a body.
func hasBody(status int) bool {
	return status != http.StatusNoContent && status != http.StatusNotModified
}

// first returns the first value of a header, "" if there is none.
func first(values []string) string {
	if len(values) == 0 {
		return ""
	}
	return values[0]
}

// appendHead appends the beginning of an answer, up to the part that depends on its body.
func (a *answer) appendHead() {
	out := append(*a.out, "HTTP/1.1 "...)
	out = strconv.AppendInt(out, int64(a.status), 10)
	out = append(append(append(out, ' '), statusText(a.status)...), "\r\n"...)
	a.keys = a.keys[:0]
	for key := range a.header {
		if !a.isOwn(key) {
			a.keys = append(a.keys, key)
		}
	}
	slices.Sort(a.keys)
	for _, key := range a.keys {
		for _, value := range a.header[key] {
			out = appendField(out, key, value)
		}
	}
	if _, given := a.header["Date"]; !given {
		out = append(append(append(out, "Date: "...), a.connection.server.dateText(time.Now())...), "\r\n"...)
	}
	*a.out = out
}

// isOwn reports whether a header is not for the handler to send.
func (a *answer) isOwn(key string) bool {
	switch key {
	case "Transfer-Encoding":
		return true
	case "Connection":
		return a.closing && first(a.header[key]) != "close"
	case "Content-Length":
		return a.length < 0 || !hasBody(a.status)
	case "Content-Type":
		return a.status == http.StatusNotModified
	}
	return false
}

// endHead ends the head. start is how the body begins, as far as it is known.
func (a *answer) endHead(start []byte) {
	out := *a.out
	_, typed := a.header["Content-Type"]
	if !typed && len(start) > 0 && first(a.header["Content-Encoding"]) == "" {
		out = appendField(out, "Content-Type", http.DetectContentType(start))
	}
	if a.closing && first(a.header["Connection"]) != "close" {
		out = append(out, "Connection: close\r\n"...)
	}
	if a.chunked {
		out = append(out, "Transfer-Encoding: chunked\r\n"...)
	}
	*a.out, a.open = append(out, "\r\n"...), false
}

// appendField appends a header. No value can end its line.
func appendField(dst []byte, key, value string) []byte {
	dst = append(append(dst, key...), ": "...)
	if strings.IndexByte(value, '\n') >= 0 || strings.IndexByte(value, '\r') >= 0 {
		value = strings.NewReplacer("\n", " ", "\r", " ").Replace(value)
	}
	return append(append(dst, strings.Trim(value, " \t")...), "\r\n"...)
}

func statusText(status int) string {
	if text := http.StatusText(status); text != "" {
		return text
	}
	return "status code " + strconv.Itoa(status)
}

// date is the header Date of one second.
type date struct {
	second int64 // since 1970
	text   string
}

func (s *Server) dateText(now time.Time) string {
	second := now.Unix()
	if d := s.date.Load(); d != nil && d.second == second {
		return d.text
	}
	d := &date{second, now.UTC().Format(http.TimeFormat)}
	s.date.Store(d)
	return d.text
}
