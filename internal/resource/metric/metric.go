// SPDX-License-Identifier: Apache-2.0

package metric

import (
	"strconv"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
)

// Outcome is how a request ended.
type Outcome int

// The outcomes, in the order of their labels.
const (
	OK       Outcome = iota // answered as asked, a missing item included
	Refused                 // the client's mistake, or a condition that did not hold
	Conflict                // another transaction was first; the client may try again
	Throttle                // over a limit of rate or memory; the client should slow down
	Canceled                // the client went away, or its deadline passed
	Failed                  // our fault
	outcomes
)

// String returns the label.
func (o Outcome) String() string {
	return [outcomes]string{"ok", "refused", "conflict", "throttled", "canceled", "failed"}[o]
}

// Build says what is running. Empty fields are shown empty.
type Build struct {
	Version, Revision, GoVersion string
}

// Set is the instruments of one server. Its methods are safe for concurrent use.
type Set struct {
	registry *prometheus.Registry

	requests, requestBytes, responseBytes, itemsExamined, itemsReturned, conditionFailures,
	conflicts *prometheus.CounterVec

	connections, refusals, panics, entriesLive, entriesDead, itemsExpired, sqlErrors, sqlPlansKept, sqlPlansMade,
	sqlRowsWritten *prometheus.CounterVec
	walkSeeks, walkJumps, walkFalse   *prometheus.CounterVec
	requestsInFlight, connectionsOpen *prometheus.GaugeVec
	requestSeconds                    *prometheus.HistogramVec

	graves graves
}

// New makes a Set in a registry of its own, with the process's and the Go runtime's usual metrics.
func New(build Build) *Set {
	s := &Set{
		registry:          prometheus.NewRegistry(),
		requests:          counterVec(requests),
		requestBytes:      counterVec(requestBytes),
		responseBytes:     counterVec(responseBytes),
		itemsExamined:     counterVec(itemsExamined),
		itemsReturned:     counterVec(itemsReturned),
		walkSeeks:         counterVec(walkSeeks),
		walkJumps:         counterVec(walkJumps),
		walkFalse:         counterVec(walkFalse),
		conditionFailures: counterVec(conditionFailures),
		conflicts:         counterVec(conflicts),
		connections:       counterVec(connections),
		refusals:          counterVec(refusals),
		itemsExpired:      counterVec(itemsExpired),
		entriesLive:       counterVec(entriesLive),
		entriesDead:       counterVec(entriesDead),
		sqlErrors:         counterVec(sqlErrors),
		sqlPlansKept:      counterVec(sqlPlansKept),
		sqlPlansMade:      counterVec(sqlPlansMade),
		sqlRowsWritten:    counterVec(sqlRowsWritten),
		panics:            counterVec(panics),
		requestsInFlight:  gaugeVec(requestsInFlight),
		connectionsOpen:   gaugeVec(connectionsOpen),
		requestSeconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: requestSeconds.name, Help: requestSeconds.help, Buckets: durationBuckets}, requestSeconds.labels),
	}
	built := gaugeVec(buildInfo)
	built.WithLabelValues(build.Version, build.Revision, build.GoVersion).Set(1)
	s.registry.MustRegister(s.requests, s.requestBytes, s.responseBytes, s.itemsExamined, s.itemsReturned,
		s.conditionFailures, s.conflicts,
		s.walkSeeks, s.walkJumps, s.walkFalse, s.connections, s.refusals, s.panics, s.itemsExpired, s.entriesLive,
		s.entriesDead, s.sqlErrors, s.sqlPlansKept, s.sqlPlansMade, s.sqlRowsWritten, s.requestsInFlight,
		s.connectionsOpen, s.requestSeconds, built,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	s.watch(s.collectDead)
	return s
}

func counterVec(d instrument) *prometheus.CounterVec {
	return prometheus.NewCounterVec(prometheus.CounterOpts{Name: d.name, Help: d.help}, d.labels)
}

func gaugeVec(d instrument) *prometheus.GaugeVec {
	return prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: d.name, Help: d.help}, d.labels)
}

// Gatherer reads all instruments; the admin port serves it to Prometheus.
func (s *Set) Gatherer() prometheus.Gatherer { return s.registry }

// Entries counts what a walk over a table whose cells have lives or versions has met.
func (s *Set) Entries(table, index string, live, dead int64) {
	s.entriesLive.WithLabelValues(table, index).Add(float64(live))
	s.entriesDead.WithLabelValues(table, index).Add(float64(dead))
	s.graves.add(table, index, live, dead)
}

