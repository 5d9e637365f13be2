// SPDX-License-Identifier: Apache-2.0

package hbasethrift

import (
	"cmp"
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/weftdb/weft/internal/resource/memory"
	"github.com/weftdb/weft/internal/server/thriftwire"
)

// The headers by which clients sign in, as LindormTable has them. Basic authentication is taken as well.
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
		ConnContext: func(ctx context.Context,
			c net.Conn) context.Context {
			return context.WithValue(ctx, connKey{}, c)
		},

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
	share := s.options.Memory.share()
	defer share.Release()
	control := http.NewResponseController(w)
	body, err := s.readWhole(r.Context(), r.Body, r.ContentLength, &share, func() { _ = control.SetReadDeadline(past) })
	if err != nil {
		http.Error(w, err.Error(), cmp.Or(statusOf(err), http.StatusBadRequest))
		return
	}
	_ = control.SetReadDeadline(time.Time{})
	to, giveBack := s.room()
	defer giveBack()
	ok = s.answer(s.contextOf(r.Context(), c, user, host, &share), to, body, nil)
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
	_ = control.SetWriteDeadline(time.Now().Add(s.options.transferTime(len(answer))))
	// a client that is gone learns nothing any more
	_ = sendAll(w, answer, s.options.Memory, func() { _ = control.SetWriteDeadline(past) })
}

// past is a deadline that ends what waits for a client.
var past = time.Unix(1, 0) // immutable

// sendAll sends an answer. interrupt ends the sending from another goroutine, for when the client has stalled and
// others need the memory.
func sendAll(to io.Writer, answer []byte, of *Memory, interrupt func()) error {
	transfer := of.begin(interrupt)
	defer transfer.end()
	const step = 64 << 10
	for part := range slices.Chunk(answer, step) {
		n, err := to.Write(part)
		if err != nil {
			return err
		}
		transfer.move(n)
	}
	return nil
}

// turnAway answers a client that may not come in: in its protocol, since some of HBase's clients don't look at the
// status.
func (s *Server) turnAway(w http.ResponseWriter, r *http.Request, reason error) {
	w.Header().Set("WWW-Authenticate", `Basic realm="weft"`)
	head := make([]byte, 256) // as long as the name of a call
	n, _ := io.ReadFull(r.Body, head)
	answer := []byte(nil)
	if n > 0 {
		p := thriftwire.ProtocolOf(head[0])
		begin := thriftwire.NewReader(p, head[:n])
		answer = refusal(p, &begin, reason.Error())
	}
	if answer == nil {
		http.Error(w, reason.Error(), http.StatusUnauthorized)
		return
	}
	w.Header().Set("Content-Type", contentType)
	w.WriteHeader(http.StatusUnauthorized)
	_, _ = w.Write(answer)
}

// judgeWeb refuses requests that no client of HBase's makes. A web page can send messages, but not without saying that
// it is one.
func (s *Server) judgeWeb(r *http.Request) (status int, reason string) {
	switch {
	case s.options.Hosts != nil && !s.options.Hosts(r.Host):
		return http.StatusForbidden, "this server is not called " + r.Host +
			": the setting hosts lists the names that it answers to"
	case r.Header.Get("Origin") != "":
		return http.StatusForbidden, "web pages may not use this port"
	case r.Method != http.MethodPost:
		return http.StatusMethodNotAllowed, "this port speaks HBase's " + s.options.Version.String() +
			": send a message by POST"
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

// errStalled says that a message came too slowly while others waited for its memory.
type errStalled struct{}

func (errStalled) Error() string {
	return "the message came too slowly while other calls waited for its memory: try again"
}

func statusOf(err error) int {
	switch err.(type) {
	case errTooLong:
		return http.StatusRequestEntityTooLarge
	case errNoMemory, errStalled:
		return http.StatusServiceUnavailable
	}
	return 0
}

// decodedShare is the memory a message takes once it is decoded, by its length.
const decodedShare = 4

// readWhole reads a message to its end, which is after length bytes or, if length is negative, where the client says.
// What it takes of memory is counted as it arrives. interrupt ends the reading from another goroutine, for when the
// client has stalled and others need the memory.
func (s *Server) readWhole(ctx context.Context, from io.Reader, length int64, share *memory.Share,
	interrupt func()) (whole []byte, err error) {
	ctx, giveUp := context.WithCancel(ctx)
	defer giveUp()
	begin := func() *transfer { return s.options.Memory.begin(func() { giveUp(); interrupt() }) }
	transfer := begin()
	defer func() {
		if transfer.end() && err != nil {
			err = errStalled{}
		}
	}()
	for {
		if len(whole) > s.options.MessageBytesMax {
			return nil, errTooLong{s.options.MessageBytesMax}
		}
		if len(whole) == cap(whole) {
			// While it holds little it is not the client that is waited for.
			if length >= 0 && transfer.end() {
				return nil, errStalled{}
			}
			if whole, err = s.grow(ctx, whole, length, share); err != nil {
				return nil, err
			}
			if length >= 0 {
				transfer = begin()
			}
		}
		n, err := from.Read(whole[len(whole):cap(whole)])
		whole = whole[:len(whole)+n]
		transfer.move(n)
		switch {
		case err == io.EOF:
			return whole, nil
		case err != nil:
			return nil, err
		}
	}
}

// grow makes more room for a message, little at first. Then it is all that is known to come, and a byte in which its
// end is found.
func (s *Server) grow(ctx context.Context, whole []byte, length int64, share *memory.Share) ([]byte, error) {
	const least = 32 << 10
	room := max(least, cap(whole)*2)
	if length >= int64(cap(whole)) && (length < least || whole != nil) {
		room = int(length) + 1
	}
	if !s.options.Memory.await(ctx, share, int64(room*decodedShare)-share.Held(), s.options.WaitMax) {
		return nil, errNoMemory{}
	}
	return append(make([]byte, 0, room), whole...), nil
}
