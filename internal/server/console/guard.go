// SPDX-License-Identifier: Apache-2.0

package console

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"net"
	"net/http"
	"net/http/pprof"
	"net/netip"
	"strings"
	"sync"
	"time"
)

// How long a client may take to take an answer: some time, and more for each byte of it.
const (
	answerGrace          = 10 * time.Second
	answerBytesPerSecond = 1 << 20
)

// whole makes the answer in memory and sends it with a time limit of its own, so that a slow reader holds nothing
// but its connection.
func whole(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		answer := pendingAnswer{header: w.Header(), status: http.StatusOK}
		next(&answer, r)
		size := time.Duration(answer.body.Len())
		// It fails only on a closed connection, and under a test's recorder.
		_ = http.NewResponseController(w).SetWriteDeadline(
			time.Now().Add(answerGrace + size*time.Second/answerBytesPerSecond))
		w.WriteHeader(answer.status)
		_, _ = w.Write(answer.body.Bytes()) // the client is gone; nobody to tell
	}
}

// pendingAnswer is an answer that is being made.
type pendingAnswer struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// Header implements http.ResponseWriter.
func (h *pendingAnswer) Header() http.Header { return h.header }

// WriteHeader implements http.ResponseWriter.
func (h *pendingAnswer) WriteHeader(status int) { h.status = status }

// Write implements http.ResponseWriter.
func (h *pendingAnswer) Write(b []byte) (int, error) { return h.body.Write(b) }

// profiles adds Go's own pages. They show what is in memory and take processor time.
func profiles(mux *http.ServeMux, judge Judge) {
	for path, page := range map[string]http.HandlerFunc{
		"": pprof.Index, "cmdline": pprof.Cmdline, "profile": pprof.Profile, "symbol": pprof.Symbol,
		"trace": pprof.Trace,
	} {
		mux.HandleFunc("GET /debug/pprof/"+path, func(w http.ResponseWriter, r *http.Request) {
			if fault := judge(r, Administrators); fault != nil {
				fault.answer(w)
				return
			}
			page(w, r)
		})
	}
}

// Access says for whom a page is.
type Access int

// The kinds of pages.
const (
	Anyone  Access = iota // who reaches the port
	Readers               // who may see keys of rows: from other machines, administrators
	// pages for people who have not signed in yet; no page of another site may ask for them
	Visitors
	// pages where each request is judged by the rights of who has signed in; the web console asks for them
	Users
	Administrators // pages that change something, and profiles; no web page may ask for them
)

// Judge says why a request is refused a page; nil is that it isn't.
type Judge func(r *http.Request, page Access) *Refusal

// Refusal is the answer to a request that is refused.
type Refusal struct {
	Status int
	Reason string
}

func (f *Refusal) answer(w http.ResponseWriter) {
	if f.Status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", "Bearer")
	}
	answer(w, f.Status, f.Reason)
}

// Local is the Judge of a port where nobody signs in: programs on this machine are administrators.
func Local(r *http.Request, page Access) *Refusal {
	if (page == Administrators || page == Users) && !FromHere(r) {
		return &Refusal{http.StatusForbidden, "this page is for requests from this machine"}
	}
	return nil
}

// FromHere reports whether a program on this machine asks: over the loopback interface, or from the very address that
// it asks.
func FromHere(r *http.Request) bool {
	at, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return false
	}
	local, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	return at.Addr().Unmap().IsLoopback() || ok && local.AddrPort().Addr().Unmap() == at.Addr().Unmap()
}

// ConsoleHeader is a header that the web console sends with each request to a page for Users or Visitors. A page of
// another site can't send it without asking first, and the port never agrees.
const ConsoleHeader = "X-Weft-Console"

