// SPDX-License-Identifier: Apache-2.0

// Package heatpage implements `weft hot`, `weft simulate` and the admin port's /hot and /api/heat: it counts the
// requests to a server's store, reads the keys with the schema, has them diagnosed, and prints the findings with other
// figures for an operator.
//
// Knows: heat and its diagnoses, schemas and key texts, what limits of throughput tell, the machine.
// Never: protocols, configuration, how a server starts and stops.
package heatpage

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"github.com/weftdb/weft/internal/advice/advisor/report"
	"github.com/weftdb/weft/internal/advice/heat"
	"github.com/weftdb/weft/internal/advice/heat/diagnosis"
	"github.com/weftdb/weft/internal/background/region"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/dynamodb/throttle"
	"github.com/weftdb/weft/internal/index/indexkey"
	"github.com/weftdb/weft/internal/resource/metric"
	"github.com/weftdb/weft/kv"
)

// heatTick is the interval at which the heat gets the time.
const heatTick = time.Second

// heatLife is the time for which a diagnosis is shown before it is made anew.
const heatLife = 5 * time.Second

// Watch holds a server's statistics of the requests to its store, and of its machine.
type Watch struct {
	counts  *heat.Map
	options Options
	machine machine
	stop    chan struct{}
	done    sync.WaitGroup

	mu       sync.Mutex
	pictures []diagnosis.Object
	findings []diagnosis.Finding
	made     time.Time // when those were
}

// Options say what else is watched besides the requests. The zero value works.
type Options struct {
	Folder string                // whose disk; empty: none's
	Engine func() []metric.Watch // of the engine; nil: nothing
	Dead   func() []metric.Dead  // what walks met; nil: nothing
}

// New returns a Watch that does not run yet.
func New() *Watch { return &Watch{counts: heat.New(heat.Options{}), stop: make(chan struct{})} }

// Start counts from now on what the store is asked that it returns in the place of store. Close the Watch after the
// database.
func (w *Watch) Start(store kv.Store, o Options) kv.Store {
	w.options = o
	w.counts.Tick(time.Now().UnixMilli())
	w.done.Go(func() {
		ticker := time.NewTicker(heatTick)
		defer ticker.Stop()
		for {
			select {
			case <-w.stop:
				return
			case now := <-ticker.C:
				w.counts.Tick(now.UnixMilli())
			}
		}
	})
	return heat.Wrap(store, w.counts)
}

// Close ends the clock. A Watch that was never started can be closed, too.
func (w *Watch) Close() {
	if w == nil { // a server that was never opened
		return
	}
	close(w.stop)
	w.done.Wait()
}

// Traffic returns the counts by which regions are split.
func (w *Watch) Traffic() database.Traffic { return region.OfHeat(w.counts) }

// diagnose returns what is known of each table and index, and what that means, at most some seconds old.
func (w *Watch) diagnose(db *database.DB) ([]diagnosis.Object, []diagnosis.Finding) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if time.Since(w.made) < heatLife {
		return w.pictures, w.findings
	}
	w.pictures, w.findings = diagnoseHeat(w.counts, db)
	w.made = time.Now()
	return w.pictures, w.findings
}

// diagnoseHeat draws and judges all tables and indexes.
func diagnoseHeat(counts *heat.Map, db *database.DB) (pictures []diagnosis.Object, findings []diagnosis.Finding) {
	histories := counts.Histories()
	for i := range histories {
		picture, ok := histories[i].Picture(func(id heat.Object) (diagnosis.Object, func([]byte) []string,
			bool) {
			return describeObject(db, id)
		})
		if !ok {
			continue
		}
		picture.Borders, picture.Preset = bordersOf(db, histories[i].Object)
		pictures = append(pictures, picture)
		findings = append(findings, diagnosis.Diagnose(&picture)...)
	}
	slices.SortStableFunc(findings, func(a, b diagnosis.Finding) int {
		return cmp.Or(cmp.Compare(rank(&a), rank(&b)), cmp.Compare(a.Table, b.Table), cmp.Compare(a.Index, b.Index))
	})
	return pictures, findings
}

// bordersTimeout bounds how long regions are looked for: a picture without them is better than none.
const bordersTimeout = 5 * time.Second

