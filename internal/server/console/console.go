// SPDX-License-Identifier: Apache-2.0

package console

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"slices"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	dto "github.com/prometheus/client_model/go"
)

// scrapesMax bounds how many readers of /metrics are served at once; more get 503.
const scrapesMax = 4

// Options configures the console. Metrics and Ready must be set.
type Options struct {
	Metrics prometheus.Gatherer
	// Ready returns nil while requests are served, else why they are not. It is called for each /readyz and must be
	// quick.
	Ready func() error
	// Log receives failures to read metrics. Default: nothing is logged.
	Log *slog.Logger
	// Pages are the pages about tables and users.
	Pages []Page
	// Hosts says by which names clients may call the port. Default: by any.
	Hosts func(host string) bool
	// Judge decides on the pages that a visitor may see. Default: Local.
	Judge Judge
	// Names reports whether a client may learn the names of tables and indexes from metrics. Default: all clients may.
	Names func(r *http.Request) bool
}

// Page is one page of the port.
type Page struct {
	Pattern string // method and path, as http.ServeMux takes it
	Help    string // what the page tells, in a few words
	For     Access
	Handler http.HandlerFunc
	// Streams says that the handler sends its answer as it makes it, with time limits of its own.
	Streams bool
}

// Handler answers the admin port.
//
//	GET /              a list of all pages; a browser is sent to the web console
//	GET /console/      the web console
//	GET /api/overview  what its first page shows, as JSON or as events
//	GET /healthz       200 "ok": the process is alive and answers
//	GET /readyz        200 "ready", or 503 and the reason: starting, draining, disk full
//	GET /metrics       Prometheus's text format
//	GET /debug/pprof/  Go's profiles, for administrators
//	Pages              what else the server tells
//
// Everything else is 404, or 405 for methods that a page does not take.
func Handler(o Options) http.Handler {
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	if o.Judge == nil {
		o.Judge = Local
	}
	judge := refusePages(o.Judge)
	folder, err := fs.Sub(built, "dist")
	assets, readErr := readAssets(folder)
	if err != nil || readErr != nil {
		// it is part of the binary, and a test reads it
		o.Log.Error("the web console can't be read", "error", errors.Join(err, readErr))
	}
	pages := append([]Page{
		{Pattern: "GET /healthz", Help: "whether the process is alive", For: Anyone,
			Handler: func(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusOK, "ok") }},
		{Pattern: "GET /readyz", Help: "whether requests are served, or why not", For: Anyone,
			Handler: readyz(o.Ready)},
		{Pattern: "GET /metrics", Help: "metrics in Prometheus's text format", For: Anyone, Handler: metrics(&o)},
		{Pattern: "GET /console/", Help: "the web console, for a browser", For: Anyone, Handler: serveAssets(assets)},
		{Pattern: "GET /api/overview", Help: "requests, latencies and resources, as JSON or server-sent events",
			For: Anyone, Handler: overviews(&o), Streams: true},
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

// metrics answers GET /metrics, without metrics of tables for visitors who may not learn their names.
func metrics(o *Options) http.HandlerFunc {
	handler := func(of prometheus.Gatherer) http.Handler {
		return promhttp.HandlerFor(of, promhttp.HandlerOpts{ErrorLog: scrapeLog{o.Log},
			ErrorHandling: promhttp.ContinueOnError, MaxRequestsInFlight: scrapesMax})
	}
	all, nameless := handler(o.Metrics), handler(prometheus.GathererFunc(func() ([]*dto.MetricFamily, error) {
		families, err := o.Metrics.Gather()
		return slices.DeleteFunc(families, isOfTables), err
	}))
	return func(w http.ResponseWriter, r *http.Request) {
		if o.Names == nil || o.Names(r) {
			all.ServeHTTP(w, r)
			return
		}
		nameless.ServeHTTP(w, r)
	}
}

// isOfTables reports whether a metric is one of tables or indexes.
func isOfTables(f *dto.MetricFamily) bool {
	return slices.ContainsFunc(f.GetMetric(), func(m *dto.Metric) bool {
		return slices.ContainsFunc(m.GetLabel(),
			func(l *dto.LabelPair) bool { return l.GetName() == "table" || l.GetName() == "index" })
	})
}

// index lists the pages.
func index(pages []Page) http.HandlerFunc {
	var text strings.Builder
	for _, page := range append(pages, Page{Pattern: "GET /debug/pprof/",
		Help: "profiles of the process, for administrators"}) {
		fmt.Fprintf(&text, "%-28s %s\n", page.Pattern, page.Help)
	}
	list := strings.TrimSuffix(text.String(), "\n")
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Vary", "Accept")
		if showsHTML(r) {
			// relative: a proxy may have a path in front
			w.Header().Set("Location", strings.TrimPrefix(assetsPath, "/"))
			w.WriteHeader(http.StatusFound)
			return
		}
		answer(w, http.StatusOK, list)
	}
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
		header.Set("Content-Security-Policy",
			"default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
		header.Set("X-Frame-Options", "DENY")
		header.Set("Cross-Origin-Opener-Policy", "same-origin")
		header.Set("Cross-Origin-Resource-Policy", "same-origin")
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
