// SPDX-License-Identifier: Apache-2.0

package hbasejson

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/hbase"
	"github.com/weftdb/weft/internal/hbase/filter"
	"github.com/weftdb/weft/internal/resource/metric"
	"github.com/weftdb/weft/internal/security/permission"
)

// Limits of requests.
const (
	scansMax   = 32     // that run at once
	rowsPreset = 1_000  // of an answer
	rowsMax    = 50_000 // that a request may ask for
	columnsMax = 1_000  // that a request may name
	pageRows   = 200    // that are sent at once
)

// partTimeout is in which time a client must take a part of an answer.
const partTimeout = 30 * time.Second

// Options are the settings of a Server. API must be set.
type Options struct {
	API *hbase.API
	// Principal returns the principal of a request. Default: none.
	Principal func(r *http.Request) *permission.Principal
	// Logger takes failures that clients are not told about. Default: nothing is logged.
	Logger *slog.Logger
	// Metrics counts scans. Default: they are not counted.
	Metrics *metric.Operation
}

// Server answers scans. It is safe for concurrent use.
type Server struct {
	options Options
	running atomic.Int32
}

// New makes a server.
func New(o Options) *Server {
	if o.Principal == nil {
		o.Principal = func(*http.Request) *permission.Principal { return &permission.Principal{} }
	}
	if o.Metrics == nil {
		o.Metrics = metric.New(metric.Build{}).Protocol("none").Operation("none")
	}
	o.Logger = cmp.Or(o.Logger, slog.New(slog.DiscardHandler))
	return &Server{options: o}
}

// request is the body of a request. Keys and columns are texts in which \xNN stands for a byte, as in HBase's shell.
type request struct {
	Table    string   `json:"table"` // or namespace:table
	Start    string   `json:"start"` // of the rows; empty: the first
	Stop     string   `json:"stop"`  // is no longer read; empty: all
	Reversed bool     `json:"reversed"`
	Columns  []string `json:"columns"`  // family or family:qualifier; none: all
	Filter   string   `json:"filter"`   // in HBase's language of filters
	Versions int      `json:"versions"` // of a column; 0: 1
	RowsMax  int      `json:"rowsMax"`  // after which the answer ends; 0: 1,000
	Explain  string   `json:"explain"`  // "plan" or "analyze" asks how the scan is read in place of its rows
}

// scan is the scan that a request asks for. It asks for one row more than the answer has, to know whether there are
// more.
func (q *request) scan() (name hbase.TableName, scan *hbase.Scan, err error) {
	switch {
	case q.Explain != "" && q.Explain != "plan" && q.Explain != analyze:
		return name, nil, hbase.Illegal("explain must be plan or analyze")
	case q.RowsMax < 0 || q.RowsMax > rowsMax:
		return name, nil, hbase.Illegal("rowsMax must be 1 to %d", rowsMax)
	case q.Versions < 0:
		return name, nil, hbase.Illegal("versions must be 1 or more")
	case len(q.Columns) > columnsMax:
		return name, nil, hbase.Illegal("a scan may name %d columns: take a whole family", columnsMax)
	}
	q.RowsMax = cmp.Or(q.RowsMax, rowsPreset)
	if name, err = hbase.ParseTableName([]byte(q.Table)); err != nil {
		return name, nil, err
	}
	scan = &hbase.Scan{Start: bytesOf(q.Start), Stop: bytesOf(q.Stop), Reversed: q.Reversed, Limit: q.RowsMax + 1}
	scan.Versions = q.Versions
	for _, text := range q.Columns {
		scan.Add(columnOf(text))
	}
	if q.Filter != "" {
		f, err := filter.Parse([]byte(q.Filter))
		if err != nil {
			return name, nil, hbase.Illegal("%s", err)
		}
		scan.Filter = f
	}
	return name, scan, nil
}

// ServeHTTP runs the scan of a request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var asked request
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
		http.Error(w, `the body must be JSON, such as {"table": "t", "start": "a"}: `+err.Error(),
			http.StatusBadRequest)
		return
	}
	name, scan, err := asked.scan()
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if s.running.Add(1) > scansMax {
		s.running.Add(-1)
		http.Error(w, "too many scans are running: try again", http.StatusServiceUnavailable)
		return
	}
	defer s.running.Add(-1)
	w.Header().Set("Content-Type", "application/x-ndjson")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Accel-Buffering", "no") // for proxies that would collect lines
	ctx := permission.NewContext(r.Context(), s.options.Principal(r))
	answer := &answer{w: w, control: http.NewResponseController(w), rowsMax: asked.RowsMax}
	s.options.Metrics.Begin()
	begun := time.Now()
	err = s.run(ctx, name, scan, asked.Explain, answer)
	s.options.Metrics.End(metric.Request{Outcome: outcomeOf(ctx, err), Seconds: time.Since(begun).Seconds()})
	answer.finish(err, s.options.Logger)
}

// run reads rows and sends them, or how they are read. Errors: hbase's, and those of a client that is gone.
func (s *Server) run(ctx context.Context, name hbase.TableName, scan *hbase.Scan, how string, to *answer) error {
	scanner, err := s.options.API.OpenScanner(ctx, name, scan)
	if err != nil {
		return err
	}
	defer func() {
		n := scanner.Counts()
		s.options.Metrics.Read(n.Looked(), n.Returned)
	}()
	if how != "" {
		return explain(ctx, scanner, scan, how, to)
	}
	for !scanner.IsDone() {
		page, err := scanner.Next(ctx, pageRows)
		if err == nil {
			err = to.send(page)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// outcomeOf sorts the end of a scan for the metrics.
func outcomeOf(ctx context.Context, err error) metric.Outcome {
	_, refused := errors.AsType[*hbase.Fault](err)
	switch {
	case ctx.Err() != nil:
		return metric.Canceled
	case err == nil:
		return metric.OK
	case refused:
		return metric.Refused
	}
	return metric.Failed
}

// messageOf is an error as clients see it.
func messageOf(err error, log *slog.Logger) string {
	if f, ok := errors.AsType[*hbase.Fault](err); ok {
		return f.Error()
	}
	if e, ok := errors.AsType[*database.Error](err); ok && e.Kind != database.KindInternal {
		return e.Reason()
	}
	log.Error("a scan failed", "error", err)
	return "the scan failed: see the server's log"
}
