// SPDX-License-Identifier: Apache-2.0

package pebble

import (
	"github.com/cockroachdb/pebble/v2"

	"github.com/weftdb/weft/kv/pebble/internal/guard"
)

// SyncLatency tells how long syncs of the log took.
type SyncLatency = guard.SyncLatency

// SyncBuckets is the number of buckets of a SyncLatency.
const SyncBuckets = guard.SyncBuckets

// Metrics is a picture of the store in numbers. Counts run from Open.
type Metrics struct {
	// Block cache.
	CacheBytes  int64
	CacheBlocks int64
	CacheHits   int64
	CacheMisses int64
	// Files.
	TableFilesOpen  int64
	BloomHits       int64 // look-ups that a filter answered
	BloomMisses     int64
	DiskBytes       int64 // all files of the store
	DiskFreeBytes   int64 // at the last look; -1 = unknown
	Levels          []LevelMetrics
	ReadAmp         int // tables a look-up may have to search
	ObsoleteBytes   int64
	TablesOpenScans int64 // table iterators in use
	// Memory and background work.
	MemTableBytes       int64
	MemTables           int64
	Flushes             int64
	FlushedBytes        int64
	Compactions         int64
	CompactionsRunning  int64
	CompactionsFailed   int64
	CompactionDebtBytes int64 // estimated bytes to rewrite until the tree is in shape
	CompactedBytes      int64
	WriteStalls         int64
	BackgroundErrors    int64
	Corruptions         int64
	// Write-ahead log.
	LogFiles        int64
	LogBytes        int64 // live
	LogBytesWritten int64
	LogSyncs        guard.SyncLatency
	// Transactions.
	CommitVersion   int64 // groups of commits since Open
	CommitsUnsynced int64 // groups that are visible but not durable yet
	ConflictEntries int64 // keys that the commit table remembers
	TxnsOpen        int64 // transactions that have read or guarded
	ViewsOpen       int64 // readers and cursors
	Snapshots       int64
	ReadOnly        bool // the disk is nearly full
	Stopped         bool // the store can't go on
}

// LevelMetrics is one level of the tree. Level 0 takes what memory is flushed into.
type LevelMetrics struct {
	Tables         int64
	Bytes          int64
	Sublevels      int64
	Score          float64 // 1 and more: needs compaction
	BytesIn        int64
	BytesCompacted int64
	BytesIngested  int64
	WriteAmp       float64
}

// Metrics returns a picture of the store, or the zero value if it is closed.
func (s *Store) Metrics() Metrics {
	if !s.gate.Enter(0) {
		return Metrics{Stopped: s.failure.Failed()}
	}
	defer s.gate.Leave(0)
	e := s.db.Metrics()
	m := Metrics{
		CacheBytes: e.BlockCache.Size, CacheBlocks: e.BlockCache.Count, CacheHits: e.BlockCache.Hits,
		CacheMisses:    e.BlockCache.Misses,
		TableFilesOpen: e.FileCache.TableCount, BloomHits: e.Filter.Hits, BloomMisses: e.Filter.Misses,
		DiskBytes: int64(e.DiskSpaceUsage()), DiskFreeBytes: s.disk.free.Load(), ReadAmp: e.ReadAmp(),
		ObsoleteBytes: int64(e.Table.ObsoleteSize + e.Table.ZombieSize), TablesOpenScans: e.TableIters,
		MemTableBytes: int64(e.MemTable.Size), MemTables: e.MemTable.Count,
		Flushes: e.Flush.Count, FlushedBytes: e.Flush.WriteThroughput.Bytes,
		Compactions: e.Compact.Count, CompactionsRunning: e.Compact.NumInProgress,
		CompactionsFailed:   e.Compact.FailedCount,
		CompactionDebtBytes: int64(e.Compact.EstimatedDebt),
		WriteStalls:         s.events.writeStalls.Load(), BackgroundErrors: s.events.backgroundErrors.Load(),
		Corruptions: s.events.corruptions.Load(),
		LogFiles:    e.WAL.Files, LogBytes: int64(e.WAL.Size), LogBytesWritten: int64(e.WAL.BytesWritten),
		LogSyncs:  s.guard.SyncLatency(),
		Snapshots: int64(e.Snapshots.Count - s.anchor.count()),
	}
	for i := range e.Levels {
		m.addLevel(&e.Levels[i])
	}
	s.addOwn(&m)
	return m
}

func (m *Metrics) addLevel(l *pebble.LevelMetrics) {
	m.CompactedBytes += int64(l.TableBytesCompacted)
	m.Levels = append(m.Levels, LevelMetrics{
		Tables: l.TablesCount, Bytes: l.TablesSize, Sublevels: int64(l.Sublevels), Score: l.Score,
		BytesIn: int64(l.TableBytesIn), BytesCompacted: int64(l.TableBytesCompacted),
		BytesIngested: int64(l.TableBytesIngested),
		WriteAmp:      l.WriteAmp(),
	})
}

func (s *Store) addOwn(m *Metrics) {
	m.CommitVersion = int64(s.commits.version.Load())
	m.CommitsUnsynced = s.flight.count.Load()
	m.ConflictEntries = int64(s.commits.count())
	m.TxnsOpen = int64(s.txns.count())
	m.ViewsOpen = int64(s.views.count())
	m.ReadOnly = s.disk.readOnly.Load()
	m.Stopped = s.failure.Failed()
}
