// SPDX-License-Identifier: Apache-2.0

package hbasethrift

import (
	"cmp"
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/weftdb/weft/internal/memory"
)

// The headers in which clients say who they are, as LindormTable has them. Basic authentication is taken as well.
const (
	userHeader     = "ACCESSKEYID"
	passwordHeader = "ACCESSSIGNATURE"
)

const (
	contentType    = "application/x-thrift"
	headerBytesMax = 64 << 10
)

type connKey struct{}

func (s *Server) newWeb() *http.Server {
	return &http.Server{
		Handler:           http.HandlerFunc(s.answerWeb),
		ReadHeaderTimeout: s.options.HeaderTimeout,
		ReadTimeout:       s.options.transferTime(s.options.MessageBytesMax),
		IdleTimeout:       s.options.IdleTimeout,
		MaxHeaderBytes:    headerBytesMax,
		ErrorLog:          slog.NewLogLogger(s.options.Logger.Handler(), slog.LevelDebug),
		BaseContext:       func(net.Listener) context.Context { return s.base },
		ConnContext:       func(ctx context.Context, c net.Conn) context.Context { return context.WithValue(ctx, connKey{}, c) },

		DisableGeneralOptionsHandler: true,
	}
}

// answerWeb answers a message in an HTTP request.
func (s *Server) answerWeb(w http.ResponseWriter, r *http.Request) {
	if status, reason := s.judgeWeb(r); reason != "" {
		http.Error(w, reason, status)
		return
	}
	c, _ := r.Context().Value(connKey{}).(*conn)
	user, password, ok := r.BasicAuth()
	if given := r.Header.Get(userHeader); !ok {
		user, password = given, r.Header.Get(passwordHeader)
	}
	host := hostOf(r.RemoteAddr)
	user, err := s.signIn(r.Context(), user, password, host)
	if err != nil {
		s.turnAway(w, r, err)
		return
	}
	share := memory.Share{Of: s.options.Memory}
	defer share.Release()
	body, err := s.readWhole(r.Body, &share)
	if err != nil {
		http.Error(w, err.Error(), cmp.Or(statusOf(err), http.StatusBadRequest))
		return
	}
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
	to, giveBack := s.room()
	defer giveBack()
	ok = s.answer(s.contextOf(r.Context(), c, user, host, &share), to, body)
	answer := to.Bytes()
	if len(answer) == 0 {
		http.Error(w, "the body is no message of "+s.options.Version.String(), http.StatusBadRequest)
		return
	}
	if !ok {
		w.Header().Set("Connection", "close")
	}
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("Content-Length", strconv.Itoa(len(answer)))
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(s.options.transferTime(len(answer))))
	_, _ = w.Write(answer) // a client that is gone learns nothing any more
}

// turnAway answers a client that may not come in: in its protocol, since some of HBase's clients don't look at the status.
func (s *Server) turnAway(w http.ResponseWriter, r *http.Request, reason error) {
	w.Header().Set("WWW-Authenticate", `Basic realm="weft"`)
	head := make([]byte, 256) // as long as the name of a call
	n, _ := io.ReadFull(r.Body, head)
	answer := s.refusal(r.Context(), head[:n], reason.Error())
	if answer == nil {
		http.Error(w, reason.Error(), http.StatusUnauthorized)
		return
	}
	w.Header().Set("Content-Type", contentType)
	w.WriteHeader(http.StatusUnauthorized)
	_, _ = w.Write(answer)
}

// judgeWeb refuses requests that no client of HBase's makes. A web page can send messages, but not without saying that it is one.
func (s *Server) judgeWeb(r *http.Request) (status int, reason string) {
	switch {
	case s.options.Hosts != nil && !s.options.Hosts(r.Host):
		return http.StatusForbidden, "this server is not called " + r.Host + ": the setting hosts lists the names that it answers to"
	case r.Header.Get("Origin") != "":
		return http.StatusForbidden, "web pages may not use this port"
	case r.Method != http.MethodPost:
		return http.StatusMethodNotAllowed, "this port speaks HBase's " + s.options.Version.String() + ": send a message by POST"
	case r.ContentLength > int64(s.options.MessageBytesMax):
		return http.StatusRequestEntityTooLarge, errTooLong{s.options.MessageBytesMax}.Error()
	}
	return 0, ""
}

// errTooLong says that a message is too long.
type errTooLong struct{ most int }

func (e errTooLong) Error() string {
	return "a message may have at most " + strconv.Itoa(e.most) + " bytes: write less at once"
}

// errNoMemory says that the memory for messages is used up.
type errNoMemory struct{}

func (errNoMemory) Error() string {
	return "the server has no memory left for this call: try again, or raise request-memory"
}

func statusOf(err error) int {
	switch err.(type) {
	case errTooLong:
		return http.StatusRequestEntityTooLarge
	case errNoMemory:
		return http.StatusServiceUnavailable
	}
	return 0
}

// decodedShare is how much memory a message takes once it is decoded, by its length.
const decodedShare = 4

// readWhole reads a message to its end. What it takes of memory is counted as it arrives.
func (s *Server) readWhole(from io.Reader, share *memory.Share) ([]byte, error) {
	const step = 32 << 10
	var whole []byte
	for {
		if len(whole) > s.options.MessageBytesMax {
			return nil, errTooLong{s.options.MessageBytesMax}
		}
		if cap(whole)-len(whole) < step/2 {
			grown := max(step, cap(whole)*2)
			if !share.Hold(int64(grown * decodedShare)) {
				return nil, errNoMemory{}
			}
			whole = append(make([]byte, 0, grown), whole...)
		}
		n, err := from.Read(whole[len(whole):cap(whole)])
		whole = whole[:len(whole)+n]
		switch {
		case err == io.EOF:
			return whole, nil
		case err != nil:
			return nil, err
		}
	}
}
