// SPDX-License-Identifier: Apache-2.0

package weft_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/weftdb/weft"
)

// check ends an example whose call failed; a program would return the error.
func check(err error) {
	if err != nil {
		panic(err)
	}
}

// openMemory opens a database that keeps nothing, for the examples below.
func openMemory() (db *weft.DB, closeAll func()) {
	db, err := weft.OpenMemory(context.Background(), weft.Options{})
	check(err)
	return db, func() { check(db.Close()) }
}

// show prints the items of a query, one attribute of each.
func show(table *weft.Table, q weft.Query, attribute string) {
	var found []any
	for item, err := range table.Query(context.Background(), q) {
		check(err)
		x, _ := item.Value(attribute)
		found = append(found, x)
	}
	fmt.Println(found)
}

// A database in a folder, closed and opened again. The second time, EnsureTable finds the table that the first one
// has made.
func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "weft")
	check(err)
	defer os.RemoveAll(dir)
	for range 2 {
		db, err := weft.Open(ctx, dir, weft.Options{})
		check(err)
		key := weft.Key(weft.String("country"), weft.String("name"))
		cities, err := db.EnsureTable(ctx, weft.TableSpec{Name: "cities", Key: key})
		check(err)
		nara := weft.Document{"country": "JP", "name": "Nara"}
		item, err := cities.Update(ctx, nara, weft.Attribute("visits").Add(1))
		check(err)
		visits, _ := item.Int("visits")
		fmt.Println(visits)
		check(db.Close())
	}
	// Output:
	// 1
	// 2
}

// Items are maps of Go values. Numbers come back as json.Number, which loses no digit.
func ExampleTable_Put() {
	ctx := context.Background()
	db, closeAll := openMemory()
	defer closeAll()
	books, err := db.CreateTable(ctx, weft.TableSpec{Name: "books", Key: weft.Key(weft.String("isbn"))})
	check(err)
	check(books.Put(ctx, weft.Document{
		"isbn":  "978-0",
		"price": 12.5,
		"tags":  weft.Set{"sea", "whale"},
		"by":    map[string]any{"name": "Herman", "born": 1819},
	}))
	item, ok, err := books.Get(ctx, weft.Document{"isbn": "978-0"})
	check(err)
	fmt.Println(ok, item.Document()["price"], item.Document()["tags"], item.Document()["by"])
	_, ok, err = books.Get(ctx, weft.Document{"isbn": "978-1"})
	fmt.Println(ok, err)
	// Output:
	// true 12.5 [sea whale] map[born:1819 name:Herman]
	// false <nil>
}

// Conditions are checked and the item is changed in one step, so that counters lose no count and nobody sells what
// is not there.
func ExampleTable_Update() {
	ctx := context.Background()
	db, closeAll := openMemory()
	defer closeAll()
	stock, err := db.CreateTable(ctx, weft.TableSpec{Name: "stock", Key: weft.Key(weft.String("sku"))})
	check(err)

	// Only if it is new.
	pen := weft.Document{"sku": "pen", "left": 2}
	check(stock.Put(ctx, pen, weft.Attribute("sku").Missing()))
	err = stock.Put(ctx, pen, weft.Attribute("sku").Missing())
	fmt.Println("put again:", weft.KindOf(err), errors.Is(err, weft.ErrConditionFailed))

	// Only as long as some are left.
	left := weft.Attribute("left")
	for range 3 {
		item, err := stock.Update(ctx, weft.Document{"sku": "pen"}, left.Add(-1), left.AtLeast(1))
		if err != nil {
			fmt.Println("sold out:", weft.KindOf(err))
			break
		}
		n, _ := item.Int("left")
		fmt.Println("left:", n)
	}

	// Several changes at once; an item that is not there begins with its key alone.
	several := weft.Updates(left.Set(7), weft.Attribute("color").Set("blue"), weft.Attribute("old").Remove())
	item, err := stock.Update(ctx, weft.Document{"sku": "ink"}, several)
	fmt.Println(item.Document(), err)
	// Output:
	// put again: condition failed true
	// left: 1
	// left: 0
	// sold out: condition failed
	// map[color:blue left:7 sku:ink] <nil>
}

// Conditions on the key bound what is read. The first key part is given; the second takes every kind of range, in
// both directions.
func ExampleTable_Query() {
	ctx := context.Background()
	db, closeAll := openMemory()
	defer closeAll()
	key := weft.Key(weft.String("device"), weft.Number("at"))
	readings, err := db.CreateTable(ctx, weft.TableSpec{Name: "readings", Key: key})
	check(err)
	for at := 10; at <= 50; at += 10 {
		check(readings.Put(ctx, weft.Document{"device": "a", "at": at, "celsius": at / 2}))
		check(readings.Put(ctx, weft.Document{"device": "b", "at": at + 5}))
	}

	device, at := weft.Attribute("device"), weft.Attribute("at")
	a := device.Equal("a")
	for _, where := range []weft.Condition{
		a, at.Equal(30), at.Less(30), at.AtMost(30), at.Greater(30), at.AtLeast(30), at.Between(20, 40),
	} {
		show(readings, weft.Query{Where: weft.All(a, where)}, "at")
	}
	show(readings, weft.Query{Where: a, Reverse: true}, "at")
	// The rest of a condition filters what was read.
	show(readings, weft.Query{Where: a, Filter: weft.Attribute("celsius").Greater(10)}, "at")
	// Tables are ordered across partition keys too.
	show(readings, weft.Query{Where: device.Between("a", "b"), Reverse: true}, "at")
	// Output:
	// [10 20 30 40 50]
	// [30]
	// [10 20]
	// [10 20 30]
	// [40 50]
	// [30 40 50]
	// [20 30 40]
	// [50 40 30 20 10]
	// [30 40 50]
	// [55 45 35 25 15 50 40 30 20 10]
}

