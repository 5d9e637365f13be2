// SPDX-License-Identifier: Apache-2.0

package console

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// scrapesMax bounds how many readers of /metrics are served at once; more get 503.
const scrapesMax = 4

// Options is what the door needs. Metrics and Ready must be set.
type Options struct {
	Metrics prometheus.Gatherer
	// Ready returns nil while requests are served, else why they are not. It is called for each /readyz and must be quick.
	Ready func() error
	// Log receives failures to read metrics. Default: nothing is logged.
	Log *slog.Logger
	// Pages are the pages about tables, by path: they answer GET.
	Pages map[string]http.HandlerFunc
}

// Handler answers the admin port.
//
//	GET /healthz   200 "ok": the process is alive and answers
//	GET /readyz    200 "ready", or 503 and the reason: starting, draining, disk full
//	GET /metrics   Prometheus's text format
//	GET <Pages>    what else the server tells of its tables
//
// Everything else is 404, or 405 for methods other than GET and HEAD.
func Handler(o Options) http.Handler {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusOK, "ok") })
	mux.HandleFunc("GET /readyz", readyz(o.Ready))
	mux.Handle("GET /metrics", promhttp.HandlerFor(o.Metrics, promhttp.HandlerOpts{
		ErrorLog:            scrapeLog{o.Log},
		ErrorHandling:       promhttp.ContinueOnError,
		MaxRequestsInFlight: scrapesMax,
	}))
	for path, page := range o.Pages {
		mux.HandleFunc("GET "+path, page)
	}
	mux.HandleFunc("GET /", notFound)
	return hardened(mux)
}

func readyz(ready func() error) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		if err := ready(); err != nil {
			answer(w, http.StatusServiceUnavailable, "not ready: "+err.Error())
			return
		}
		answer(w, http.StatusOK, "ready")
	}
}

func notFound(w http.ResponseWriter, _ *http.Request) {
	answer(w, http.StatusNotFound, "no such page: this port answers /healthz, /readyz and /metrics")
}

// answer writes one line of plain text that no cache keeps.
func answer(w http.ResponseWriter, status int, line string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, line+"\n") // the client is gone; nobody to tell
}

// hardened adds the headers by which a browser treats no answer as anything but what it says it is.
func hardened(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header.Set("X-Content-Type-Options", "nosniff")
		header.Set("Content-Security-Policy", "default-src 'self'; frame-ancestors 'none'")
		header.Set("Referrer-Policy", "no-referrer")
		next.ServeHTTP(w, r)
	})
}

// scrapeLog is the logger that promhttp asks for.
type scrapeLog struct{ log *slog.Logger }

// Println logs one failure.
func (l scrapeLog) Println(v ...any) {
	l.log.Error("metrics could not be read", "error", fmt.Sprint(v...))
}
