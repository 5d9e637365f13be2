// SPDX-License-Identifier: Apache-2.0

package httpwire

import (
	"bytes"
	"net/http"
	"net/textproto"
	"strconv"
	"strings"
)

// verdict says what is to be done with the bytes of a connection.
type verdict int

const (
	partial verdict = iota // more must come before it can be said
	whole                  // they begin with the head of a request that this package serves
	foreign                // they are net/http's
)

// requestLine begins all requests that are served here.
const requestLine = "POST / HTTP/1.1\r\n"

// linesMax is the number of lines of headers from which on a request is net/http's.
const linesMax = 64

// head is the head of a request. It is used for one request of a connection after the other and keeps what the next one
// has in common with the last, which does not change what it says. The zero value is ready.
type head struct {
	lines   []line
	header  http.Header // of all lines but Host
	host    string
	length  int64 // of the body
	closing bool  // the client wants the connection to end with the answer
}

// line is a header as it stands in a request.
type line struct {
	raw    []byte // without its end
	name   int    // how many bytes of raw are its name
	key    string // the name in its canonical form
	values []string
}

// read reads the head of a request at the beginning of b, which is size bytes long if the verdict is whole.
func (h *head) read(b []byte) (size int, v verdict) {
	if len(b) < len(requestLine) {
		if strings.HasPrefix(requestLine, string(b)) {
			return 0, partial
		}
		return 0, foreign
	}
	if string(b[:len(requestLine)]) != requestLine {
		return 0, foreign
	}
	end := bytes.Index(b, []byte("\r\n\r\n"))
	if end < 0 {
		if hasBareEnd(b) {
			return 0, foreign
		}
		return 0, partial
	}
	if !h.readLines(b[len(requestLine) : end+2]) {
		return 0, foreign
	}
	return end + 4, whole
}

// hasBareEnd reports whether a line ends without a carriage return, which net/http takes for the end of a line.
func hasBareEnd(b []byte) bool {
	for {
		end := bytes.IndexByte(b, '\n')
		if end < 0 {
			return false
		}
		if end == 0 || b[end-1] != '\r' {
			return true
		}
		b = b[end+1:]
	}
}

// readLines reads lines of headers; ok is false if they are net/http's.
func (h *head) readLines(b []byte) (ok bool) {
	n, renamed := 0, false
	for ; len(b) > 0; n++ {
		end := bytes.IndexByte(b, '\n')
		if end < 1 || b[end-1] != '\r' || n == linesMax {
			return false
		}
		raw := b[:end-1]
		b = b[end+1:]
		if n < len(h.lines) && bytes.Equal(h.lines[n].raw, raw) {
			continue
		}
		if n == len(h.lines) {
			h.lines = append(h.lines, line{values: []string{""}})
		}
		other, valid := h.lines[n].read(raw)
		if !valid {
			return false
		}
		renamed = renamed || other
		if !other && !h.note(&h.lines[n]) {
			return false
		}
	}
	if renamed || n < len(h.lines) || n == 0 {
		h.lines = h.lines[:n]
		return h.rebuild()
	}
	return true
}

// read reads a line. renamed says that it is another header than the one before.
func (l *line) read(raw []byte) (renamed, ok bool) {
	name := bytes.IndexByte(raw, ':')
	if name < 1 {
		return false, false
	}
	if name != l.name || !bytes.Equal(raw[:name], l.raw[:name]) {
		if !isToken(raw[:name]) {
			return false, false
		}
		l.key, l.name, renamed = textproto.CanonicalMIMEHeaderKey(string(raw[:name])), name, true
	}
	value := bytes.Trim(raw[name+1:], " \t")
	if !isText(value) {
		return false, false
	}
	l.raw = append(l.raw[:0], raw...)
	l.values[0] = string(value)
	return renamed, true
}

// rebuild takes all lines as new; ok is false if they are net/http's.
func (h *head) rebuild() (ok bool) {
	if h.header == nil {
		h.header = make(http.Header, len(h.lines))
	}
	clear(h.header)
	h.host, h.length, h.closing = "", -1, false
	for i := range h.lines {
		l := &h.lines[i]
		if _, twice := h.header[l.key]; twice || !h.note(l) {
			return false
		}
		h.header[l.key] = l.values[:1:1]
	}
	delete(h.header, "Host")
	return h.host != "" && h.length >= 0
}

// note draws from a line what matters to a connection; ok is false if the request is net/http's because of it.
func (h *head) note(l *line) (ok bool) {
	switch value := l.values[0]; l.key {
	case "Host":
		h.host = value
		return isHost(value)
	case "Content-Length":
		h.length, ok = lengthOf(value)
		return ok
	case "Connection":
		h.closing = strings.EqualFold(value, "close")
		return h.closing || strings.EqualFold(value, "keep-alive")
	case "Transfer-Encoding", "Te", "Trailer", "Expect", "Upgrade", "Http2-Settings", "Pragma":
		return false
	}
	return true
}

// lengthDigitsMax is the largest number of digits of a length: longer bodies are net/http's to refuse.
const lengthDigitsMax = 12

// lengthOf reads a Content-Length: digits alone, and none before the first that counts.
func lengthOf(value string) (length int64, ok bool) {
	if value == "" || len(value) > lengthDigitsMax || value[0] == '0' && len(value) > 1 {
		return 0, false
	}
	for i := range len(value) {
		if value[i] < '0' || value[i] > '9' {
			return 0, false
		}
	}
	length, err := strconv.ParseInt(value, 10, 64)
	return length, err == nil
}

// isToken reports whether a header may have that name.
func isToken(name []byte) bool {
	for _, c := range name {
		if !isLetterOrDigit(c) && strings.IndexByte("!#$%&'*+-.^_`|~", c) < 0 {
			return false
		}
	}
	return len(name) > 0
}

// isText reports whether a value is of ASCII without control characters, as the values of all sane headers are.
func isText(value []byte) bool {
	for _, c := range value {
		if (c < ' ' || c > '~') && c != '\t' {
			return false
		}
	}
	return true
}

// isHost reports whether a value looks like the name or address of a host, with or without a port.
func isHost(value string) bool {
	for i := range len(value) {
		if c := value[i]; !isLetterOrDigit(c) && strings.IndexByte(".-_:[]", c) < 0 {
			return false
		}
	}
	return value != ""
}

func isLetterOrDigit(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9'
}
