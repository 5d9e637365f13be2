// SPDX-License-Identifier: Apache-2.0

package metric

import "github.com/prometheus/client_golang/prometheus"

// EngineStats are a storage engine's statistics of itself. A field that an engine can't tell is 0. Totals count since
// the engine was opened.
type EngineStats struct {
	DiskBytes           int64
	DiskFreeBytes       int64
	ReadOnly            bool // no writes are taken, because the disk is nearly full
	CacheBytes          int64
	CacheHits           int64
	CacheMisses         int64
	MemtableBytes       int64
	LogBytes            int64 // written to the write-ahead log
	LogSyncs            Durations
	FlushedBytes        int64
	CompactedBytes      int64
	CompactionDebtBytes int64
	WriteStalls         int64
	ReadAmplification   int64
	TransactionsOpen    int64
	SnapshotsOpen       int64
	BackgroundErrors    int64
	Corruptions         int64
}

// Durations is a histogram counted elsewhere.
type Durations struct {
	Count   int64
	Seconds float64 // sum
	// Within[i] counts the durations of at most Bounds[i] seconds and more than Bounds[i-1]. Bounds ascend; what is
	// longer than the last is in Count alone.
	Bounds []float64
	Within []int64
}

// cumulative counts by upper bound, as Prometheus has it.
func (d Durations) cumulative() map[float64]uint64 {
	buckets := make(map[float64]uint64, len(d.Bounds))
	total := uint64(0)
	for i, bound := range d.Bounds {
		total += uint64(d.Within[i])
		buckets[bound] = total
	}
	return buckets
}

// ObserveEngine makes the Set call stats whenever the Set is read. stats must be quick and safe for concurrent use.
// engine becomes a label; one Set observes an engine of one name once.
func (s *Set) ObserveEngine(engine string, stats func() EngineStats) {
	s.watch(func(metrics chan<- prometheus.Metric) {
		now := stats()
		for _, sample := range now.samples() {
			send(metrics, sample.instrument, sample.value, engine)
		}
		syncs, err := prometheus.NewConstHistogram(engineSyncs.desc(), uint64(now.LogSyncs.Count), now.LogSyncs.Seconds,
			now.LogSyncs.cumulative(), engine)
		sendChecked(metrics, engineSyncs, syncs, err)
	})
}

// JobStats is the progress of one running job.
type JobStats struct {
	Job      string // what it does: "index build", "expiry", ...
	Table    string
	Object   string // what of the table it works on, such as an index; may be empty
	Done     int64  // items
	Expected int64  // items; 0 if unknown
}

// ObserveJobs makes the Set call running, which lists the jobs of this moment, whenever the Set is read. A job that has
// ended is listed no more. No two jobs of one list may agree in job, table and object.
func (s *Set) ObserveJobs(running func() []JobStats) {
	s.watch(func(metrics chan<- prometheus.Metric) {
		for _, j := range running() {
			send(metrics, jobDone, float64(j.Done), j.Job, j.Table, j.Object)
			send(metrics, jobTotal, float64(j.Expected), j.Job, j.Table, j.Object)
		}
	})
}

// SearchLag is the lag of a table's asynchronous search indexes.
type SearchLag struct {
	Database, Table string
	Seconds         float64 // the age of the oldest change that they have not followed
	Changes         int     // how many these are
}

// ObserveSearch makes the Set call lags, which lists the tables that have asynchronous search indexes, whenever the Set
// is read.
func (s *Set) ObserveSearch(lags func() []SearchLag) {
	s.watch(func(metrics chan<- prometheus.Metric) {
		for _, lag := range lags() {
			send(metrics, searchLag, lag.Seconds, lag.Database, lag.Table)
			send(metrics, searchWaiting, float64(lag.Changes), lag.Database, lag.Table)
		}
	})
}

// ObserveSQLMemory makes the Set ask, whenever it is read, for the limit of SQL's memory, the memory in use, and how
// often the limit was reached.
func (s *Set) ObserveSQLMemory(limit, used, refused func() int64) {
	s.watch(func(metrics chan<- prometheus.Metric) {
		send(metrics, sqlMemoryMax, float64(limit()))
		send(metrics, sqlMemory, float64(used()))
		send(metrics, sqlMemoryRefused, float64(refused()))
	})
}

// MemoryShare is a part of the memory that the process may take.
type MemoryShare struct {
	Part  string
	Bytes int64
}

// ObserveMemory shows how the memory that the process may take is divided, once for all.
func (s *Set) ObserveMemory(shares []MemoryShare) {
	s.watch(func(metrics chan<- prometheus.Metric) {
		for _, share := range shares {
			send(metrics, memoryShare, float64(share.Bytes), share.Part)
		}
	})
}

// watch registers a collector that asks at each reading.
func (s *Set) watch(collect func(chan<- prometheus.Metric)) {
	s.registry.MustRegister(watcher(collect))
}

// watcher is a Prometheus collector that does not say beforehand what it will send.
type watcher func(chan<- prometheus.Metric)

// Describe sends nothing, by which the registry knows that Collect decides.
func (w watcher) Describe(chan<- *prometheus.Desc) {}

// Collect sends the numbers of this moment.
func (w watcher) Collect(metrics chan<- prometheus.Metric) { w(metrics) }

// send sends one number.
func send(metrics chan<- prometheus.Metric, d instrument, value float64, labels ...string) {
	valueType := prometheus.GaugeValue
	if d.kind == counter {
		valueType = prometheus.CounterValue
	}
	m, err := prometheus.NewConstMetric(d.desc(), valueType, value, labels...)
	sendChecked(metrics, d, m, err)
}

// sendChecked sends m, or in its place the error, which the reader of the Set reports.
func sendChecked(metrics chan<- prometheus.Metric, d instrument, m prometheus.Metric, err error) {
	if err != nil {
		m = prometheus.NewInvalidMetric(d.desc(), err)
	}
	metrics <- m
}

// sample is one number of an instrument.
type sample struct {
	instrument instrument
	value      float64
}

func (e EngineStats) samples() []sample {
	readOnly := 0.0
	if e.ReadOnly {
		readOnly = 1
	}
	return []sample{
		{engineDisk, float64(e.DiskBytes)},
		{engineDiskFree, float64(e.DiskFreeBytes)},
		{engineReadOnly, readOnly},
		{engineCacheBytes, float64(e.CacheBytes)},
		{engineCacheHits, float64(e.CacheHits)},
		{engineCacheMisses, float64(e.CacheMisses)},
		{engineMemtable, float64(e.MemtableBytes)},
		{engineLogBytes, float64(e.LogBytes)},
		{engineFlushed, float64(e.FlushedBytes)},
		{engineCompacted, float64(e.CompactedBytes)},
		{engineDebt, float64(e.CompactionDebtBytes)},
		{engineStalls, float64(e.WriteStalls)},
		{engineReadAmplified, float64(e.ReadAmplification)},
		{engineTransactions, float64(e.TransactionsOpen)},
		{engineSnapshots, float64(e.SnapshotsOpen)},
		{engineErrors, float64(e.BackgroundErrors)},
		{engineCorruptions, float64(e.Corruptions)},
	}
}
