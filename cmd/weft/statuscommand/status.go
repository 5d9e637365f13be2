// SPDX-License-Identifier: Apache-2.0

// Package statuscommand is weft status: how a running server does, on one screen.
//
// Knows: the answers of the admin port about the server, its tables, its requests and its work.
// Never: databases, engines, how the admin port is reached.
package statuscommand

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Status is how a server does.
type Status struct {
	Server    Server             `json:"server"`
	UpSeconds float64            `json:"upSeconds"`
	NotReady  string             `json:"notReady,omitempty"` // why no requests are taken
	Size      Size               `json:"size"`
	Protocols []Protocol         `json:"protocols"`
	Gauges    map[string]float64 `json:"gauges"`    // as in GET /api/overview
	Memory    map[string]float64 `json:"memory"`    // likewise: bytes that each part of the process may take
	Resources map[string]float64 `json:"resources"` // shares in use, 0 to 1
	Lags      []Lag              `json:"lags"`
	Gateway   *Gateway           `json:"gateway,omitempty"` // nil: no other server has the store
	// Throttled are reads and writes that exceeded a limit of throughput since the start, by what came of it: "refused"
	// or "reported". nil: none.
	Throttled map[string]float64 `json:"throttled,omitempty"`
	Work      []Work             `json:"work"` // that waits or runs
	Findings  []Finding          `json:"findings"`
}

// Server is the answer of GET /api/server.
type Server struct {
	Version   string            `json:"version"`
	PID       int               `json:"pid"`
	Engine    string            `json:"engine"`
	Data      string            `json:"data,omitempty"`
	Endpoints map[string]string `json:"endpoints"`
}

// Size counts what is stored. Rows and entries are estimates.
type Size struct {
	Tables  int   `json:"tables"`
	Indexes int   `json:"indexes"`
	Rows    int64 `json:"rows"`
	Entries int64 `json:"indexEntries"`
	Bytes   int64 `json:"bytes"`
}

// Protocol is the load of one protocol.
type Protocol struct {
	Name        string  `json:"name"`
	Connections float64 `json:"connections"`
	PerSecond   float64 `json:"requestsPerSecond"`
	P50         float64 `json:"p50Seconds"` // at most, of the requests of that time
	P99         float64 `json:"p99Seconds"`
	Failed      float64 `json:"failed"` // since the start; by the server's fault
	Refused     float64 `json:"refused"`
}

// Lag is something that is behind.
type Lag struct {
	What    string  `json:"what"`
	Seconds float64 `json:"seconds"`
}

// Gateway is how a server does among those that share its store.
type Gateway struct {
	LeaseAge float64  `json:"leaseAgeSeconds"`
	Works    []string `json:"works"` // that it does for all
}

// Work is one piece of GET /api/work.
type Work struct {
	Kind     string `json:"kind"`
	Database string `json:"database,omitempty"`
	Table    string `json:"table,omitempty"`
	Object   string `json:"object,omitempty"`
	State    string `json:"state"`
	Rows     int64  `json:"rows"`
	Expected int64  `json:"rowsExpected,omitzero"`
	Bytes    int64  `json:"bytes,omitzero"`
}

// Finding is one of GET /hot.
type Finding struct {
	Kind    string `json:"kind"`
	Table   string `json:"table"`
	Index   string `json:"index,omitempty"`
	Warning bool   `json:"warning"`
	Text    string `json:"text"`
	Cure    string `json:"cure,omitempty"`
}

// overview is the part of GET /api/overview that is shown.
type overview struct {
	At        int64
	Protocols map[string]struct {
		Requests, Failed, Refused, Connections float64
		Within                                 []float64
	}
	Bounds                  []float64
	Gauges, Memory, Watched map[string]float64
	Ready, Version          string
}

// asker asks the admin port.
type asker struct {
	get  func(ctx context.Context, target string) (io.ReadCloser, error)
	last *overview // of the answer before
}

// json reads an answer into out.
func (a *asker) json(ctx context.Context, target string, out any) error {
	answer, err := a.get(ctx, target)
	if err != nil {
		return err
	}
	defer answer.Close()
	return json.NewDecoder(answer).Decode(out)
}

// read asks for everything. Rates count from the last call.
func (a *asker) read(ctx context.Context) (*Status, error) {
	s := &Status{Lags: []Lag{}, Work: []Work{}, Findings: []Finding{}}
	var now overview
	if err := a.json(ctx, "/api/overview", &now); err != nil {
		return nil, err
	}
	s.Server.Version = now.Version
	s.NotReady, s.Gauges, s.Memory, s.Resources = now.Ready, now.Gauges, now.Memory, now.Watched
	s.UpSeconds = float64(now.At)/1000 - now.Gauges["startedSeconds"]
	s.addLoad(a.last, &now)
	a.last = &now
	if s.NotReady != "" {
		return s, nil // the other pages can't be had
	}
	if err := a.json(ctx, "/api/server", &s.Server); err != nil {
		return nil, err
	}
	var hot struct{ Findings []Finding }
	if err := a.json(ctx, "/hot?format=json", &hot); err != nil {
		return nil, err
	}
	s.Findings = append(s.Findings, hot.Findings...)
	var work []Work
	if err := a.json(ctx, "/api/work", &work); err != nil {
		return nil, err
	}
	for _, w := range work {
		if w.State == "waiting" || w.State == "running" {
			s.Work = append(s.Work, w)
		}
	}
	return s, s.addTablesAndLags(ctx, a)
}

