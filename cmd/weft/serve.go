// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/weftdb/weft/cmd/weft/heatpage"
	"github.com/weftdb/weft/cmd/weft/storecommand"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/database/work"
	"github.com/weftdb/weft/internal/dynamodb/kinesis"
	"github.com/weftdb/weft/internal/dynamodb/remote"
	"github.com/weftdb/weft/internal/history/backup"
	"github.com/weftdb/weft/internal/resource/metric"
	"github.com/weftdb/weft/internal/security/signature"
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
	jobs := db.Jobs().List()
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
	shipper *backup.Shipper // nil for none
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

// startKinesis begins to send the changes of tables to streams of Kinesis, if a service was named. Credentials are
// those of AWS's variables, as for buckets.
func (s *server) startKinesis(ctx context.Context, db runningDatabase) {
	opened, ok := db.(*openedDatabase)
	if !ok || s.config.KinesisEndpoint == "" || s.config.idle {
		return
	}
	by := signature.Credentials{AccessKey: os.Getenv("AWS_ACCESS_KEY_ID"), Secret: os.Getenv("AWS_SECRET_ACCESS_KEY"),
		Token: os.Getenv("AWS_SESSION_TOKEN")}
	if by.AccessKey == "" {
		by.AccessKey, by.Secret = "weft", "weft" // services for tests take any
	}
	s.kinesis = kinesis.Start(ctx, kinesis.Options{DB: opened.db, Region: s.config.Region, Logger: s.log,
		Service: &remote.Service{
			URL: s.config.KinesisEndpoint, Region: s.config.Region, Name: "kinesis", Target: "Kinesis_20131202.",
			Version: "1.1", Credentials: by,
		}})
}

// checkKinesis looks at the address of the service.
func (c *config) checkKinesis() error {
	if c.KinesisEndpoint == "" {
		return nil
	}
	if u, err := url.Parse(c.KinesisEndpoint); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return fmt.Errorf("kinesis-endpoint is %q: set it to a URL such as https://kinesis.eu-central-1.amazonaws.com",
			c.KinesisEndpoint)
	}
	return nil
}

// startShipping begins to ship the database to the place of the configuration; nil for none.
func (s *server) startShipping(ctx context.Context, db *database.DB) (*backup.Shipper, error) {
	if s.config.Ship == "" || s.config.idle {
		return nil, nil
	}
	to, err := openStorage(s.config.Ship, os.Environ())
	if err != nil {
		return nil, fmt.Errorf("ship: %w", err)
	}
	seal, err := sealFor(strings.FieldsFunc(s.config.ShipRecipients, func(r rune) bool { return r == ',' }))
	if err != nil {
		return nil, fmt.Errorf("ship-recipients: %w", err)
	}
	shipper, err := db.Recovery().ShipStore(ctx, to, backup.ShipOptions{
		Seal: seal, Program: "weft " + version, Keep: time.Duration(s.config.ShipKeepDays) * 24 * time.Hour,
		Logger: s.log.With("component", "shipping"),
	})
	if err != nil {
		return nil, fmt.Errorf("ship: %w", err)
	}
	s.metrics.ObserveShipping(func() metric.ShippingStats {
		now := shipper.Shipping()
		return metric.ShippingStats{
			BehindSeconds: max(0, time.Since(time.UnixMilli(now.SafeMS)).Seconds()), Segments: now.Segments,
			Bytes: now.Bytes, Backups: now.Bases, Failures: now.Fails, Chains: now.Chains,
		}
	})
	return shipper, nil
}

// withFolder reads a folder that holds a store. No protocol is served, and nothing runs in the background.
func (p *program) withFolder(ctx context.Context, folder string, work func(*database.DB) error) (err error) {
	return p.openFolder(ctx, folder, func(c *config) { c.readOnly = true },
		func(s *server) error { return work(s.database.(*openedDatabase).db) })
}

// withConfiguredFolder is withFolder for work that writes, or needs the settings.
func (p *program) withConfiguredFolder(ctx context.Context, folder string,
	work func(*config, *database.DB) error) (err error) {
	return p.openFolder(ctx, folder, func(*config) {},
		func(s *server) error { return work(s.config, s.database.(*openedDatabase).db) })
}

// openFolder opens a server without ports on a folder that holds a store. settle may change its settings before.
func (p *program) openFolder(
	ctx context.Context, folder string, settle func(*config), work func(*server) error,
) (err error) {
	conf, _, err := resolve(inputs{map[string]string{
		"engine": "pebble", "data": folder, "dynamodb-addr": off, "mysql-addr": off, "admin-addr": off,
		"log-level": "warn",
	}, p.environ, p.readFile})
	if err != nil {
		return err
	}
	conf.existing, conf.idle = true, true
	conf.Schema, conf.Seed = nil, "" // of the environment: they are a server's
	settle(conf)
	s := &server{config: conf, log: newLogger(p.stderr, conf), exit: p.exit}
	if err := s.Open(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	return work(s)
}

// newLogger writes to w as config says. Each line of a request's context carries its id under the key "request".
func newLogger(w io.Writer, c *config) *slog.Logger {
	var level slog.Level
	_ = level.UnmarshalText([]byte(c.LogLevel)) // settings has checked the word
	options := &slog.HandlerOptions{Level: level, ReplaceAttr: roundFloat}
	if c.LogFormat == "text" || c.LogFormat == "auto" && storecommand.IsTerminal(w) {
		return slog.New(requestLog{slog.NewTextHandler(w, options)})
	}
	return slog.New(requestLog{slog.NewJSONHandler(w, options)})
}

// roundFloat shows no more than three digits behind the point: what is logged was never measured more exactly.
func roundFloat(_ []string, a slog.Attr) slog.Attr {
	if a.Value.Kind() == slog.KindFloat64 {
		a.Value = slog.Float64Value(math.Round(a.Value.Float64()*1000) / 1000)
	}
	return a
}

// requestKey is under which a context holds its request's id.
type requestKey struct{}

// withRequestID returns a context whose log lines carry the id.
func withRequestID(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, requestKey{}, id)
}

// requestLog is a slog.Handler that adds the request's id.
type requestLog struct{ slog.Handler }

// Handle adds the id, if the context has one.
func (h requestLog) Handle(ctx context.Context, record slog.Record) error {
	if id, ok := ctx.Value(requestKey{}).(string); ok {
		record.AddAttrs(slog.String("request", id))
	}
	return h.Handler.Handle(ctx, record)
}

// WithAttrs keeps the id in loggers made by Logger.With.
func (h requestLog) WithAttrs(attrs []slog.Attr) slog.Handler {
	return requestLog{h.Handler.WithAttrs(attrs)}
}

// WithGroup keeps the id in loggers made by Logger.WithGroup.
func (h requestLog) WithGroup(name string) slog.Handler {
	return requestLog{h.Handler.WithGroup(name)}
}
