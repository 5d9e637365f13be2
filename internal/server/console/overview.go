// SPDX-License-Identifier: Apache-2.0

package console

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
)

// overview is the data of the web console's first page. Numbers of a protocol are totals since the start, as in
// metrics: two answers give the rates between them.
type overview struct {
	At        int64                     `json:"at"` // Unix milliseconds
	Protocols map[string]*protocolTotal `json:"protocols"`
	Bounds    []float64                 `json:"bounds"`  // of durations, in seconds
	Gauges    map[string]float64        `json:"gauges"`  // of the process and the engine
	Memory    map[string]float64        `json:"memory"`  // bytes that each part of the process may take
	Watched   map[string]float64        `json:"watched"` // shares of resources
	Ready     string                    `json:"ready"`   // empty, or why no requests are taken
	Version   string                    `json:"version"`
}

type protocolTotal struct {
	Requests    float64   `json:"requests"`
	Failed      float64   `json:"failed"`  // our fault
	Refused     float64   `json:"refused"` // the client's mistake, a conflict or a limit
	Connections float64   `json:"connections"`
	Within      []float64 `json:"within"` // requests by duration: at most bounds[i]
}

// gauges maps metrics to the overview's gauges. // immutable
var gauges = map[string]string{
	"weft_engine_disk_bytes": "diskBytes", "weft_engine_disk_free_bytes": "diskFreeBytes",
	"weft_engine_cache_bytes":    "cacheBytes",
	"weft_engine_memtable_bytes": "memtableBytes", "process_resident_memory_bytes": "memoryBytes",
	"process_start_time_seconds":    "startedSeconds",
	"weft_engine_transactions_open": "transactions", "weft_engine_compaction_debt_bytes": "compactionDebtBytes",
	"weft_sql_memory_bytes":    "sqlMemoryBytes",
	"weft_ship_behind_seconds": "shipBehindSeconds",
}

// measure reads the metrics.
func measure(metrics prometheus.Gatherer, now time.Time) (*overview, error) {
	families, err := metrics.Gather()
	if err != nil {
		return nil, fmt.Errorf("failed to read the metrics: %w", err)
	}
	o := &overview{At: now.UnixMilli(), Protocols: map[string]*protocolTotal{}, Bounds: []float64{},
		Gauges: map[string]float64{}, Memory: map[string]float64{}, Watched: map[string]float64{}}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			o.add(f.GetName(), m)
		}
	}
	return o, nil
}

// add takes over one metric, if the overview shows it.
func (o *overview) add(name string, m *dto.Metric) {
	if short, ok := gauges[name]; ok {
		o.Gauges[short] += m.GetGauge().GetValue()
		return
	}
	switch name {
	case "weft_requests_total":
		p := o.protocol(m)
		p.Requests += m.GetCounter().GetValue()
		switch label(m, "outcome") {
		case "ok", "canceled":
		case "failed":
			p.Failed += m.GetCounter().GetValue()
		default:
			p.Refused += m.GetCounter().GetValue()
		}
	case "weft_connections_open":
		o.protocol(m).Connections += m.GetGauge().GetValue()
	case "weft_request_duration_seconds":
		o.addDurations(m)
	case "weft_memory_share_bytes":
		o.Memory[label(m, "part")] = m.GetGauge().GetValue()
	case "weft_watch_ratio":
		o.Watched[label(m, "resource")] = m.GetGauge().GetValue()
	case "weft_build_info":
		o.Version = label(m, "version")
	}
}

// addDurations adds a histogram to its protocol's.
func (o *overview) addDurations(m *dto.Metric) {
	p, buckets := o.protocol(m), m.GetHistogram().GetBucket()
	if len(o.Bounds) == 0 {
		for _, b := range buckets {
			o.Bounds = append(o.Bounds, b.GetUpperBound())
		}
	}
	if p.Within == nil {
		p.Within = make([]float64, len(o.Bounds))
	}
	for i := range min(len(buckets), len(p.Within)) {
		p.Within[i] += float64(buckets[i].GetCumulativeCount())
	}
}

func (o *overview) protocol(m *dto.Metric) *protocolTotal {
	name := label(m, "protocol")
	p := o.Protocols[name]
	if p == nil {
		p = &protocolTotal{}
		o.Protocols[name] = p
	}
	return p
}

func label(m *dto.Metric, name string) string {
	for _, l := range m.GetLabel() {
		if l.GetName() == name {
			return l.GetValue()
		}
	}
	return ""
}

// Limits of the streams of overviews.
const (
	overviewPause   = time.Second
	strangersMax    = 16               // streams of who has not signed in
	overviewsMax    = 16               // of who has
	overviewTimeout = 10 * time.Second // of one event
)

// streams are requests that get events until they end. Of too many, the one that began first ends: its console asks
// again.
type streams struct {
	mu   sync.Mutex
	most int
	open []*stream // in the order in which they began
}

type stream struct{ end context.CancelFunc }

// join returns a context that ends when the stream has to. leave must be called in the end.
func (s *streams) join(ctx context.Context) (_ context.Context, leave func()) {
	ctx, cancel := context.WithCancel(ctx)
	one := &stream{cancel}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.open) == s.most {
		s.open[0].end()
		s.open = slices.Delete(s.open, 0, 1)
	}
	s.open = append(s.open, one)
	return ctx, func() {
		cancel()
		s.mu.Lock()
		defer s.mu.Unlock()
		s.open = slices.DeleteFunc(s.open, func(other *stream) bool { return other == one })
	}
}

// overviews answers GET /api/overview: once, or each second to clients that accept text/event-stream. Strangers have
// streams of their own number.
func overviews(o *Options) http.HandlerFunc {
	strangers, users := &streams{most: strangersMax}, &streams{most: overviewsMax}
	read := func() ([]byte, error) {
		now, err := measure(o.Metrics, time.Now()) // lint:clock the time is part of the answer
		if err != nil {
			return nil, err
		}
		if err := o.Ready(); err != nil {
			now.Ready = err.Error()
		}
		return json.Marshal(now)
	}
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		if !strings.Contains(r.Header.Get("Accept"), "text/event-stream") {
			body, err := read()
			if err != nil {
				answer(w, http.StatusInternalServerError, err.Error())
				return
			}
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write(body) // the client is gone; nobody to tell
			return
		}
		own := strangers
		if r.Header.Get("Authorization") != "" && o.Judge(r, Users) == nil {
			own = users
		}
		ctx, leave := own.join(r.Context())
		defer leave()
		sendEvents(ctx, w, read)
	}
}

// sendEvents sends one event each second, until ctx ends: the client goes away, say.
func sendEvents(ctx context.Context, w http.ResponseWriter, read func() ([]byte, error)) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Accel-Buffering", "no") // for proxies that would collect events
	control := http.NewResponseController(w)
	ticker := time.NewTicker(overviewPause)
	defer ticker.Stop()
	for {
		body, err := read()
		if err != nil {
			return
		}
		// fails only on a closed connection, as the next write then does
		_ = control.SetWriteDeadline(time.Now().Add(overviewTimeout))
		if _, err := fmt.Fprintf(w, "data: %s\n\n", body); err != nil {
			return
		}
		if control.Flush() != nil {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}
