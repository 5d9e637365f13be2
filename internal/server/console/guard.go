// SPDX-License-Identifier: Apache-2.0

package console

import (
	"bytes"
	"net"
	"net/http"
	"net/http/pprof"
	"net/netip"
	"strings"
	"time"
)

// How long a client may take to take an answer: some time, and more for each byte of it.
const (
	answerGrace          = 10 * time.Second
	answerBytesPerSecond = 1 << 20
)

// whole makes the answer in memory and sends it with a time limit of its own, so that who reads slowly holds nothing but its connection.
func whole(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		answer := held{header: w.Header(), status: http.StatusOK}
		next(&answer, r)
		size := time.Duration(answer.body.Len())
		// It fails only on a closed connection, and under a test's recorder.
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(answerGrace + size*time.Second/answerBytesPerSecond))
		w.WriteHeader(answer.status)
		_, _ = w.Write(answer.body.Bytes()) // the client is gone; nobody to tell
	}
}

// held is an answer that is being made.
type held struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// Header implements http.ResponseWriter.
func (h *held) Header() http.Header { return h.header }

// WriteHeader implements http.ResponseWriter.
func (h *held) WriteHeader(status int) { h.status = status }

// Write implements http.ResponseWriter.
func (h *held) Write(b []byte) (int, error) { return h.body.Write(b) }

// profiles adds Go's own pages. They show what is in memory and take processor time, so they answer this machine alone until somebody can sign in.
func profiles(mux *http.ServeMux) {
	for path, page := range map[string]http.HandlerFunc{
		"": pprof.Index, "cmdline": pprof.Cmdline, "profile": pprof.Profile, "symbol": pprof.Symbol, "trace": pprof.Trace,
	} {
		mux.HandleFunc("GET /debug/pprof/"+path, func(w http.ResponseWriter, r *http.Request) {
			if !isLoopback(r.RemoteAddr) || r.Header.Get("Origin") != "" || crossSite(r) {
				answer(w, http.StatusForbidden, "profiles are for requests from this machine")
				return
			}
			page(w, r)
		})
	}
}

// crossSite says whether a web page of another site asks.
func crossSite(r *http.Request) bool {
	site := r.Header.Get("Sec-Fetch-Site")
	return site != "" && site != "none" && site != "same-origin"
}

// isLoopback says whether a host:port is on this machine.
func isLoopback(address string) bool {
	at, err := netip.ParseAddrPort(address)
	return err == nil && at.Addr().Unmap().IsLoopback()
}

// refuseForeignNames refuses requests that call the port by a name that is not this machine's own, if it listens on this machine alone.
func refuseForeignNames(next http.Handler, loopbackOnly bool) http.Handler {
	if !loopbackOnly {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !isOwnName(r.Host) {
			answer(w, http.StatusMisdirectedRequest, "this port is called localhost, or by its IP address")
			return
		}
		next.ServeHTTP(w, r)
	})
}

// isOwnName says whether host, perhaps with a port, is an address or localhost: names that no foreign server of names can give a meaning.
func isOwnName(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.TrimSuffix(strings.ToLower(strings.Trim(host, "[]")), ".")
	_, err := netip.ParseAddr(host)
	return err == nil || host == "" || host == "localhost" || strings.HasSuffix(host, ".localhost")
}