// bordersOf returns where the regions of a table or index begin, but for the first, and how many of them were there
// before the rows.
func bordersOf(db *database.DB, id heat.Object) (borders []diagnosis.Key, preset int) {
	ctx, cancel := context.WithTimeout(context.Background(), bordersTimeout)
	defer cancel()
	p, err := db.PinID(id.Table)
	if err != nil {
		return nil, 0
	}
	defer p.Release()
	x, ok := indexOfID(p.Descriptor(), id.Index)
	if !ok {
		return nil, 0
	}
	starts, preset, err := p.RegionBorders(ctx, id.Index)
	if err != nil {
		return nil, 0
	}
	first, _ := id.Span()
	for _, start := range starts {
		borders = append(borders, diagnosis.Key{Bytes: string(start), Parts: keyTexts(x, start[len(first):])})
	}
	return borders, preset
}

// rank orders findings: what costs already comes first, an even load last.
func rank(f *diagnosis.Finding) int {
	switch {
	case f.Warning:
		return 0
	case f.Kind == diagnosis.Even:
		return 2
	}
	return 1
}

// describeObject says what the schema says of a table or an index that stands in keys.
func describeObject(db *database.DB, id heat.Object) (o diagnosis.Object, parts func(key []byte) []string, ok bool) {
	p, err := db.PinID(id.Table)
	if err != nil {
		return o, nil, false
	}
	defer p.Release()
	d := p.Descriptor()
	x, ok := indexOfID(d, id.Index)
	if !ok {
		return o, nil, false
	}
	o = diagnosis.Object{Table: tableName(d), Index: x.Name, Partition: x.PartitionParts, Hashed: len(x.Key) > 0 &&
		x.Key[0].Hidden}
	known := map[string]bool{}
	for _, part := range x.Stated() {
		c := diagnosis.Column{Name: part.Name, Type: sqlType(part.Type)}
		if part.Function != schema.Plain {
			c.Call = part.Name
		}
		known[part.Name] = true
		o.Key = append(o.Key, c)
	}
	for _, c := range d.Columns {
		if !known[c.Name] {
			o.Columns = append(o.Columns, diagnosis.Column{Name: c.Name, Type: sqlType(c.Type)})
		}
	}
	return o, func(key []byte) []string { return keyTexts(x, key) }, true
}

// tableName is the table's name, with its database if that is another than the default one.
func tableName(d *schema.Table) string {
	if d.Database == "" || d.Database == database.DefaultDatabase {
		return d.Name
	}
	return d.Database + "." + d.Name
}

func indexOfID(d *schema.Table, id uint32) (*schema.Index, bool) {
	if id == 0 {
		return &d.Primary, true
	}
	for i := range d.Indexes {
		if d.Indexes[i].ID == id && !d.Indexes[i].Internal {
			return &d.Indexes[i], true
		}
	}
	return nil, false
}

// keyTexts reads the values of a key, as far as it goes.
func keyTexts(x *schema.Index, key []byte) (texts []string) {
	// A border may end anywhere, so the last part may be incomplete.
	_, _ = indexkey.Values(x, key, nil, func(_ *schema.KeyPart, v value.Value) error {
		decimal, isNumber := v.Decimal()
		switch {
		case v.Kind() == value.String:
			texts = append(texts, string(v.Bytes()))
		case isNumber:
			texts = append(texts, string(decimal.AppendText(nil)))
		default:
			texts = append(texts, v.String())
		}
		return nil
	})
	return texts
}

// sqlType spells a type for CREATE TABLE.
func sqlType(t schema.Type) string {
	switch t {
	case schema.Number:
		return "DECIMAL"
	case schema.Int:
		return "BIGINT"
	case schema.Float:
		return "DOUBLE"
	case schema.Binary:
		return "VARBINARY"
	case schema.Bool:
		return "BOOLEAN"
	case schema.Timestamp:
		return "TIMESTAMP"
	}
	return "VARCHAR"
}

