// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/weftdb/weft/cmd/weft/heatpage"
	"github.com/weftdb/weft/internal/data/keyspace"
	"github.com/weftdb/weft/internal/resource/metric"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/kv/mem"
	"github.com/weftdb/weft/kv/pebble"
)

// engine is an open store and what an operator can ask of it.
type engine struct {
	store kv.Store
	admin kv.Admin
	// ready returns nil while writes are taken.
	ready func() error
	// folder holds the data; empty: they are not on this machine's disk.
	folder string
	// watched returns what of the engine an operator watches; nil: nothing.
	watched func() []metric.Watch
}

// openEngine is the one place that names engines.
func openEngine(ctx context.Context, s *server) (engine, error) {
	switch s.config.Engine {
	case "mem":
		store := mem.Open(mem.Options{})
		return engine{store: store, admin: store, ready: func() error { return nil }}, nil
	case "pebble":
		return openPebble(s)
	case "tikv":
		return openTiKV(ctx, s)
	default:
		return engine{}, fmt.Errorf("there is no engine %q", s.config.Engine)
	}
}

// closeTimeout leaves a stop within 10 seconds after the longest default drain.
const closeTimeout = 1500 * time.Millisecond

func openPebble(s *server) (engine, error) {
	parts := s.config.division()
	o := pebble.Options{
		Dir: s.config.Data, Existing: s.config.existing, ReadOnly: s.config.readOnly,
		Marks:      s.config.TestControls,
		CacheBytes: parts.Cache, MemTableBytes: int(parts.Memtable), MaxOpenFiles: s.shares.Tables,
		Logger: s.log, Fatal: s.fatal, Sought: &pebble.Sought{Name: keyspace.SoughtName, Has: keyspace.IsSought},
	}
	if s.config.served {
		o.CloseTimeout = closeTimeout
	}
	if files, err := os.ReadDir(s.config.Data); len(files) == 0 && !s.config.existing &&
		(err == nil || errors.Is(err, fs.ErrNotExist)) {
		s.log.Info("there is no database yet: a new one is made", "data", absolute(s.config.Data))
	}
	store, err := pebble.Open(o)
	if err != nil {
		return engine{}, err
	}
	s.metrics.ObserveEngine("pebble", func() metric.EngineStats { return pebbleStats(store.Metrics()) })
	return engine{
		store: store, admin: store, folder: s.config.Data, ready: func() error { return pebbleReady(store.Metrics()) },
		watched: func() []metric.Watch { return heatpage.Pebble(store.Metrics()) },
	}, nil
}

// absolute is the whole path of a folder.
func absolute(dir string) string {
	if whole, err := filepath.Abs(dir); err == nil {
		return whole
	}
	return dir
}

func pebbleReady(m pebble.Metrics) error {
	switch {
	case m.Stopped:
		return errors.New("the store has stopped")
	case m.ReadOnly:
		return errors.New("the disk is nearly full: the store answers reads and refuses writes")
	}
	return nil
}

func pebbleStats(m pebble.Metrics) metric.EngineStats {
	syncs := metric.Durations{Count: m.LogSyncs.Count, Seconds: m.LogSyncs.Sum.Seconds()}
	for i, count := range m.LogSyncs.Buckets[:len(m.LogSyncs.Buckets)-1] {
		syncs.Bounds = append(syncs.Bounds, float64(int64(1)<<i)/1e6)
		syncs.Within = append(syncs.Within, count)
	}
	return metric.EngineStats{
		DiskBytes: m.DiskBytes, DiskFreeBytes: m.DiskFreeBytes, ReadOnly: m.ReadOnly, CacheBytes: m.CacheBytes,
		CacheHits:   m.CacheHits,
		CacheMisses: m.CacheMisses, MemtableBytes: m.MemTableBytes, LogBytes: m.LogBytesWritten, LogSyncs: syncs,
		FlushedBytes: m.FlushedBytes, CompactedBytes: m.CompactedBytes, CompactionDebtBytes: m.CompactionDebtBytes,
		WriteStalls: m.WriteStalls, ReadAmplification: int64(m.ReadAmp), TransactionsOpen: m.TxnsOpen,
		SnapshotsOpen:    m.ViewsOpen,
		BackgroundErrors: m.BackgroundErrors, Corruptions: m.Corruptions,
	}
}
