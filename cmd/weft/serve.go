// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"

	"github.com/weftdb/weft/cmd/weft/heatpage"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/database/work"
	"github.com/weftdb/weft/internal/resource/metric"
)

// openDatabase opens the engine and the database on it.
func openDatabase(ctx context.Context, s *server) (runningDatabase, error) {
	e, err := openEngine(ctx, s)
	if err != nil {
		return nil, err
	}
	if !s.config.idle {
		e.store = s.heat.Start(e.store, heatpage.Options{Folder: e.folder, Engine: e.watched, Dead: s.metrics.Dead})
	}
	db, err := database.Open(ctx, e.store, database.Options{
		Admin: e.admin, Logger: s.log, Idle: s.config.idle, Expired: s.metrics.Expired, Walked: s.observeWalk,
		Gateway: database.GatewayOptions{Lease: s.config.GatewayLease},
		Regions: database.RegionSettings{BytesMax: s.config.RegionBytes, RequestsMax: float64(s.config.RegionRequests)},
		Traffic: s.heat.Traffic(),
	})
	if err != nil {
		return nil, errors.Join(err, e.store.Close())
	}
	s.metrics.ObserveHeat(func() metric.HeatStats { return s.heat.Stats(db) })
	s.metrics.ObserveMemory(s.config.division().Shares())
	s.metrics.ObserveWatched(s.heat.Watched)
	s.metrics.ObserveRegions(func() []metric.RegionStats { return heatpage.Regions(db) })
	s.metrics.ObserveJobs(func() []metric.JobStats { return jobStats(db) })
	s.metrics.ObserveSearch(func() []metric.SearchLag { return s.searchLags(db) })
	if _, several := db.Gateway(); several {
		s.metrics.ObserveGateway(func() metric.GatewayStats { return gatewayStats(db) })
	}
	shipper, err := s.startShipping(ctx, db)
	if err != nil {
		return nil, errors.Join(err, db.Close(), e.store.Close())
	}
	return &openedDatabase{engine: e, db: db, shipper: shipper}, nil
}

// observeWalk notes what was asked, and what was met of tables whose cells end.
func (s *server) observeWalk(w *database.Walk) {
	s.queries.Observe(w)
	if w.Cells {
		s.metrics.Entries(w.Table, w.Index, w.Counts.Examined, w.Counts.Dead)
	}
}

// jobStats lists the jobs, by the ids of their tables and indexes: names may be used again.
func jobStats(db *database.DB) []metric.JobStats {
	jobs := db.Jobs()
	stats := make([]metric.JobStats, 0, len(jobs))
	for _, j := range jobs {
		stats = append(stats, metric.JobStats{Job: j.Name(), Table: j.TableName(), Object: j.IndexName(), Done: j.Done,
			Expected: work.Expected(context.Background(), db, &j)})
	}
	return stats
}

// searchLags lists how far asynchronous search indexes are behind.
func (s *server) searchLags(db *database.DB) (list []metric.SearchLag) {
	lags, err := db.Lags(context.Background())
	if err != nil {
		s.log.Warn("the lag of asynchronous search indexes could not be read", "error", err)
	}
	for _, l := range lags {
		list = append(list, metric.SearchLag{Database: l.Database, Table: l.Table, Seconds: l.Behind.Seconds(),
			Changes: l.Changes})
	}
	return list
}

// gatewayStats is how this process does among those that share the store.
func gatewayStats(db *database.DB) metric.GatewayStats {
	g, _ := db.Gateway()
	return metric.GatewayStats{HasLease: g.Joined, AgeSeconds: g.Age.Seconds(), Lost: g.Lost, Generation: g.Generation,
		Works: g.Works}
}

// openedDatabase is a database with the engine below it.
type openedDatabase struct {
	engine
	db      *database.DB
	shipper *database.Shipper // nil for none
}

// Ready returns nil while reads and writes are taken.
func (d *openedDatabase) Ready() error {
	if err := d.db.Ready(); err != nil {
		return err
	}
	return d.ready()
}

// Close ends background work, ships what is left, and closes the engine.
func (d *openedDatabase) Close() error {
	err := d.db.Close()
	if d.shipper != nil {
		d.shipper.Close()
	}
	return errors.Join(err, d.store.Close())
}
