// SPDX-License-Identifier: Apache-2.0

package database

import (
	"context"
	"time"

	"github.com/weftdb/weft/internal/background/gateway"
	"github.com/weftdb/weft/internal/background/job"
	"github.com/weftdb/weft/internal/background/task"
	"github.com/weftdb/weft/internal/data/catalog"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/history/capture"
	"github.com/weftdb/weft/internal/index/asyncindex"
	"github.com/weftdb/weft/internal/index/tuning"
	"github.com/weftdb/weft/kv"
)

type (
	// GatewayOptions are the settings of a DB over a store that others use, too. The zero value works.
	GatewayOptions = gateway.Settings
	// GatewayStatus is how a gateway does.
	GatewayStatus = gateway.Status
)

// ErrNoLease is the error of a gateway that may not answer requests. The request can be sent again, or to another
// gateway.
var ErrNoLease = gateway.ErrNoLease

// Gateway returns how this gateway does; ok is false where nobody else uses the store.
func (db *DB) Gateway() (status GatewayStatus, ok bool) {
	if db.gateway == nil {
		return status, false
	}
	return db.gateway.Status(), true
}

// Ready returns nil if requests are answered, else why not.
func (db *DB) Ready() error {
	if err := db.errClosed(); err != nil || db.gateway == nil {
		return err
	}
	return db.gateway.Ready()
}

// Await returns once requests are answered, or ctx ends, or that is not to be expected soon: then they are refused. A
// request that waits so outlives a moment in which the gateway is cut off.
func (db *DB) Await(ctx context.Context) {
	if db.gateway != nil {
		db.gateway.Await(ctx)
	}
}

// ring tells other gateways, within the transaction that files it, of work that changes no schema.
func (db *DB) ring(txn kv.Txn) error {
	if db.gateway == nil {
		return nil
	}
	return gateway.Ring(txn)
}

// openCatalog opens the catalog: over a store that others use, too, as one of its gateways.
func (db *DB) openCatalog(ctx context.Context) (err error) {
	o := &db.options
	var shared catalog.Options
	if store, ok := kv.SharedOf(db.store); ok {
		db.gateway = gateway.New(gateway.Options{Store: db.store, Shared: store, Logger: o.Logger, Idle: o.Idle,
			Features: []string{schema.FeatureLists}, Settings: o.Gateway}, task.Work)
		for _, name := range [...]string{job.WorkJobs, job.WorkExpiry, job.WorkCollect, tuning.WorkRebuilds,
			asyncindex.Work, capture.Work} {
			db.gateway.GuardedWork(name)
		}
		shared = catalog.Options{Gateway: db.gateway, Installed: db.watchExpiry}
	}
	if o.Now == nil {
		o.Now = time.Now
		if db.gateway != nil {
			o.Now = db.gateway.Now
		}
	}
	db.catalog, err = catalog.Open(ctx, db.store, shared)
	if db.gateway != nil {
		db.store = db.gateway.Leased()
	}
	return err
}

func (db *DB) startJobs(ctx context.Context) (err error) {
	o := job.Options{
		Store: db.store, Admin: db.options.Admin, Catalog: db.catalog, Latches: db.latches, Logger: db.options.Logger,
		Pause: db.options.BackfillPause, SortBytes: db.options.BuildBytesMax,
		Now: db.options.Now, ExpiryInterval: db.options.ExpiryInterval, Expired: db.options.Expired,
		Idle: db.options.Idle,
	}
	if db.gateway != nil {
		o.Poll, o.Rings = db.gateway.Poll, db.gateway.Rings
		o.Owns = func(work string) job.Owner { return db.gateway.Work(work) }
	}
	runner, err := job.Start(ctx, o)
	if err == nil {
		db.jobs = runner
		db.running.Store(runner)
	}
	return err
}

// watchExpiry watches the rows of tables that other gateways have made or changed for their expiry.
func (db *DB) watchExpiry(tables []uint32) {
	jobs := db.running.Load()
	if jobs == nil {
		return // it finds them by itself when it starts
	}
	for _, id := range tables {
		jobs.Watch(id) // and forgets those whose rows don't expire
	}
}

// ownsRebuilds reports whether this process maintains Z-order indexes for all.
func (db *DB) ownsRebuilds() bool {
	return db.gateway == nil || db.gateway.Work(tuning.WorkRebuilds).Owned()
}
