// SPDX-License-Identifier: Apache-2.0

package scale

import (
	"bytes"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/weftdb/weft/internal/data/expr"
	"github.com/weftdb/weft/internal/data/keyspace"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/testing/rounds"
	"github.com/weftdb/weft/internal/testing/testdoc"
	"github.com/weftdb/weft/kv"
)

// scene is work of a cluster at some sizes.
type scene struct {
	name     string
	gateways []int
	sizes    []int // of what the name says; none: 1
	// measure does the work, in a bubble with so many gateways.
	measure func(f *fleet, size int) outcome
	// most is the number of requests, and keys read and stepped over, that may be counted for each unit.
	most func(gateways, size int) (requests, keys float64)
}

// outcome is what work has asked the cluster for, in some units such as seconds, with a remark.
type outcome struct {
	u      Usage
	units  float64
	remark string
}

// TestPage measures what docs/scale.md tells, prints its table, and holds it to bounds that grow with what they should.
// WEFT_ROUNDS beyond 1 takes the sizes of the page: 300 gateways, a million regions.
func TestPage(t *testing.T) {
	t.Log("| work | gateways | size | requests | to PD | keys | dead keys | hottest region, ms | MB | |")
	for _, s := range slices.Concat(gatewayScenes(), tableScenes(), regionScenes()) {
		for _, gateways := range upTo(s.gateways, 30) {
			for _, size := range upTo(s.sizes, 100) {
				t.Run(fmt.Sprint(s.name, "/", gateways, "/", size), func(t *testing.T) {
					simulate(t, Options{Stores: 1000}, gateways, func(f *fleet) { f.measure(s, size) })
				})
			}
		}
	}
}

// upTo returns the numbers that a short run takes.
func upTo(all []int, most int) []int {
	if len(all) == 0 {
		return []int{1}
	}
	if rounds.Long() {
		return all
	}
	return slices.DeleteFunc(slices.Clone(all), func(n int) bool { return n > most })
}

func (f *fleet) measure(s scene, size int) {
	o := s.measure(f, size)
	u, units := &o.u, o.units
	requests, keys := float64(u.Requests()+u.Driver)/units, float64(u.Entries+u.Stepped)/units
	f.t.Logf("| %s | %d | %d | %.3g | %.3g | %.3g | %.3g | %.3g | %.2g | %s |", s.name, len(f.gateways), size,
		float64(u.Requests())/units, float64(u.Driver)/units, float64(u.Entries)/units, float64(u.Stepped)/units,
		1000*u.Hottest().Seconds()/units, float64(u.Bytes)/units/1e6, o.remark)
	mostRequests, mostKeys := s.most(len(f.gateways), size)
	if requests > mostRequests || keys > mostKeys {
		f.t.Errorf("%s with %d gateways, size %d: %.0f requests and %.0f keys, want at most %.0f and %.0f", s.name,
			len(f.gateways), size, requests, keys, mostRequests, mostKeys)
	}
}

// gatewayScenes are work that grows with the gateways.
func gatewayScenes() []scene {
	fleets := []int{3, 30, 300}
	const startTables = 100
	return []scene{
		{"nothing, a second", fleets, nil, func(f *fleet, _ int) outcome {
			f.quiet()
			return outcome{f.during(time.Minute), 60, ""}
		}, func(n, _ int) (float64, float64) { return 2 * float64(n), 1 }},

		{"gateways start at once; so many", []int{3}, fleets, func(f *fleet, more int) outcome {
			f.make("t", startTables, plain)
			u, _ := f.while(func() { f.join(more, 0) })
			return outcome{u, 1, fmt.Sprint(u.Conflicts, " conflicts")}
		}, func(_, more int) (float64, float64) {
			return 100 * float64(more), float64((2*startTables + 100) * more)
		}},

		{"a new table beside others; tables", fleets, []int{10, 100}, func(f *fleet, tables int) outcome {
			f.make("t", tables, plain)
			f.quiet()
			u, took := f.while(func() { f.make("u", 1, plain) })
			return outcome{u, 1, took.String()}
		}, func(n, _ int) (float64, float64) { return 100 + 40*float64(n), 100 + 100*float64(n) }},

		{"an owner of all work vanishes", fleets, nil, func(f *fleet, _ int) outcome {
			f.quiet()
			gone, took := f.stores[f.owner("journal", nil)], map[string]time.Duration{}
			f.must(gone.Close())
			u, whole := f.while(func() {
				for began := time.Now(); len(took) < 2 && time.Since(began) < 5*time.Minute; time.Sleep(time.Second) {
					for _, work := range []string{"journal", "jobs"} {
						if took[work] == 0 && f.owner(work, gone) >= 0 {
							took[work] = time.Since(began)
						}
					}
				}
			})
			remark := fmt.Sprintf("streams after %v, all after %v", took["journal"], took["jobs"])
			return outcome{u, whole.Seconds(), remark}
		}, func(n, _ int) (float64, float64) { return 20 + 4*float64(n), 100 }},
	}
}

