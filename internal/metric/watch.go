// SPDX-License-Identifier: Apache-2.0

package metric

import "github.com/prometheus/client_golang/prometheus"

// EngineStats is what a storage engine says of itself. A field that an engine can't tell is 0. Totals count since the engine was opened.
type EngineStats struct {
	DiskBytes           int64
	DiskFreeBytes       int64
	ReadOnly            bool // no writes are taken, because the disk is nearly full
	CacheBytes          int64
	CacheHits           int64
	CacheMisses         int64
	MemtableBytes       int64
	Commits             int64
	Conflicts           int64
	LogBytes            int64 // written to the write-ahead log
	FlushedBytes        int64
	CompactedBytes      int64
	CompactionDebtBytes int64
	WriteStalls         int64
	WriteStallSeconds   float64
	ReadAmplification   int64
	SnapshotsOpen       int64
}

// ObserveEngine makes the Set call stats whenever the Set is read. stats must be quick and safe for concurrent use. engine becomes a
// label; one Set observes an engine of one name once.
func (s *Set) ObserveEngine(engine string, stats func() EngineStats) {
	s.watch(func(send func(instrument, float64, ...string)) {
		for _, sample := range stats().samples() {
			send(sample.instrument, sample.value, engine)
		}
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

// ObserveJobs makes the Set call running, which lists the jobs of this moment, whenever the Set is read. A job that has ended is
// listed no more. No two jobs of one list may agree in job, table and object.
func (s *Set) ObserveJobs(running func() []JobStats) {
	s.watch(func(send func(instrument, float64, ...string)) {
		for _, j := range running() {
			send(jobDone, float64(j.Done), j.Job, j.Table, j.Object)
			send(jobTotal, float64(j.Expected), j.Job, j.Table, j.Object)
		}
	})
}

// watch registers a collector that asks at each reading.
func (s *Set) watch(collect func(send func(instrument, float64, ...string))) {
	s.registry.MustRegister(watcher(collect))
}

// watcher is a Prometheus collector that does not say beforehand what it will send.
type watcher func(send func(instrument, float64, ...string))

// Describe sends nothing, by which the registry knows that Collect decides.
func (w watcher) Describe(chan<- *prometheus.Desc) {}

// Collect sends the numbers of this moment.
func (w watcher) Collect(metrics chan<- prometheus.Metric) {
	w(func(d instrument, value float64, labels ...string) {
		valueType := prometheus.GaugeValue
		if d.kind == counter {
			valueType = prometheus.CounterValue
		}
		m, err := prometheus.NewConstMetric(d.desc(), valueType, value, labels...)
		if err != nil {
			m = prometheus.NewInvalidMetric(d.desc(), err)
		}
		metrics <- m
	})
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
		{engineCommits, float64(e.Commits)},
		{engineConflicts, float64(e.Conflicts)},
		{engineLogBytes, float64(e.LogBytes)},
		{engineFlushed, float64(e.FlushedBytes)},
		{engineCompacted, float64(e.CompactedBytes)},
		{engineDebt, float64(e.CompactionDebtBytes)},
		{engineStalls, float64(e.WriteStalls)},
		{engineStallSeconds, e.WriteStallSeconds},
		{engineReadAmplified, float64(e.ReadAmplification)},
		{engineSnapshots, float64(e.SnapshotsOpen)},
	}
}
