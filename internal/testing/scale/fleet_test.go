// SPDX-License-Identifier: Apache-2.0

package scale

import (
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/testing/testdoc"
)

// fleet is gateways over one cluster.
type fleet struct {
	t       *testing.T
	cluster *Cluster

	mu       sync.Mutex
	gateways []*database.DB
	stores   []*Store
}

// simulate runs a scene with so many gateways in a bubble of time.
func simulate(t *testing.T, o Options, gateways int, scene func(f *fleet)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		f := &fleet{t: t, cluster: New(o)}
		defer f.close()
		f.join(1, 0)
		f.join(gateways-1, 2*time.Second)
		scene(f)
	})
}

// join opens more gateways within a time.
func (f *fleet) join(count int, within time.Duration) {
	var opened sync.WaitGroup
	for i := range count {
		opened.Go(func() {
			time.Sleep(within * time.Duration(i) / time.Duration(count))
			store := f.cluster.Open()
			db, err := database.Open(f.t.Context(), store,
				database.Options{Admin: store, Logger: slog.New(slog.DiscardHandler)})
			if err != nil {
				f.t.Error(err)
				return
			}
			f.mu.Lock()
			defer f.mu.Unlock()
			f.gateways, f.stores = append(f.gateways, db), append(f.stores, store)
		})
	}
	opened.Wait()
}

func (f *fleet) close() {
	var closed sync.WaitGroup
	for _, db := range f.gateways {
		closed.Go(func() { f.must(db.Close()) })
	}
	closed.Wait()
}

func (f *fleet) must(err error) {
	f.t.Helper()
	if err != nil {
		f.t.Fatal(err)
	}
}

// kind makes a table one that has work in the background.
type kind func(f *fleet, table *database.Table) error

func plain(*fleet, *database.Table) error { return nil }

func streamed(f *fleet, table *database.Table) error {
	return table.Edit(f.t.Context(), func(d *schema.Table) error {
		return f.gateways[0].Changes().StreamOn(d, schema.NewImage)
	})
}

func expiring(f *fleet, table *database.Table) error { return table.SetExpiry(f.t.Context(), "ends") }

func followed(f *fleet, table *database.Table) error {
	return table.AddIndex(f.t.Context(), database.IndexSpec{Name: "words", Search: true, Async: &schema.Async{},
		Key: database.Columns("words", schema.String)})
}

// make makes tables through the first gateway.
func (f *fleet) make(name string, count int, of kind) {
	f.t.Helper()
	for i := range count {
		spec := database.TableSpec{Name: fmt.Sprint(name, i), Key: database.Columns("k", schema.String),
			Regions: &database.RegionSpec{Count: 1}}
		table, err := f.gateways[0].CreateTable(f.t.Context(), spec)
		f.must(err)
		f.must(of(f, table))
	}
}

// put writes an item through a gateway.
func (f *fleet) put(gateway int, table, key string) {
	f.t.Helper()
	t, err := f.gateways[gateway].Table(table)
	f.must(err)
	f.must(testdoc.Put(f.t.Context(), t, testdoc.Document{"k": key}))
}

// quiet waits until nothing is left of what was done, and forgets what it has cost.
func (f *fleet) quiet() {
	time.Sleep(2 * time.Minute)
	f.cluster.Take()
}

// during returns what the cluster is asked in a time.
func (f *fleet) during(d time.Duration) Usage {
	f.cluster.Take()
	time.Sleep(d)
	return f.cluster.Take()
}

// while returns what the cluster is asked while something is done, and how long that takes.
func (f *fleet) while(do func()) (Usage, time.Duration) {
	f.cluster.Take()
	began := time.Now()
	do()
	return f.cluster.Take(), time.Since(began)
}
