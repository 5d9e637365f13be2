// SPDX-License-Identifier: Apache-2.0

package httpwire

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

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
