// SPDX-License-Identifier: Apache-2.0

package console

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
)

// TestStreams: one more than there may be ends the one that began first.
func TestStreams(t *testing.T) {
	s := &streams{most: 2}
	first, leaveFirst := s.join(t.Context())
	second, leaveSecond := s.join(t.Context())
	if first.Err() != nil {
		t.Error("a stream ends though there is room")
	}
	third, leaveThird := s.join(t.Context())
	if first.Err() == nil || second.Err() != nil || third.Err() != nil {
		t.Errorf("of three streams: %v, %v, %v", first.Err(), second.Err(), third.Err())
	}
	leaveFirst()
	leaveSecond()
	if fourth, leave := s.join(t.Context()); fourth.Err() != nil || third.Err() != nil {
		t.Error("a stream that left has a place still")
	} else {
		leave()
	}
	leaveThird()
	if len(s.open) != 0 {
		t.Errorf("%d streams are open in the end", len(s.open))
	}
}

// TestNames: who may not learn the names of tables gets the other metrics.
func TestNames(t *testing.T) {
	registry := prometheus.NewRegistry()
	registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "of_all"}, func() float64 { return 1 }))
	for _, label := range []string{"table", "index", "kind"} {
		registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "of_" + label,
			ConstLabels: prometheus.Labels{label: "secret"}}, func() float64 { return 1 }))
	}
	handler := Handler(Options{Metrics: registry,
		Names: func(r *http.Request) bool { return r.Header.Get("Authorization") != "" }})
	for token, want := range map[string]string{"": "of_all of_kind", "x": "of_all of_index of_kind of_table"} {
		r := httptest.NewRequest("GET", "/metrics", nil)
		if token != "" {
			r.Header.Set("Authorization", token)
		}
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		var names []string
		for line := range strings.Lines(w.Body.String()) {
			if !strings.HasPrefix(line, "#") {
				names = append(names, line[:strings.IndexAny(line, "{ ")])
			}
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("with token %q: %s, not %s", token, got, want)
		}
	}
}