// Stats is the heat for /metrics.
func (w *Watch) Stats(db *database.DB) (stats metric.HeatStats) {
	pictures, findings := w.diagnose(db)
	for i := range findings {
		f := &findings[i]
		weight := [...]float64{1, 0.5, 0}[rank(f)]
		stats.Findings = append(stats.Findings,
			metric.HeatFinding{Kind: f.Kind, Table: f.Table, Index: f.Index, Weight: weight})
	}
	for i := range pictures {
		reads, writes := ratesOf(&pictures[i])
		stats.Rates = append(stats.Rates,
			metric.HeatRate{Table: pictures[i].Table, Index: pictures[i].Index, Reads: reads, Writes: writes})
	}
	return stats
}

// Regions is the sizes of regions for /metrics.
func Regions(db *database.DB) []metric.RegionStats {
	sizes := db.AllRegions().Sizes()
	list := make([]metric.RegionStats, len(sizes))
	for i, r := range sizes {
		list[i] = metric.RegionStats{Table: tableName(r.Table), Index: r.Index, Region: r.ID, Bytes: r.Bytes}
	}
	return list
}

// ratesOf returns the requests per second to a table or index in the last minute or two.
func ratesOf(o *diagnosis.Object) (reads, writes float64) {
	seconds := 0.0
	for _, m := range o.Moments[max(0, len(o.Moments)-2):] {
		reads, writes = reads+m.Reads, writes+m.Writes
		seconds += float64(m.To-m.From) / 1000
	}
	return reads / max(1, seconds), writes / max(1, seconds)
}

// Advise adds to a report on a table what its requests look like, in the place of what was guessed of them from rows.
func (w *Watch) Advise(db *database.DB, r *report.Report) {
	_, findings := w.diagnose(db)
	for i := range findings {
		f := &findings[i]
		if f.Table != r.Table || f.Kind == diagnosis.Even {
			continue
		}
		advice := adviceOf(f)
		guess := map[string]string{diagnosis.HotRow: "hot-key", diagnosis.Increasing: "growing-key",
			diagnosis.IncreasingPrefixes: "growing-key"}[f.Kind]
		r.Findings = slices.DeleteFunc(r.Findings,
			func(x report.Finding) bool { return x.Rule == guess && x.Subject == advice.Subject })
		at := 0
		for at < len(r.Findings) && r.Findings[at].Severity >= advice.Severity {
			at++
		}
		r.Findings = slices.Insert(r.Findings, at, advice)
	}
}

func adviceOf(f *diagnosis.Finding) report.Finding {
	advice := report.Finding{Severity: report.Advice, Rule: f.Kind, Subject: "table " + f.Table, Problem: f.Text,
		Remedy: f.Cure}
	if f.Warning {
		advice.Severity = report.Warning
	}
	if f.Index != "" {
		advice.Subject = "index " + f.Index
	}
	for _, e := range f.Evidence {
		advice.Evidence = append(advice.Evidence, report.Figure{Name: e.Name, Value: e.Value, Unit: e.Unit})
	}
	for _, s := range f.Statements {
		if s.Dialect == "DynamoDB" {
			advice.Statements = append(advice.Statements,
				report.Statement{Operation: "CreateTable", Input: json.RawMessage(s.Text)})
		}
	}
	return advice
}

// Tick tells the time, for tests: what was asked until then is judged anew.
func (w *Watch) Tick(now time.Time) {
	w.counts.Tick(now.UnixMilli())
	w.forget()
}

func (w *Watch) forget() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.made = time.Time{}
}

// Limiter returns what holds requests of DynamoDB's API to the throughput of their tables, and counts what that
// throttles: in counts, and the keys in w. If it reports, nothing is refused; keys says that single keys have limits,
// too.
func (w *Watch) Limiter(reports, keys bool, counts *metric.Throughput) *throttle.Limiter {
	return throttle.New(throttle.Options{Report: reports, Keys: keys,
		Throttled: func(e *throttle.Event) {
			counts.Throttled(e.Table.Name, e.Index, e.Reason())
			if e.Key != nil {
				w.counts.Throttle(e.Key)
			}
		},
		Refused: func(table *schema.Table, operation string) { counts.Refused(table.Name, operation) },
		Consumed: func(table *schema.Table, index string, d throttle.Direction, units float64) {
			counts.Consumed(table.Name, index, d.String(), units)
		},
	})
}