// Pages: a walk that a limit ended goes on after its last key.
func ExampleCursor_LastKey() {
	ctx := context.Background()
	db, closeAll := openMemory()
	defer closeAll()
	table, err := db.CreateTable(ctx, weft.TableSpec{Name: "numbers", Key: weft.Key(weft.Number("n"))})
	check(err)
	for n := range 7 {
		check(table.Put(ctx, weft.Document{"n": n}))
	}
	q := weft.Query{ExaminedMax: 3}
	for more := true; more; {
		c, err := table.Cursor(ctx, q)
		check(err)
		for c.Next() {
			n, _ := c.Item().Int("n")
			fmt.Print(n, " ")
		}
		q.After, err = c.LastKey()
		check(err)
		more = c.More()
		check(c.Close())
		fmt.Println("page read")
	}
	// Output:
	// 0 1 2 page read
	// 3 4 5 page read
	// 6 page read
}

// An index holds only items that have all its key attributes. Its entries change with the item, in the same commit.
func ExampleIndexSpec() {
	ctx := context.Background()
	db, closeAll := openMemory()
	defer closeAll()
	tasks, err := db.CreateTable(ctx, weft.TableSpec{
		Name:    "tasks",
		Key:     weft.Key(weft.String("id")),
		Indexes: []weft.IndexSpec{{Name: "due", Key: weft.Key(weft.String("owner"), weft.String("due"))}},
	})
	check(err)
	check(tasks.Put(ctx, weft.Document{"id": "paint", "owner": "ann", "due": "2024-07-03"}))
	check(tasks.Put(ctx, weft.Document{"id": "sweep", "owner": "ann"}))
	check(tasks.Put(ctx, weft.Document{"id": "build", "owner": "ann", "due": "2024-07-01"}))

	due := weft.Query{Index: "due", Where: weft.Attribute("owner").Equal("ann")}
	show(tasks, due, "id")
	_, err = tasks.Update(ctx, weft.Document{"id": "build"}, weft.Attribute("due").Remove())
	check(err)
	show(tasks, due, "id")
	// Output:
	// [build paint]
	// [paint]
}

// A key part can be computed. Items do not carry it: they carry what it is computed of.
func ExampleString() {
	ctx := context.Background()
	db, closeAll := openMemory()
	defer closeAll()
	place := weft.String("concat(country,'#',city)")
	visits, err := db.CreateTable(ctx, weft.TableSpec{
		Name:    "visits",
		Key:     weft.Key(weft.Number("id")),
		Indexes: []weft.IndexSpec{{Name: "place", Key: weft.Key(place, weft.Number("at").Desc())}},
	})
	check(err)
	for id, city := range []string{"Nara", "Kobe", "Nara", "Kobe"} {
		check(visits.Put(ctx, weft.Document{"id": id, "country": "JP", "city": city, "at": 100 + id}))
	}
	show(visits, weft.Query{Index: "place", Where: weft.Attribute(place.String()).Equal("JP#Nara")}, "at")
	// Conditions on its inputs find it too.
	kobe := weft.All(weft.Attribute("country").Equal("JP"), weft.Attribute("city").Equal("Kobe"))
	show(visits, weft.Query{Index: "place", Where: kobe}, "at")
	// Output:
	// [102 100]
	// [103 101]
}

// A transaction reads and writes items of any tables, and runs again if another one changed what it has read.
func ExampleDB_Update() {
	ctx := context.Background()
	db, closeAll := openMemory()
	defer closeAll()
	accounts, err := db.CreateTable(ctx, weft.TableSpec{Name: "accounts", Key: weft.Key(weft.String("owner"))})
	check(err)
	check(accounts.Put(ctx, weft.Document{"owner": "ann", "cents": 1_000}))
	check(accounts.Put(ctx, weft.Document{"owner": "bob", "cents": 0}))

	errPoor := errors.New("not enough money")
	transfer := func(from, to string, cents int64) error {
		return db.Update(ctx, func(ctx context.Context, tx *weft.Tx) error {
			accounts := tx.Table("accounts")
			payer, _, err := accounts.Get(ctx, weft.Document{"owner": from})
			if err != nil {
				return err
			}
			if has, _ := payer.Int("cents"); has < cents {
				return errPoor // nothing is written
			}
			balance := weft.Attribute("cents")
			if _, err := accounts.Update(ctx, weft.Document{"owner": from}, balance.Add(-cents)); err != nil {
				return err
			}
			_, err = accounts.Update(ctx, weft.Document{"owner": to}, balance.Add(cents))
			return err
		})
	}
	var group sync.WaitGroup
	refused := make(chan error, 12)
	for range 12 {
		group.Go(func() {
			if err := transfer("ann", "bob", 100); err != nil {
				refused <- err
			}
		})
	}
	group.Wait()
	close(refused)
	for err := range refused {
		fmt.Println("refused:", errors.Is(err, errPoor))
	}
	show(accounts, weft.Query{}, "cents")
	// Output:
	// refused: true
	// refused: true
	// [0 1000]
}