// Expired counts items of a table that were deleted because their time had come.
func (s *Set) Expired(table string, items int64) {
	s.itemsExpired.WithLabelValues(table).Add(float64(items))
}

// SQLFailed counts a statement that ended in an error, by MySQL's number of it.
func (s *Set) SQLFailed(code int) { s.sqlErrors.WithLabelValues(strconv.Itoa(code)).Inc() }

// SQLStatements are the instruments of SQL statements. MySQL's server keeps them.
type SQLStatements struct {
	kept, made prometheus.Counter
	written    *prometheus.CounterVec
}

// SQL returns the instruments of statements.
func (s *Set) SQL() *SQLStatements {
	return &SQLStatements{kept: s.sqlPlansKept.WithLabelValues(), made: s.sqlPlansMade.WithLabelValues(),
		written: s.sqlRowsWritten}
}

// Planned counts a statement that was compiled, or whose plan was kept from an earlier one.
func (s *SQLStatements) Planned(kept bool) {
	if kept {
		s.kept.Inc()
		return
	}
	s.made.Inc()
}

// Written returns the counter of rows that statements of one kind wrote, to be kept by the caller.
func (s *SQLStatements) Written(operation string) func(rows int64) {
	counter := s.written.WithLabelValues(operation)
	return func(rows int64) { add(counter, rows) }
}

// Protocol returns the instruments of one protocol. Its server keeps them. name is a label: a protocol, not an address.
func (s *Set) Protocol(name string) *Protocol {
	return &Protocol{
		set: s, name: name,
		inFlight:    s.requestsInFlight.WithLabelValues(name),
		open:        s.connectionsOpen.WithLabelValues(name),
		connections: s.connections.WithLabelValues(name),
		refusals:    s.refusals.WithLabelValues(name),
		panics:      s.panics.WithLabelValues(name),
	}
}

// Protocol counts the connections and requests of one protocol.
type Protocol struct {
	set         *Set
	name        string
	inFlight    prometheus.Gauge
	open        prometheus.Gauge
	connections prometheus.Counter
	refusals    prometheus.Counter
	panics      prometheus.Counter
}

// Connected counts an accepted connection.
func (d *Protocol) Connected() {
	d.connections.Inc()
	d.open.Inc()
}

// Disconnected counts the end of a connection.
func (d *Protocol) Disconnected() { d.open.Dec() }

// Refused counts a connection that was refused because too many are open.
func (d *Protocol) Refused() { d.refusals.Inc() }

// Panicked counts a request that a bug ended.
func (d *Protocol) Panicked() { d.panics.Inc() }

// Operation returns the instruments of one operation of this protocol. The server keeps them. name becomes a label, so
// it must be one of a fixed set: what a client made up is called "unknown".
func (d *Protocol) Operation(name string) *Operation {
	s := d.set
	return &Operation{
		protocol: d, name: name,
		requestBytes:      s.requestBytes.WithLabelValues(d.name, name),
		responseBytes:     s.responseBytes.WithLabelValues(d.name, name),
		itemsExamined:     s.itemsExamined.WithLabelValues(d.name, name),
		itemsReturned:     s.itemsReturned.WithLabelValues(d.name, name),
		conditionFailures: s.conditionFailures.WithLabelValues(d.name, name),
		conflicts:         s.conflicts.WithLabelValues(d.name, name),
	}
}

// Operation counts the requests of one operation. Each request calls Begin once and End once.
type Operation struct {
	protocol *Protocol
	name     string

	requestBytes, responseBytes, itemsExamined, itemsReturned, conditionFailures, conflicts prometheus.Counter

	// ends are made when an outcome is first seen: an operation that has never failed has no 18 buckets for its
	// failures.
	ends [outcomes]atomic.Pointer[end]
}

// end is the instruments of one outcome.
type end struct {
	requests prometheus.Counter
	seconds  prometheus.Observer
}

// Begin counts a request as in flight.
func (o *Operation) Begin() { o.protocol.inFlight.Inc() }

// Request counts the work of a request, for End.
type Request struct {
	Outcome  Outcome
	Seconds  float64 // from arrival to the end of the reply
	BytesIn  int64
	BytesOut int64

	ConditionFailed int64 // writes refused by their own condition
}

// Read counts the items that a request examined and returned. The dialect reports them.
func (o *Operation) Read(examined, returned int64) {
	add(o.itemsExamined, examined)
	add(o.itemsReturned, returned)
}

// Walks counts the walks over indexes of one operation.
type Walks struct{ seeks, jumps, falsePositives prometheus.Counter }