func (s *Status) addTablesAndLags(ctx context.Context, a *asker) error {
	var tables []struct {
		Indexes []struct{ Entries, Bytes int64 } // the table itself is the first
	}
	if err := a.json(ctx, "/api/tables", &tables); err != nil {
		return err
	}
	s.Size.Tables = len(tables)
	for _, t := range tables {
		for i, x := range t.Indexes {
			s.Size.Bytes += x.Bytes
			if i == 0 {
				s.Size.Rows += x.Entries
				continue
			}
			s.Size.Indexes++
			s.Size.Entries += x.Entries
		}
	}
	metrics, err := a.get(ctx, "/metrics")
	if err != nil {
		return err
	}
	defer metrics.Close()
	return s.addMetrics(metrics)
}

// addMetrics reads what is behind, what was throttled, and how a gateway does, out of metrics.
func (s *Status) addMetrics(metrics io.Reader) error {
	lines := bufio.NewScanner(metrics)
	for lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), " ")
		n, err := strconv.ParseFloat(value, 64)
		if err != nil || n == 0 {
			continue
		}
		switch labels, found := strings.CutPrefix(name, "weft_search_lag_seconds"); {
		case found:
			s.Lags = append(s.Lags, Lag{"search indexes of " + tableOf(labels), n})
		case name == "weft_ship_behind_seconds":
			s.Lags = append(s.Lags, Lag{"shipping of changes", n})
		case name == "weft_gateway_has_lease":
			s.gateway()
		case name == "weft_gateway_lease_age_seconds":
			s.gateway().LeaseAge = n
		case strings.HasPrefix(name, "weft_gateway_owns_work"):
			s.gateway().Works = append(s.gateway().Works, labelOf(name, "work"))
		case strings.HasPrefix(name, "weft_throttle_events_total"):
			if s.Throttled == nil {
				s.Throttled = map[string]float64{}
			}
			s.Throttled[labelOf(name, "effect")] += n
		}
	}
	return lines.Err()
}

func (s *Status) gateway() *Gateway {
	if s.Gateway == nil {
		s.Gateway = &Gateway{Works: []string{}}
	}
	return s.Gateway
}

// tableOf names the table of a metric with the labels {database="d",table="t"}.
func tableOf(labels string) string {
	return named(labelOf(labels, "database"), labelOf(labels, "table"))
}

// labelOf is the value of a label of a metric.
func labelOf(labels, name string) string {
	_, rest, _ := strings.Cut(labels, name+`="`)
	value, _, _ := strings.Cut(rest, `"`)
	return value
}

// named is a table as users name it.
func named(database, table string) string {
	if database == "" || database == "default" {
		return table
	}
	return database + "." + table
}

// addLoad compares two overviews; was is nil for the first.
func (s *Status) addLoad(was, now *overview) {
	for _, name := range slices.Sorted(maps.Keys(now.Protocols)) {
		total := now.Protocols[name]
		p := Protocol{Name: name, Connections: total.Connections, Failed: total.Failed, Refused: total.Refused}
		if was != nil && now.At > was.At {
			before := was.Protocols[name]
			p.PerSecond = (total.Requests - before.Requests) * 1000 / float64(now.At-was.At)
			within := slices.Clone(total.Within)
			for i := range before.Within {
				within[i] -= before.Within[i]
			}
			p.P50, p.P99 = quantile(now.Bounds, within, 0.5), quantile(now.Bounds, within, 0.99)
		}
		s.Protocols = append(s.Protocols, p)
	}
}

// quantile is the bound of the durations within which a share of the requests is; 0 if there were none.
func quantile(bounds, within []float64, share float64) float64 {
	if len(within) == 0 || within[len(within)-1] == 0 {
		return 0
	}
	for i, count := range within {
		if count >= share*within[len(within)-1] {
			return bounds[i]
		}
	}
	return bounds[len(bounds)-1]
}

// since words a time.
func since(seconds float64) string {
	d := time.Duration(seconds * float64(time.Second))
	switch {
	case d >= 48*time.Hour:
		return fmt.Sprintf("%d days", int(d.Hours())/24)
	case d >= 2*time.Hour:
		return fmt.Sprintf("%d h", int(d.Hours()))
	case d >= 2*time.Minute:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	}
	return fmt.Sprintf("%.0f s", d.Seconds())
}
