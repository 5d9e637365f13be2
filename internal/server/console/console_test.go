// SPDX-License-Identifier: Apache-2.0

package console

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/weftdb/weft/internal/resource/metric"
)

// TestHandler sends requests to the handler and prints its answers.
func TestHandler(t *testing.T) {
	var reason error
	var log bytes.Buffer
	registry := prometheus.NewRegistry()
	handler := Handler(Options{Metrics: registry, Ready: func() error { return reason },
		Log:   slog.New(slog.NewTextHandler(&log, nil)),
		Hosts: func(host string) bool { return !strings.Contains(host, "attacker") },
		Pages: []Page{{Pattern: "POST /things", Help: "changes things", For: Administrators,
			Handler: func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", http.StatusTeapot) }}}})
	datadriven.RunTest(t, "testdata/console.txt", func(t *testing.T, d *datadriven.TestData) string {
		switch d.Cmd {
		case "ready":
			reason = nil
		case "unready":
			reason = errors.New(d.Input)
		case "counter":
			c := prometheus.NewCounter(prometheus.CounterOpts{Name: d.CmdArgs[0].Key, Help: "Things."})
			c.Add(3)
			registry.MustRegister(c)
		case "broken":
			registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "bad"},
				func() float64 { return 0 }), broken{})
		case "log":
			_, message, _ := strings.Cut(log.String(), " level=")
			return fmt.Sprintf("%.80s\n", message)
		default:
			return request(handler, d)
		}
		return ""
	})
}

// request sends a request, with the headers of the input, and prints status, headers and body of an answer.
func request(handler http.Handler, d *datadriven.TestData) string {
	recorder := httptest.NewRecorder()
	r := httptest.NewRequest(d.Cmd, d.CmdArgs[0].Key, nil)
	r.Host, r.RemoteAddr = "127.0.0.1:8080", "127.0.0.1:5000"
	for line := range strings.Lines(d.Input) {
		switch name, value, _ := strings.Cut(strings.TrimSpace(line), ": "); name {
		case "Host":
			r.Host = value
		case "From":
			r.RemoteAddr = value
		default:
			r.Header.Set(name, value)
		}
	}
	handler.ServeHTTP(recorder, r)
	if d.HasArg("status") {
		return fmt.Sprintln(recorder.Code)
	}
	var out strings.Builder
	fmt.Fprintln(&out, recorder.Code)
	for _, name := range slices.Sorted(maps.Keys(recorder.Header())) {
		fmt.Fprintf(&out, "%s: %s\n", name, recorder.Header().Get(name))
	}
	fmt.Fprintf(&out, "%s", recorder.Body)
	return out.String()
}

// broken is a collector that fails.
type broken struct{}

func (broken) Describe(chan<- *prometheus.Desc) {}
func (broken) Collect(metrics chan<- prometheus.Metric) {
	metrics <- prometheus.NewInvalidMetric(prometheus.NewDesc("bad_too", "", nil, nil), errors.New("sensor lost"))
}

// TestFromHere: who asks from the address that it asks is on this machine, as is who uses a loopback address.
func TestFromHere(t *testing.T) {
	for _, one := range []struct {
		from, to string
		want     bool
	}{
		{"127.0.0.1:5000", "127.0.0.1:8080", true}, {"[::1]:5000", "[::1]:8080", true},
		{"192.0.2.7:5000", "192.0.2.7:8080", true}, {"[::ffff:192.0.2.7]:5000", "192.0.2.7:8080", true},
		{"192.0.2.8:5000", "192.0.2.7:8080", false}, {"192.0.2.8:5000", "", false}, {"", "", false},
		{"@", "192.0.2.7:8080", false},
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.RemoteAddr = one.from
		if one.to != "" {
			r = r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey,
				net.TCPAddrFromAddrPort(netip.MustParseAddrPort(one.to))))
		}
		if FromHere(r) != one.want {
			t.Errorf("from %s to %s: %v", one.from, one.to, !one.want)
		}
	}
}

// TestAssets: the web console is there, and each of its files comes compressed and not, with the same tag.
func TestAssets(t *testing.T) {
	handler := Handler(Options{Metrics: prometheus.NewRegistry(), Ready: func() error { return nil }})
	ask := func(path, encoding string) *httptest.ResponseRecorder {
		recorder := httptest.NewRecorder()
		r := httptest.NewRequest("GET", path, nil)
		r.Header.Set("Accept-Encoding", encoding)
		handler.ServeHTTP(recorder, r)
		return recorder
	}
	for _, name := range []string{"", "index.js", "style.css", "icon.svg"} {
		plain, compressed := ask("/console/"+name, ""), ask("/console/"+name, "gzip, br")
		reader, err := gzip.NewReader(compressed.Body)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		content, err := io.ReadAll(reader)
		if err != nil || len(content) == 0 || !bytes.Equal(content, plain.Body.Bytes()) ||
			plain.Header().Get("ETag") != compressed.Header().Get("ETag") {
			t.Errorf("%s: %d bytes, %d plain, %v", name, len(content), plain.Body.Len(), err)
		}
	}
}