// owner is the gateway that has a work, other than one; -1: none.
func (f *fleet) owner(work string, other *Store) int {
	for i, db := range f.gateways {
		if s, _ := db.Gateway(); f.stores[i] != other && slices.Contains(s.Works, work) {
			return i
		}
	}
	return -1
}

// tableScenes are work that grows with the tables, or with what is written to one.
func tableScenes() []scene {
	three, tables := []int{3}, []int{10, 100}
	idle := func(of kind) func(f *fleet, tables int) outcome {
		return func(f *fleet, tables int) outcome {
			f.make("t", tables, of)
			f.quiet()
			return outcome{f.during(5 * time.Minute), 300, ""}
		}
	}
	const minutes = 8
	return []scene{
		{"nothing, a second; tables with streams", three, tables, idle(streamed),
			func(_, tables int) (float64, float64) { return 8 + float64(tables)/5, 1 }},
		{"nothing, a second; tables with TTL", three, tables, idle(expiring),
			func(_, tables int) (float64, float64) { return 8 + 2.5*float64(tables), 1 + float64(tables) }},
		{"nothing, a second; tables with asynchronous indexes", three, tables, idle(followed),
			func(_, tables int) (float64, float64) { return 8 + float64(tables), 1 + float64(tables) }},
		{"changes a second of one table with a stream", three, []int{10, 100, 500},
			func(f *fleet, rate int) outcome {
				f.make("t", 1, streamed)
				f.write(minutes*60*rate, rate)
				u, _ := f.while(func() { f.write(60*rate, rate) })
				return outcome{u, 60, ""}
			}, func(n, rate int) (float64, float64) {
				return 300 + 10*float64(rate) + 2*float64(n), float64(400 * rate)
			}},
		{"1,000 changes move to the journal", three, nil, func(f *fleet, _ int) outcome {
			f.make("t", 1, streamed)
			f.quiet()
			const thousands = 8
			for i := range thousands * 1000 {
				f.put(i%len(f.gateways), "t0", fmt.Sprint(i))
			}
			u := f.during(time.Second)
			return outcome{u, thousands, fmt.Sprintf("%.0f ms of stores", 1000*u.Work.Seconds()/thousands)}
		}, func(_, _ int) (float64, float64) { return 100, 10_000 }},
	}
}

// write writes items to a table, through all gateways in turn, so many a second.
func (f *fleet) write(count, rate int) {
	f.t.Helper()
	for i := range count {
		f.put(i%len(f.gateways), "t0", fmt.Sprint(time.Now().UnixNano()))
		time.Sleep(time.Second / time.Duration(rate))
	}
}