// Walks returns the instruments of an operation's walks. The server keeps them.
func (d *Protocol) Walks(operation string) *Walks {
	s := d.set
	return &Walks{
		seeks: s.walkSeeks.WithLabelValues(d.name, operation), jumps: s.walkJumps.WithLabelValues(d.name, operation),
		falsePositives: s.walkFalse.WithLabelValues(d.name, operation),
	}
}

// Walked counts what one walk has done.
func (w *Walks) Walked(seeks, jumps, falsePositives int64) {
	add(w.seeks, seeks)
	add(w.jumps, jumps)
	add(w.falsePositives, falsePositives)
}

// End counts a finished request, which Begin has counted before.
func (o *Operation) End(r Request) {
	o.protocol.inFlight.Dec()
	ended := o.end(r.Outcome)
	ended.requests.Inc()
	ended.seconds.Observe(r.Seconds)
	add(o.requestBytes, r.BytesIn)
	add(o.responseBytes, r.BytesOut)
	add(o.conditionFailures, r.ConditionFailed)
	if r.Outcome == Conflict {
		o.conflicts.Inc()
	}
}

// add counts n; nothing makes a counter go down.
func add(c prometheus.Counter, n int64) {
	if n > 0 {
		c.Add(float64(n))
	}
}

// end returns the instruments of an outcome. Two callers may make them at once: both get the same counters.
func (o *Operation) end(outcome Outcome) *end {
	if outcome < 0 || outcome >= outcomes {
		outcome = Failed
	}
	if known := o.ends[outcome].Load(); known != nil {
		return known
	}
	made := &end{
		requests: o.protocol.set.requests.WithLabelValues(o.protocol.name, o.name, outcome.String()),
		seconds:  o.protocol.set.requestSeconds.WithLabelValues(o.protocol.name, o.name, outcome.String()),
	}
	o.ends[outcome].Store(made)
	return made
}

// GatewayStats is how this process does among those that share the store.
type GatewayStats struct {
	HasLease   bool
	AgeSeconds float64 // since the lease was renewed
	Lost       int64   // leases
	Generation uint64  // of the catalog
	Works      []string
}

// ObserveGateway makes the Set call now whenever the Set is read.
func (s *Set) ObserveGateway(now func() GatewayStats) {
	s.watch(func(metrics chan<- prometheus.Metric) {
		g := now()
		has := 0.0
		if g.HasLease {
			has = 1
		}
		send(metrics, gatewayLease, has)
		send(metrics, gatewayAge, g.AgeSeconds)
		send(metrics, gatewayLost, float64(g.Lost))
		send(metrics, gatewayGeneration, float64(g.Generation))
		for _, work := range g.Works {
			send(metrics, gatewayOwner, 1, work)
		}
	})
}

// ShippingStats is how the changes of the store get to the place that they are shipped to.
type ShippingStats struct {
	BehindSeconds                              float64
	Segments, Bytes, Backups, Failures, Chains int64
}

// ObserveShipping makes the Set call now whenever the Set is read.
func (s *Set) ObserveShipping(now func() ShippingStats) {
	s.watch(func(metrics chan<- prometheus.Metric) {
		g := now()
		send(metrics, shipBehind, g.BehindSeconds)
		send(metrics, shipSegments, float64(g.Segments))
		send(metrics, shipBytes, float64(g.Bytes))
		send(metrics, shipBackups, float64(g.Backups))
		send(metrics, shipFailures, float64(g.Failures))
		send(metrics, shipChains, float64(g.Chains))
	})
}

// Throughput is the instruments of limits of throughput. The limiter of requests keeps it.
type Throughput struct {
	requests, events, units *prometheus.CounterVec
	effect                  string
}

// Throughput returns the instruments of limits of throughput; reported says that nothing is refused.
func (s *Set) Throughput(reported bool) *Throughput {
	t := &Throughput{counterVec(throttledRequests), counterVec(throttleEvents), counterVec(capacityUnits), "refused"}
	if reported {
		t.effect = "reported"
	}
	s.registry.MustRegister(t.requests, t.events, t.units)
	return t
}

// Refused counts a request that exceeded a limit as a whole.
func (t *Throughput) Refused(table, operation string) {
	t.requests.WithLabelValues(table, operation, t.effect).Inc()
}

// Throttled counts a read or write that exceeded a limit.
func (t *Throughput) Throttled(table, index, reason string) {
	t.events.WithLabelValues(table, index, reason, t.effect).Inc()
}

// Consumed counts capacity units of a table or an index. Units that are given back are no counter's, and left out.
func (t *Throughput) Consumed(table, index, direction string, units float64) {
	if units > 0 {
		t.units.WithLabelValues(table, index, direction).Add(units)
	}
}
