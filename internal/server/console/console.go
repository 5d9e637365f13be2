// SPDX-License-Identifier: Apache-2.0

package console

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// scrapesMax bounds how many readers of /metrics are served at once; more get 503.
const scrapesMax = 4

// Options configures the console. Metrics and Ready must be set.
type Options struct {
	Metrics prometheus.Gatherer
	// Ready returns nil while requests are served, else why they are not. It is called for each /readyz and must be quick.
	Ready func() error
	// Log receives failures to read metrics. Default: nothing is logged.
	Log *slog.Logger
	// Pages are the pages about tables and users.
	Pages []Page
	// Hosts says by which names clients may call the port. Default: by any.
	Hosts func(host string) bool
	// Judge says who may see which pages. Default: Local.
	Judge Judge
}

// Page is one page of the port.
type Page struct {
	Pattern string // method and path, as http.ServeMux takes it
	Help    string // what the page tells, in a few words
	For     Access
	Handler http.HandlerFunc
}

// Handler answers the admin port.
//
//	GET /              a list of all pages
//	GET /healthz       200 "ok": the process is alive and answers
//	GET /readyz        200 "ready", or 503 and the reason: starting, draining, disk full
//	GET /metrics       Prometheus's text format
//	GET /debug/pprof/  Go's profiles, for administrators
//	Pages              what else the server tells
//
// Everything else is 404, or 405 for methods that a page does not take.
func Handler(o Options) http.Handler {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	metrics := promhttp.HandlerFor(o.Metrics, promhttp.HandlerOpts{
		ErrorLog:            scrapeLog{o.Log},
		ErrorHandling:       promhttp.ContinueOnError,
		MaxRequestsInFlight: scrapesMax,
	})
	if o.Judge == nil {
		o.Judge = Local
	}
	judge := refusePages(o.Judge)
	pages := append([]Page{
		{"GET /healthz", "whether the process is alive", Anyone, func(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusOK, "ok") }},
		{"GET /readyz", "whether requests are served, or why not", Anyone, readyz(o.Ready)},
		{"GET /metrics", "metrics in Prometheus's text format", Anyone, metrics.ServeHTTP},
	}, o.Pages...)
	mux := http.NewServeMux()
	for _, page := range pages {
		mux.Handle(page.Pattern, guardPage(page, judge))
	}
	mux.HandleFunc("GET /{$}", index(pages))
	mux.HandleFunc("GET /", notFound)
	profiles(mux, judge)
	return setSecurityHeaders(refuseForeignNames(mux, o.Hosts))
}

// index lists the pages.
func index(pages []Page) http.HandlerFunc {
	var text strings.Builder
	for _, page := range append(pages, Page{"GET /debug/pprof/", "profiles of the process, for administrators", Administrators, nil}) {
		fmt.Fprintf(&text, "%-28s %s\n", page.Pattern, page.Help)
	}
	list := strings.TrimSuffix(text.String(), "\n")
	return func(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusOK, list) }
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
	answer(w, http.StatusNotFound, "no such page: GET / lists all")
}

// answer writes plain text that no cache keeps.
func answer(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, text+"\n") // the client is gone; nobody to tell
}

// setSecurityHeaders adds the headers by which a browser treats no answer as anything but what it says it is.
func setSecurityHeaders(next http.Handler) http.Handler {
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
	l.log.Error("failed to read the metrics", "error", fmt.Sprint(v...))
}
