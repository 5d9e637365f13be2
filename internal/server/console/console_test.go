// SPDX-License-Identifier: Apache-2.0

package console

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/prometheus/client_golang/prometheus"
)

// TestHandler sends requests to the handler and prints its answers.
func TestHandler(t *testing.T) {
	var reason error
	var log bytes.Buffer
	registry := prometheus.NewRegistry()
	handler := Handler(Options{Metrics: registry, Ready: func() error { return reason }, Log: slog.New(slog.NewTextHandler(&log, nil)), Hosts: func(host string) bool { return !strings.Contains(host, "attacker") },
		Pages: []Page{{"POST /things", "changes things", Administrators, func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", http.StatusTeapot) }}}})
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
			registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "bad"}, func() float64 { return 0 }), broken{})
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
		{"127.0.0.1:5000", "127.0.0.1:8080", true}, {"[::1]:5000", "[::1]:8080", true}, {"192.0.2.7:5000", "192.0.2.7:8080", true}, {"[::ffff:192.0.2.7]:5000", "192.0.2.7:8080", true},
		{"192.0.2.8:5000", "192.0.2.7:8080", false}, {"192.0.2.8:5000", "", false}, {"", "", false}, {"@", "192.0.2.7:8080", false},
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.RemoteAddr = one.from
		if one.to != "" {
			r = r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, net.TCPAddrFromAddrPort(netip.MustParseAddrPort(one.to))))
		}
		if FromHere(r) != one.want {
			t.Errorf("from %s to %s: %v", one.from, one.to, !one.want)
		}
	}
}