// regionScenes are work that grows with the regions of one table.
func regionScenes() []scene {
	one, regions := []int{1}, []int{100, 10_000, 1_000_000}
	return []scene{
		{"a new table; regions", one, regions, func(f *fleet, regions int) outcome {
			f.big(100, regions)
			before := f.cluster.Regions()
			u, _ := f.while(func() {
				_, err := f.gateways[0].CreateTable(f.t.Context(),
					database.TableSpec{Name: "new", Key: database.Columns("k", schema.String)})
				f.must(err)
			})
			return outcome{u, 1, fmt.Sprint(f.cluster.Regions()-before, " more regions")}
		}, func(_, _ int) (float64, float64) { return 400, 100 }},

		{"the number of rows of a large table; regions", one, regions[:1], func(f *fleet, regions int) outcome {
			p := f.big(60_000, regions)
			defer p.Release()
			u, _ := f.while(func() {
				_, err := p.Estimate(f.t.Context(), "")
				f.must(err)
			})
			return outcome{u, 1, ""}
		}, func(_, regions int) (float64, float64) { return 100 + float64(regions), 50_001 }},

		{"a parallel scan begins; regions", one, regions, func(f *fleet, regions int) outcome {
			p := f.big(60_000, regions)
			defer p.Release()
			u, _ := f.while(func() {
				c, err := p.Query(f.t.Context(), database.Query{Segments: 8, ExaminedMax: 1})
				f.must(err)
				c.Next()
				f.must(c.Close())
			})
			return outcome{u, 1, ""}
		}, func(_, regions int) (float64, float64) { return 600 + float64(regions)/100, 600_000 }},

		{"the regions are shown; regions", one, regions, func(f *fleet, regions int) outcome {
			p := f.big(1000, regions)
			defer p.Release()
			u, _ := f.while(func() {
				_, err := p.Regions(f.t.Context(), "")
				f.must(err)
			})
			return outcome{u, 1, ""}
		}, func(_, regions int) (float64, float64) { return 10 + min(4*4096, 4*float64(regions)), 500_000 }},

		{"a query of a thousandth is divided; regions", one, regions, func(f *fleet, regions int) outcome {
			p := f.big(100, regions)
			defer p.Release()
			u, _ := f.while(func() {
				view, err := f.gateways[0].View(f.t.Context())
				f.must(err)
				defer view.Close()
				_, err = view.Split(f.t.Context(), p, database.Query{Where: between(key(500_000), key(501_000))}, 8)
				f.must(err)
			})
			return outcome{u, 1, ""}
		}, func(_, regions int) (float64, float64) { return 10 + float64(regions)/20_000, 100 }},
	}
}

func between(low, high string) expr.Condition {
	text := func(s string) expr.Operand { return &expr.Literal{Value: value.AppendString(nil, []byte(s))} }
	return &expr.Between{X: &expr.Path{Name: "k"}, Low: text(low), High: text(high)}
}

// key is the key of an item of a large table, by its place in a million.
func key(place int) string { return fmt.Sprintf("%06d", place) }

// big makes a table of so many rows, cuts it into regions of the same size, and pins it.
func (f *fleet) big(rows, regions int) database.Pinned {
	f.t.Helper()
	f.make("big", 1, plain)
	for first := 0; first < rows; first += 1000 {
		f.must(f.gateways[0].Update(f.t.Context(), func(tx *database.Tx) error {
			for i := first; i < min(first+1000, rows); i++ {
				item := testdoc.Document{"k": key(i * (1_000_000 / rows))}
				if err := testdoc.PutIn(f.t.Context(), tx, "big0", item); err != nil {
					return err
				}
			}
			return nil
		}))
	}
	p, err := f.gateways[0].PinIn("", "big0")
	f.must(err)
	first := f.firstKey(p.Descriptor().ID)
	before, after, _ := bytes.Cut(first, []byte(key(0)))
	borders := make([]string, regions)
	for i := range borders {
		borders[i] = string(before) + key(i*(1_000_000/regions)) + string(after)
	}
	f.cluster.Split(borders...)
	return p
}

// firstKey is the first key of a table's rows in the store.
func (f *fleet) firstKey(table uint32) []byte {
	reader, err := f.stores[0].Read(f.t.Context())
	f.must(err)
	defer reader.Close()
	walk := reader.Scan(f.t.Context(), kv.Range{Start: keyspace.AppendRows(nil, table, 0)}, false)
	walk.Next()
	found := bytes.Clone(walk.Key())
	f.must(walk.Close())
	return found
}