// Several workers share a scan of one snapshot: together they read each item once.
func ExampleTable_Scan() {
	ctx := context.Background()
	db, closeAll := openMemory()
	defer closeAll()
	events, err := db.CreateTable(ctx, weft.TableSpec{Name: "events", Key: weft.Key(weft.Number("id"))})
	check(err)
	for id := range 1_000 {
		check(events.Put(ctx, weft.Document{"id": id}))
	}
	var sum, count atomic.Int64
	check(events.Scan(ctx, weft.Query{}, 4, func(item weft.Item) error {
		id, _ := item.Int("id")
		sum.Add(id)
		count.Add(1)
		return nil
	}))
	fmt.Println(count.Load(), "items,", sum.Load())
	// Output: 1000 items, 499500
}

// An index can be added to a table in use. Writers are not held up; the index answers once it is whole.
func ExampleTable_AddIndex() {
	ctx := context.Background()
	db, closeAll := openMemory()
	defer closeAll()
	users, err := db.CreateTable(ctx, weft.TableSpec{Name: "users", Key: weft.Key(weft.Number("id"))})
	check(err)
	for id, name := range []string{"dan", "ann", "cho", "bob"} {
		check(users.Put(ctx, weft.Document{"id": id, "name": name}))
	}

	check(users.AddIndex(ctx, weft.IndexSpec{Name: "name", Key: weft.Key(weft.String("name"))}))
	check(users.Put(ctx, weft.Document{"id": 4, "name": "bea"})) // while it is built
	check(users.WaitIndex(ctx, "name"))                          // or go on, and find KindBusy until then
	show(users, weft.Query{Index: "name"}, "name")

	report, err := users.Verify(ctx)
	check(err)
	fmt.Println(report.Rows, "rows,", report.Entries, "entries,", len(report.Faults), "faults")
	// Output:
	// [ann bea bob cho dan]
	// 5 rows, 5 entries, 0 faults
}

// Attributes that end: what was not written lately is not seen.
func ExampleTable_SetCells() {
	ctx := context.Background()
	var now atomic.Int64 // Weft asks for the time in the background, too
	now.Store(1_700_000_000_000)
	db, err := weft.OpenMemory(ctx, weft.Options{
		Now: func() time.Time { return time.UnixMilli(now.Load()) }, ExpiryInterval: -1,
	})
	check(err)
	defer func() { check(db.Close()) }()
	table, err := db.CreateTable(ctx, weft.TableSpec{Name: "cars", Key: weft.Key(weft.String("car"))})
	check(err)
	check(table.SetCells(ctx, weft.CellRules{Life: time.Minute}))
	check(table.Put(ctx, weft.Document{"car": "A1", "speed": 50, "place": "Nara"}))
	now.Add(40_000)
	_, err = table.Update(ctx, weft.Document{"car": "A1"}, weft.Attribute("speed").Set(70))
	check(err)
	for range 3 {
		item, ok, err := table.Get(ctx, weft.Document{"car": "A1"})
		check(err)
		fmt.Println(ok, item.Document())
		now.Add(40_000)
	}
	// Output:
	// true map[car:A1 place:Nara speed:70]
	// true map[car:A1 speed:70]
	// false map[]
}

// Values with times of their writer's choice, and older versions of them.
func ExampleCellSelect() {
	ctx := context.Background()
	db, closeAll := openMemory()
	defer closeAll()
	table, err := db.CreateTable(ctx, weft.TableSpec{
		Name: "cars", Key: weft.Key(weft.String("car")), Cells: &weft.CellRules{Versions: 3},
	})
	check(err)
	for _, report := range []struct{ at, speed int64 }{{1000, 50}, {3000, 90}, {2000, 70}} { // the last one comes late
		at := table.At(weft.Stamp{AtMS: report.at})
		_, err := at.Update(ctx, weft.Document{"car": "A1"}, weft.Attribute("speed").Set(report.speed))
		check(err)
	}
	show(table, weft.Query{}, "speed")
	show(table, weft.Query{Cells: &weft.CellSelect{Versions: 2}}, "speed")
	show(table, weft.Query{Cells: &weft.CellSelect{ToMS: 2000, Times: "_at"}}, "speed_at")
	// Output:
	// [90]
	// [90 70]
	// [1000]
}