// TestOverview sums the requests of a protocol up, by outcome and by duration.
func TestOverview(t *testing.T) {
	set := metric.New(metric.Build{Version: "v"})
	for i, outcome := range []metric.Outcome{metric.OK, metric.Refused, metric.Failed, metric.Conflict} {
		o := set.Protocol("dynamodb").Operation([]string{"GetItem", "PutItem"}[i%2])
		o.Begin()
		o.End(metric.Request{Outcome: outcome, Seconds: 0.0002 * float64(1+i)})
	}
	now, err := measure(set.Gatherer(), time.UnixMilli(5))
	if err != nil {
		t.Fatal(err)
	}
	got := *now.Protocols["dynamodb"]
	if want := (protocolTotal{Requests: 4, Failed: 1, Refused: 2, Within: got.Within}); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
	if want := []float64{0, 1, 2, 4}; !slices.Equal(got.Within[:4], want) || now.Version != "v" || now.At != 5 ||
		len(now.Bounds) != len(got.Within) {
		t.Errorf("%v within %v, %+v", got.Within, now.Bounds, now)
	}
}

// TestSessions: a session ends when it is closed, quiet or old, and when too many of a user or in all are open.
func TestSessions(t *testing.T) {
	var s Sessions
	now := time.UnixMilli(0)
	token := s.Open("ann", "c", now)
	if user, credential, ok := s.User(token, now.Add(sessionIdle)); user != "ann" || credential != "c" || !ok {
		t.Error("the session is lost")
	}
	if _, _, ok := s.User(token, now.Add(2*sessionIdle+1)); ok {
		t.Error("a quiet session goes on")
	}
	token = s.Open("ben", "c", now)
	for at := now; at.Before(now.Add(sessionLife)); at = at.Add(sessionIdle / 2) {
		if _, _, ok := s.User(token, at); !ok {
			t.Error("the session ended early")
		}
	}
	if _, _, ok := s.User(token, now.Add(sessionLife+1)); ok {
		t.Error("an old session goes on")
	}
	first, own := s.Open("first", "c", now), s.Open("more", "c", now)
	for range sessionsUserMax {
		token = s.Open("more", "c", now.Add(1))
	}
	if _, _, ok := s.User(first, now); !ok {
		t.Error("a user's sessions end another's")
	}
	if _, _, ok := s.User(own, now); ok {
		t.Errorf("a user has more than %d sessions", sessionsUserMax)
	}
	for i := range sessionsMax {
		token = s.Open("user "+strconv.Itoa(i), "c", now.Add(2))
	}
	if _, _, ok := s.User(first, now.Add(2)); ok || len(s.open) > sessionsMax {
		t.Errorf("%d sessions", len(s.open))
	}
	s.Close(token)
	if _, _, ok := s.User(token, now.Add(2)); ok {
		t.Error("a closed session goes on")
	}
}

// TestForeignPages: web pages of other sites may not ask for what changes something, nor who forgets the console's
// header.
func TestForeignPages(t *testing.T) {
	judge := refusePages(func(*http.Request, Access) *Refusal { return nil })
	for _, one := range []struct {
		page    Access
		headers string
		want    bool
	}{
		{Users, "X-Weft-Console: 1", true}, {Users, "", false}, {Readers, "Origin: http://evil", true},
		{Users, "X-Weft-Console: 1\nOrigin: http://127.0.0.1:8080", true},
		{Users, "X-Weft-Console: 1\nOrigin: http://127.0.0.1:8081", false},
		{Users, "X-Weft-Console: 1\nOrigin: null", false}, {Visitors, "X-Weft-Console: 1\nOrigin: http://evil", false},
		{Users, "X-Weft-Console: 1\nSec-Fetch-Site: same-origin\nOrigin: https://weft.example", true}, // behind a proxy
		{Users, "X-Weft-Console: 1\nSec-Fetch-Site: cross-site\nOrigin: http://127.0.0.1:8080", false},
		{Users, "X-Weft-Console: 1\nSec-Fetch-Site: none", false},
		{Administrators, "X-Weft-Console: 1\nOrigin: http://127.0.0.1:8080", false}, {Administrators, "", true},
	} {
		r := httptest.NewRequest("POST", "/api/sql", nil)
		r.Host = "127.0.0.1:8080"
		for line := range strings.Lines(one.headers) {
			if name, value, found := strings.Cut(strings.TrimSpace(line), ": "); found {
				r.Header.Set(name, value)
			}
		}
		if (judge(r, one.page) == nil) != one.want {
			t.Errorf("%v %q: %v", one.page, one.headers, !one.want)
		}
	}
}
