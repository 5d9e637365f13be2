// SPDX-License-Identifier: Apache-2.0

package gateway

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/weftdb/weft/internal/data/keyspace"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/history/capture"
	"github.com/weftdb/weft/internal/testing/testdoc"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/order"
)

// takeOver is work that one gateway does for all.
type takeOver struct {
	name, work string
	// before is done while its owner is there, after when that has vanished; nil: nothing.
	before, after func(ctx context.Context, o *orphan) error
	// done reports whether the work was done for what happened after.
	done func(ctx context.Context, o *orphan) (bool, error)
}

// orphan is a gateway that is left alone.
type orphan struct {
	*database.DB
	table *database.Table
	store kv.Store
	ahead atomic.Int64 // of its clock and the vanished one's, nanoseconds
}

// takeOvers are all works that one gateway does for all.
func takeOvers() []takeOver {
	index := database.IndexSpec{Name: "by0", Key: database.Columns("a0", schema.String)}
	return []takeOver{
		{"builds of indexes", "jobs", nil,
			func(ctx context.Context, o *orphan) error { return o.table.AddIndex(ctx, index) },
			isIdle},
		{"freeing of space", "jobs",
			func(ctx context.Context, o *orphan) error {
				return errors.Join(o.table.AddIndex(ctx, index), o.WaitJobs(ctx))
			},
			func(ctx context.Context, o *orphan) error { return o.table.DropIndex(ctx, "by0") },
			isIdle},
		{"expiry", "expiry",
			func(ctx context.Context, o *orphan) error { return o.table.SetExpiry(ctx, "at") },
			func(ctx context.Context, o *orphan) error {
				return testdoc.Put(ctx, o.table, testdoc.Document{"pk": 1, "at": time.Now().Unix() - 1})
			},
			func(ctx context.Context, o *orphan) (bool, error) {
				n, err := o.entries(ctx, keyspace.AppendRows(nil, o.id(), 0))
				return n == 0, err
			}},
		{"learning of codecs", "rebuilds",
			func(ctx context.Context, o *orphan) error {
				part, err := database.Part("zorder(x f64, y f64)", schema.Binary)
				if err != nil {
					return err
				}
				return o.table.AddIndex(ctx, database.IndexSpec{Name: "z", Key: []schema.KeyPart{part}})
			},
			func(ctx context.Context, o *orphan) (err error) {
				for i := range learnedFrom {
					err = errors.Join(err, testdoc.Put(ctx, o.table, testdoc.Document{"pk": i, "x": i * i, "y": 1000 - i}))
				}
				return err
			},
			func(ctx context.Context, o *orphan) (bool, error) {
				p, err := o.table.Pin()
				if err != nil {
					return false, err
				}
				defer p.Release()
				return slices.ContainsFunc(p.Descriptor().Indexes,
					func(x schema.Index) bool { return x.Rebuild != nil && x.State == schema.Active }), nil
			}},
		{"streams", "journal", beginStream,
			func(ctx context.Context, o *orphan) error {
				return testdoc.Put(ctx, o.table, testdoc.Document{"pk": 1})
			},
			func(ctx context.Context, o *orphan) (bool, error) {
				n, err := o.entries(ctx, keyspace.AppendTableJournal(nil, o.id()))
				return n == 1, err
			}},
		{"trimming of streams", "journal",
			func(ctx context.Context, o *orphan) error {
				return errors.Join(beginStream(ctx, o), testdoc.Put(ctx, o.table, testdoc.Document{"pk": 1}),
					until(ctx, func() (bool, error) {
						n, err := o.entries(ctx, keyspace.AppendTableJournal(nil, o.id()))
						return n == 1, err
					}))
			},
			func(ctx context.Context, o *orphan) error {
				o.ahead.Add(int64(schema.StreamHours*time.Hour + 4*capture.ReaderGrace))
				return nil
			},
			func(ctx context.Context, o *orphan) (bool, error) {
				// as background work does each minute
				if err := o.Changes().Trim(ctx); err != nil {
					return false, err
				}
				n, err := o.entries(ctx, keyspace.AppendTableJournal(nil, o.id()))
				return n == 0, err
			}},
		{"asynchronous indexes", "follow",
			func(ctx context.Context, o *orphan) error {
				spec := database.IndexSpec{Name: "words", Key: database.Columns("a0", schema.String), Search: true,
					Async: &schema.Async{}}
				return errors.Join(o.table.AddIndex(ctx, spec), o.WaitJobs(ctx))
			},
			func(ctx context.Context, o *orphan) error {
				return testdoc.Put(ctx, o.table, testdoc.Document{"pk": 1, "a0": "x"})
			},
			func(ctx context.Context, o *orphan) (bool, error) {
				p, err := o.table.Pin()
				if err != nil {
					return false, err
				}
				defer p.Release()
				x, _ := p.Descriptor().Index("words")
				n, err := o.entries(ctx, keyspace.AppendRows(nil, o.id(), x.ID))
				return n > 0, err
			}},
		{"copies of tables", "tasks", nil,
			func(ctx context.Context, o *orphan) error {
				_, err := o.Recovery().Backup(ctx, "", "t", "copy")
				return err
			},
			isAtRest},
		{"restores to a moment", "tasks",
			func(ctx context.Context, o *orphan) error {
				kept := o.table.Edit(ctx, func(d *schema.Table) error { return o.Recovery().Keep(d, 1) })
				return errors.Join(kept, testdoc.Put(ctx, o.table, testdoc.Document{"pk": 1}))
			},
			func(ctx context.Context, o *orphan) error {
				_, err := o.Recovery().RestoreAt(ctx, "", "t", time.Now(), "was", func(*schema.Table) error { return nil })
				return err
			},
			func(ctx context.Context, o *orphan) (bool, error) {
				arrivals, err := o.Recovery().Arrivals(ctx)
				if err != nil || len(arrivals) > 0 {
					return false, err
				}
				_, err = o.Table("was")
				return true, err
			}},
		{"everything else", "",
			func(_ context.Context, o *orphan) error { o.Changes().SendsChanges(); return nil }, nil,
			func(_ context.Context, o *orphan) (bool, error) {
				status, _ := o.Gateway()
				slices.Sort(status.Works)
				return slices.Equal(status.Works, []string{"collect", "expiry", "follow", "jobs", "journal", "kinesis",
					"rebuilds", "tasks"}), nil
			}},
	}
}

