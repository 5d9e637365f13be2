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
	"github.com/weftdb/weft/internal/testing/testdoc"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/order"
)

// takeOver is work that one gateway does for all.
type takeOver struct {
	name string
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
		{"builds of indexes", nil,
			func(ctx context.Context, o *orphan) error { return o.table.AddIndex(ctx, index) },
			isIdle},
		{"freeing of space",
			func(ctx context.Context, o *orphan) error {
				return errors.Join(o.table.AddIndex(ctx, index), o.WaitJobs(ctx))
			},
			func(ctx context.Context, o *orphan) error { return o.table.DropIndex(ctx, "by0") },
			isIdle},
		{"expiry",
			func(ctx context.Context, o *orphan) error { return o.table.SetExpiry(ctx, "at") },
			func(ctx context.Context, o *orphan) error {
				return testdoc.Put(ctx, o.table, testdoc.Document{"pk": 1, "at": time.Now().Unix() - 1})
			},
			func(ctx context.Context, o *orphan) (bool, error) {
				n, err := o.entries(ctx, keyspace.AppendRows(nil, o.id(), 0))
				return n == 0, err
			}},
		{"learning of codecs",
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
		{"streams", beginStream,
			func(ctx context.Context, o *orphan) error {
				return testdoc.Put(ctx, o.table, testdoc.Document{"pk": 1})
			},
			func(ctx context.Context, o *orphan) (bool, error) {
				n, err := o.entries(ctx, keyspace.AppendTableJournal(nil, o.id()))
				return n == 1, err
			}},
		{"trimming of streams",
			func(ctx context.Context, o *orphan) error {
				return errors.Join(beginStream(ctx, o), testdoc.Put(ctx, o.table, testdoc.Document{"pk": 1}),
					until(ctx, func() (bool, error) {
						n, err := o.entries(ctx, keyspace.AppendTableJournal(nil, o.id()))
						return n == 1, err
					}))
			},
			func(ctx context.Context, o *orphan) error {
				o.ahead.Add(int64(schema.StreamHours*time.Hour + 4*database.ReaderGrace))
				return nil
			},
			func(ctx context.Context, o *orphan) (bool, error) {
				// as background work does each minute
				if err := o.LookAfterJournal(ctx); err != nil {
					return false, err
				}
				n, err := o.entries(ctx, keyspace.AppendTableJournal(nil, o.id()))
				return n == 0, err
			}},
		{"asynchronous indexes",
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
		{"copies of tables", nil,
			func(ctx context.Context, o *orphan) error {
				_, err := o.BackupTable(ctx, "", "t", "copy")
				return err
			},
			isAtRest},
		{"restores to a moment",
			func(ctx context.Context, o *orphan) error {
				return errors.Join(o.table.SetRecovery(ctx, 1), testdoc.Put(ctx, o.table, testdoc.Document{"pk": 1}))
			},
			func(ctx context.Context, o *orphan) error {
				_, err := o.RestoreTableAt(ctx, "", "t", time.Now(), "was", func(*schema.Table) error { return nil })
				return err
			},
			func(ctx context.Context, o *orphan) (bool, error) {
				arrivals, err := o.Arrivals(ctx)
				if err != nil || len(arrivals) > 0 {
					return false, err
				}
				_, err = o.Table("was")
				return true, err
			}},
		{"everything else",
			func(_ context.Context, o *orphan) error { o.SendsChanges(); return nil }, nil,
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
	return o.table.BeginStream(ctx, database.NewImage)
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

// TestTakenOverByAnother: of each work that one gateway does for all, another one does what comes after that has
// vanished.
func TestTakenOverByAnother(t *testing.T) {
	for _, e := range engines() {
		for _, work := range takeOvers() {
			t.Run(fmt.Sprint(e.name, "/", work.name), func(t *testing.T) {
				t.Parallel()
				ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
				defer cancel()
				handle, _ := e.open(t)
				o := &orphan{store: handle()}
				options := func(options *database.Options) {
					options.RebuildInterval, options.RebuildRowsMin = e.lease/10, learnedFrom
					options.Now = func() time.Time { return time.Now().Add(time.Duration(o.ahead.Load())) }
				}
				first := openGatewayWith(t, e, handle(), options)
				first.db.SendsChanges() // as one with an endpoint of Kinesis
				o.DB = openGatewayWith(t, e, handle(), options).db
				var err error
				if o.table, err = o.CreateTable(ctx, spec()); err != nil {
					t.Fatal(err)
				}
				if work.before != nil {
					if err := work.before(ctx, o); err != nil {
						t.Fatal(err)
					}
				}
				if status, _ := first.db.Gateway(); len(status.Works) < 7 {
					t.Fatalf("the first gateway owns %q", status.Works)
				}
				first.kill()
				if work.after != nil {
					if err := work.after(ctx, o); err != nil {
						t.Fatal(err)
					}
				}
				if err := until(ctx, func() (bool, error) { return work.done(ctx, o) }); err != nil {
					t.Error(err)
				}
			})
		}
	}
}