// refusePages refuses what a web page of another site asks for: a browser lets any page send requests to any port, and
// names the page's origin in those that change something.
func refusePages(judge Judge) Judge {
	return func(r *http.Request, page Access) *Refusal {
		site, origin := r.Header.Get("Sec-Fetch-Site"), r.Header.Get("Origin")
		switch page {
		case Administrators:
			if origin != "" || site != "" && site != "none" && site != "same-origin" {
				return &Refusal{http.StatusForbidden, "web pages may not ask for this: use weft or another program"}
			}
		case Visitors, Users:
			// a proxy may change the host, and browsers vouch for the site
			if site != "" && site != "same-origin" || site == "" && origin != "" && !isOwn(origin, r) {
				return &Refusal{http.StatusForbidden, "web pages of other sites may not ask for this"}
			}
			if r.Header.Get(ConsoleHeader) == "" {
				return &Refusal{http.StatusForbidden,
					"the header " + ConsoleHeader + " is missing: send it with the value 1"}
			}
		}
		return judge(r, page)
	}
}

// isOwn reports whether an origin is this port, by the name that the request calls it.
func isOwn(origin string, r *http.Request) bool {
	_, host, found := strings.Cut(origin, "://")
	return found && strings.EqualFold(host, r.Host)
}

// guardPage answers a page for those whom it is for.
func guardPage(page Page, judge Judge) http.Handler {
	next := page.Handler
	if !page.Streams {
		next = whole(page.Handler)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if fault := judge(r, page.For); fault != nil {
			fault.answer(w)
			return
		}
		next(w, r)
	})
}

// refuseForeignNames refuses requests that call the port by a name that is not the server's.
func refuseForeignNames(next http.Handler, allows func(host string) bool) http.Handler {
	if allows == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !allows(r.Host) {
			answer(w, http.StatusMisdirectedRequest,
				"this server does not go by that name: call it localhost, or by its IP address, or start it with --hosts NAME")
			return
		}
		next.ServeHTTP(w, r)
	})
}

// Limits of sessions.
const (
	sessionsMax     = 1000
	sessionsUserMax = 20
	sessionLife     = 12 * time.Hour
	sessionIdle     = 2 * time.Hour
)

// SessionPrefix begins the token of every session, which tells it from tokens that are kept in the store.
const SessionPrefix = "session-"

// Sessions are the people who have signed in to the web console. They are in memory alone: a restart ends them. The
// zero value is ready, and safe for concurrent use.
type Sessions struct {
	mu sync.Mutex
	// by the hash of the token, so that looking one up takes no time that tells of it
	open map[[sha256.Size]byte]*session
}

type session struct {
	user, credential string
	begun, asked     time.Time
}

// Open begins a session of a user, who signed in with a credential, and returns its token. Of too many sessions of the
// user, the one that was quiet for longest ends; of too many in all, that of all.
func (s *Sessions) Open(user, credential string, now time.Time) (token string) {
	token = SessionPrefix + rand.Text()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open == nil {
		s.open = map[[sha256.Size]byte]*session{}
	}
	s.sweep(user, now)
	s.open[sha256.Sum256([]byte(token))] = &session{user, credential, now, now}
	return token
}

// sweep ends sessions that are over, and makes room for another one of a user.
func (s *Sessions) sweep(user string, now time.Time) {
	own := 0
	for id, one := range s.open {
		if one.isOver(now) {
			delete(s.open, id)
		} else if one.user == user {
			own++
		}
	}
	switch {
	case own >= sessionsUserMax:
		s.endQuietest(func(one *session) bool { return one.user == user })
	case len(s.open) >= sessionsMax:
		s.endQuietest(func(*session) bool { return true })
	}
}

// endQuietest ends the session that was quiet for longest, of those that match.
func (s *Sessions) endQuietest(matches func(*session) bool) {
	var quietest [sha256.Size]byte
	var since time.Time
	for id, one := range s.open {
		if matches(one) && (since.IsZero() || one.asked.Before(since)) {
			quietest, since = id, one.asked
		}
	}
	delete(s.open, quietest)
}

func (s *session) isOver(now time.Time) bool {
	return now.Sub(s.begun) > sessionLife || now.Sub(s.asked) > sessionIdle
}

// User returns whose session a token is of, and with which credential it began.
func (s *Sessions) User(token string, now time.Time) (user, credential string, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	one := s.open[sha256.Sum256([]byte(token))]
	if one == nil || one.isOver(now) {
		return "", "", false
	}
	one.asked = now
	return one.user, one.credential, true
}

// Close ends a session.
func (s *Sessions) Close(token string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, sha256.Sum256([]byte(token)))
}