// learnedFrom is the number of rows from which on codecs are learned.
const learnedFrom = 300

func beginStream(ctx context.Context, o *orphan) error {
	return o.table.Edit(ctx, func(d *schema.Table) error { return o.Changes().StreamOn(d, schema.NewImage) })
}

func isIdle(ctx context.Context, o *orphan) (bool, error) { return true, o.WaitJobs(ctx) }

func isAtRest(ctx context.Context, o *orphan) (bool, error) { return true, o.Tasks().Wait(ctx) }

func (o *orphan) id() uint32 {
	p, err := o.table.Pin()
	if err != nil {
		return 0
	}
	defer p.Release()
	return p.Descriptor().ID
}

// entries is the number of keys below a prefix.
func (o *orphan) entries(ctx context.Context, prefix []byte) (n int, err error) {
	reader, err := o.store.Read(ctx)
	if err != nil {
		return 0, err
	}
	defer reader.Close()
	end, _ := order.PrefixEnd(nil, prefix)
	cursor := reader.Scan(ctx, kv.Range{Start: prefix, End: end}, false)
	for cursor.Next() {
		n++
	}
	return n, cursor.Close()
}

// until returns once a condition holds.
func until(ctx context.Context, holds func() (bool, error)) error {
	for {
		if ok, err := holds(); ok || err != nil {
			return err
		}
		select {
		case <-time.After(time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// takeOverLease is long enough that gateways keep their work on a busy machine, as a rule.
const takeOverLease = 2 * time.Second

// TestTakenOverByAnother: of each work that one gateway does for all, another one does what comes after that has
// vanished.
func TestTakenOverByAnother(t *testing.T) {
	for _, e := range engines() {
		e.lease = takeOverLease
		for _, work := range takeOvers() {
			t.Run(fmt.Sprint(e.name, "/", work.name), func(t *testing.T) {
				t.Parallel()
				work.run(t, e)
			})
		}
	}
}

func (work *takeOver) run(t *testing.T, e engine) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	handle, _ := e.open(t)
	o := &orphan{store: handle()}
	var two []*gateway
	for range 2 {
		g := openGatewayWith(t, e, handle(), func(options *database.Options) {
			options.RebuildInterval, options.RebuildRowsMin = e.lease/10, learnedFrom
			options.Now = func() time.Time { return time.Now().Add(time.Duration(o.ahead.Load())) }
		})
		g.db.Changes().SendsChanges() // as one with an endpoint of Kinesis
		two = append(two, g)
	}
	o.DB = two[1].db
	if _, err := o.CreateTable(ctx, spec()); err != nil {
		t.Fatal(err)
	}
	o.insist(ctx, t, work.before)
	if status, _ := two[1].db.Gateway(); slices.Contains(status.Works, work.work) { // on a busy machine
		slices.Reverse(two)
		o.DB = two[1].db
	}
	two[0].kill()
	o.insist(ctx, t, work.after)
	o.insist(ctx, t, func(ctx context.Context, o *orphan) error {
		return until(ctx, func() (bool, error) {
			done, err := work.done(ctx, o)
			if err != nil && database.KindOf(err) == database.KindNotFound {
				return false, nil // yet
			}
			return done, err
		})
	})
}

// insist does something until it succeeds; nil: nothing.
func (o *orphan) insist(ctx context.Context, t *testing.T, do func(context.Context, *orphan) error) {
	t.Helper()
	if do == nil {
		return
	}
	err := until(ctx, func() (bool, error) {
		var err error
		if o.table, err = o.Table("t"); err == nil {
			err = do(ctx, o)
		}
		if kind := database.KindOf(err); err == nil || kind == database.KindExists || kind == database.KindNotFound {
			return true, nil // an attempt before has done it
		}
		if !expected(err) {
			return false, err
		}
		return false, ctx.Err()
	})
	if err != nil {
		t.Fatal(err)
	}
}
