// SPDX-License-Identifier: Apache-2.0

package weft_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/weftdb/weft"
)

// Book is an item of the examples below.
type Book struct {
	ISBN  string    `weft:"isbn,key"`
	Title string    `weft:"title"`
	Price float64   `weft:"price"`
	Tags  []string  `weft:"tags,set"`
	Seen  time.Time `weft:"seen,omitempty"`
}

// A table of structs. Conditions and updates name attributes, and take Go values.
func ExampleTableOf() {
	ctx := context.Background()
	db, closeAll := openMemory()
	defer closeAll()
	books, err := weft.EnsureTableOf[Book](ctx, db, weft.TableSpec{Name: "books"})
	check(err)
	check(books.Put(ctx, Book{ISBN: "978-0", Title: "Moby-Dick", Price: 12.5, Tags: []string{"sea", "whale"}}))
	book, ok, err := books.Get(ctx, Book{ISBN: "978-0"})
	check(err)
	fmt.Println(ok, book.Title, book.Price, book.Tags)

	price, tags := weft.Attribute("price"), weft.Attribute("tags")
	book, err = weft.TableOf[Book](db, "books").Update(ctx, book, price.Set(9.5), tags.Contains("sea"))
	check(err)
	fmt.Println(book.Price)
	// Output:
	// true Moby-Dick 12.5 [sea whale]
	// 9.5
}

// An item decodes what is asked for, or all of it into a struct.
func ExampleItem_Decode() {
	ctx := context.Background()
	db, closeAll := openMemory()
	defer closeAll()
	books, err := db.EnsureTable(ctx, weft.TableSpec{Name: "books", Key: weft.Key(weft.String("isbn"))})
	check(err)
	check(books.Put(ctx, weft.Document{"isbn": "978-0", "title": "Moby-Dick", "price": 12.5}))
	item, ok, err := books.Get(ctx, weft.Document{"isbn": "978-0"})
	check(err)
	price, _ := item.Float("price")
	var book Book
	check(item.Decode(&book))
	fmt.Println(ok, item.Text("title"), price, book.Title)
	// Output: true Moby-Dick 12.5 Moby-Dick
}

// Conditions are joined, and may name values inside of documents.
func ExampleAny() {
	ctx := context.Background()
	db, closeAll := openMemory()
	defer closeAll()
	books, err := db.EnsureTable(ctx, weft.TableSpec{Name: "books", Key: weft.Key(weft.Number("id"))})
	check(err)
	check(books.PutAll(ctx,
		weft.Document{"id": 1, "price": 5, "tags": weft.Set{"sea"}, "by": map[string]any{"name": "Herman"}},
		weft.Document{"id": 2, "price": 20, "by": map[string]any{"name": "Jane"}},
		weft.Document{"id": 3, "price": 30, "old": true}))
	price, tags, author := weft.Attribute("price"), weft.Attribute("tags"), weft.Attribute("by", "name")
	for _, filter := range []weft.Condition{
		weft.Any(price.Less(10), author.Equal("Jane")),
		weft.Not(tags.Contains("sea")),
		weft.All(price.In(5, 30), author.Missing()),
		author.NotEqual("Jane"),
		weft.Attribute("old").Exists(),
	} {
		show(books, weft.Query{Filter: filter}, "id")
	}
	// Output:
	// [1 2]
	// [2 3]
	// [3]
	// [1 3]
	// [3]
}

// Several items in one commit, and many read at one snapshot.
func ExampleTable_PutAll() {
	ctx := context.Background()
	db, closeAll := openMemory()
	defer closeAll()
	books, err := db.EnsureTable(ctx, weft.TableSpec{Name: "books", Key: weft.Key(weft.Number("id"))})
	check(err)
	check(books.PutAll(ctx, weft.Document{"id": 1, "title": "Emma"}, weft.Document{"id": 2, "title": "Moby-Dick"}))
	items, err := books.GetAll(ctx, weft.Document{"id": 2}, weft.Document{"id": 7})
	check(err)
	fmt.Println(items[0].Text("title"), items[1].Exists())
	check(books.DeleteAll(ctx, weft.Document{"id": 1}, weft.Document{"id": 2}))
	// Output: Moby-Dick false
}

// Pages: the place where the next one begins can be handed to a client, and comes back with its next request.
func ExampleTable_Query_pages() {
	ctx := context.Background()
	db, closeAll := openMemory()
	defer closeAll()
	table, err := db.EnsureTable(ctx, weft.TableSpec{Name: "numbers", Key: weft.Key(weft.Number("n"))})
	check(err)
	for n := range 5 {
		check(table.Put(ctx, weft.Document{"n": n}))
	}
	var next weft.PageKey
	for {
		page := weft.Query{Limit: 2, After: next, Next: &next}
		for item, err := range table.Query(ctx, page) {
			check(err)
			n, _ := item.Int("n")
			fmt.Print(n, " ")
		}
		fmt.Println("page read")
		if next == nil {
			break
		}
	}
	// Output:
	// 0 1 page read
	// 2 3 page read
	// 4 page read
}

// Explain tells which index a query takes, and about what it costs.
func ExampleTable_Explain() {
	ctx := context.Background()
	db, closeAll := openMemory()
	defer closeAll()
	people, err := db.EnsureTable(ctx, weft.TableSpec{
		Name: "people", Key: weft.Key(weft.Number("id")),
		Indexes: []weft.IndexSpec{{Name: "by-town", Key: weft.Key(weft.String("town"), weft.String("name"))}},
	})
	check(err)
	for id := range 200 {
		check(people.Put(ctx, weft.Document{"id": id, "town": fmt.Sprint("town ", id%20), "name": fmt.Sprint("n", id)}))
	}
	q := weft.Query{
		AnyIndex: true, Where: weft.Attribute("town").Equal("town 7"), Order: []weft.Ordering{{Attribute: "name"}},
		Limit: 2,
	}
	text, err := people.Explain(ctx, q)
	check(err)
	fmt.Println(len(text) > 0)
	c, err := people.Cursor(ctx, q)
	check(err)
	for c.Next() {
		fmt.Println(c.Item().Text("name"))
	}
	first, _, _ := strings.Cut(c.Explain(), "\n")
	fmt.Println(first)
	check(c.Close())
	// Output:
	// true
	// n107
	// n127
	// index by-town (town, name): scan
}

// A Z-order index finds boxes of several attributes, and what is nearest to a point.
func ExampleZOrder() {
	ctx := context.Background()
	db, closeAll := openMemory()
	defer closeAll()
	cities, err := db.EnsureTable(ctx, weft.TableSpec{
		Name: "cities", Key: weft.Key(weft.String("name")),
		Indexes: []weft.IndexSpec{{Name: "place", Key: weft.Key(weft.ZOrder("lat lat, lon lon"))}},
	})
	check(err)
	check(cities.PutAll(ctx,
		weft.Document{"name": "Nara", "lat": 34.69, "lon": 135.80},
		weft.Document{"name": "Osaka", "lat": 34.69, "lon": 135.50},
		weft.Document{"name": "Tokyo", "lat": 35.68, "lon": 139.69},
		weft.Document{"name": "Paris", "lat": 48.86, "lon": 2.35}))
	lat, lon := weft.Attribute("lat"), weft.Attribute("lon")
	japan := weft.All(lat.Between(30, 46), lon.Between(129, 146))
	count := 0
	for _, err := range cities.Query(ctx, weft.Query{AnyIndex: true, Where: japan}) {
		check(err)
		count++
	}
	fmt.Println(count, "in Japan")

	near := &weft.Near{Attributes: []string{"lat", "lon"}, To: []float64{34.7, 135.6}}
	for city, err := range cities.Query(ctx, weft.Query{AnyIndex: true, Near: near, Limit: 2}) {
		check(err)
		fmt.Println(city.Text("name"))
	}
	// Output:
	// 3 in Japan
	// Osaka
	// Nara
}

// Changes of a table as they were committed. The reader keeps its position with what it has made of them, in one
// transaction: each change counts once, also after a restart.
func ExampleTable_Changes() {
	ctx := context.Background()
	db, closeAll := openMemory()
	defer closeAll()
	orders, err := db.EnsureTable(ctx, weft.TableSpec{
		Name: "orders", Key: weft.Key(weft.Number("id")), Stream: weft.StreamBoth,
	})
	check(err)
	totals, err := db.EnsureTable(ctx, weft.TableSpec{Name: "totals", Key: weft.Key(weft.String("reader"))})
	check(err)
	check(orders.PutAll(ctx, weft.Document{"id": 1, "cents": 500}, weft.Document{"id": 2, "cents": 700}))
	check(orders.Delete(ctx, weft.Document{"id": 1}))

	reader := weft.Document{"reader": "sum"}
	state, _, err := totals.Get(ctx, reader)
	check(err)
	for change, err := range orders.Changes(ctx, state.Bytes("position")) { // or Follow, which waits for more
		check(err)
		before, _ := change.Old.Int("cents")
		after, _ := change.New.Int("cents")
		check(db.Update(ctx, func(ctx context.Context, tx *weft.Tx) error {
			_, err := tx.Table("totals").Update(ctx, reader, weft.Updates(
				weft.Attribute("cents").Add(after-before),
				weft.Attribute("position").Set([]byte(change.Position))))
			return err
		}))
		fmt.Println(change.Kind, change.Key.Document())
	}
	show(totals, weft.Query{}, "cents")
	// Output:
	// INSERT map[id:1]
	// INSERT map[id:2]
	// REMOVE map[id:1]
	// [700]
}

// A table as it was at a moment, in place or beside it.
func ExampleTable_RestoreAt() {
	ctx := context.Background()
	db, closeAll := openMemory()
	defer closeAll()
	stock, err := db.EnsureTable(ctx, weft.TableSpec{Name: "stock", Key: weft.Key(weft.String("sku")), RecoveryDays: 7})
	check(err)
	check(stock.Put(ctx, weft.Document{"sku": "pen", "left": 5}))
	time.Sleep(2 * time.Millisecond)
	before := time.Now()
	time.Sleep(2 * time.Millisecond)
	check(stock.Delete(ctx, weft.Document{"sku": "pen"})) // by mistake

	copied, err := stock.CopyAt(ctx, before, "stock_before")
	check(err)
	show(copied, weft.Query{}, "left")
	changes, err := stock.RestoreAt(ctx, before)
	check(err)
	fmt.Println(changes, "taken back")
	show(stock, weft.Query{}, "left")
	// Output:
	// [5]
	// 1 taken back
	// [5]
}

// A backup of one table is kept in the database, whatever becomes of the table.
func ExampleTable_Backup() {
	ctx := context.Background()
	db, closeAll := openMemory()
	defer closeAll()
	stock, err := db.EnsureTable(ctx, weft.TableSpec{Name: "stock", Key: weft.Key(weft.String("sku"))})
	check(err)
	check(stock.Put(ctx, weft.Document{"sku": "pen", "left": 5}))
	backup, err := stock.Backup(ctx, "before the sale")
	check(err)
	check(stock.Drop(ctx))

	stock, err = db.RestoreTable(ctx, backup.ID, "", "stock")
	check(err)
	show(stock, weft.Query{}, "left")
	backups, err := db.TableBackups(ctx)
	check(err)
	fmt.Println(len(backups), backups[0].Name, backups[0].Items)
	check(db.DropTableBackup(ctx, backup.ID))
	// Output:
	// [5]
	// 1 before the sale 1
}

// Regions are what a table's keys are cut into. Of a table that is to be loaded from many sides, they can be made
// beforehand.
func ExampleTable_Split() {
	ctx := context.Background()
	db, closeAll := openMemory()
	defer closeAll()
	events, err := db.EnsureTable(ctx, weft.TableSpec{Name: "events", Key: weft.Key(weft.Number("id"))})
	check(err)
	for id := range 100 {
		check(events.Put(ctx, weft.Document{"id": id}))
	}
	added, err := events.Split(ctx, "", 4)
	check(err)
	regions, err := events.Regions(ctx, "")
	check(err)
	fmt.Println(added, "more,", len(regions), "regions, each of some:", regions[1].Items > 20)
	// Output: 3 more, 4 regions, each of some: true
}

// A transaction without retry, with a savepoint.
func ExampleDB_Begin() {
	ctx := context.Background()
	db, closeAll := openMemory()
	defer closeAll()
	stock, err := db.EnsureTable(ctx, weft.TableSpec{Name: "stock", Key: weft.Key(weft.String("sku"))})
	check(err)
	tx, err := db.Begin(ctx)
	check(err)
	defer tx.Rollback()
	check(tx.Table("stock").Put(ctx, weft.Document{"sku": "pen"}))
	point := tx.Savepoint()
	check(tx.Table("stock").Put(ctx, weft.Document{"sku": "ink"}))
	check(tx.RollbackTo(point))
	check(tx.Commit(ctx))
	show(stock, weft.Query{}, "sku")
	// Output: [pen]
}

// A user's policies decide what is done in the user's name. This one allows the items whose key begins with the
// user's name, and nothing else.
func ExampleDB_As() {
	ctx := context.Background()
	db, closeAll := openMemory()
	defer closeAll()
	orders, err := db.EnsureTable(ctx, weft.TableSpec{
		Name: "orders", Key: weft.Key(weft.String("customer"), weft.Number("id")),
	})
	check(err)
	check(db.AddUser(ctx, "root", "the first user may do everything"))
	check(db.AddUser(ctx, "ann", "a long password"))
	check(db.PutPolicy(ctx, "ann", "own-orders", `{"Version": "2012-10-17", "Statement": [{"Effect": "Allow",
		"Action": ["dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:Query"], "Resource": "*",
		"Condition": {"ForAllValues:StringEquals": {"dynamodb:LeadingKeys": ["${aws:username}"]}}}]}`))

	ann := db.As(ctx, weft.Principal{User: "ann"})
	fmt.Println(orders.Put(ann, weft.Document{"customer": "ann", "id": 1}))
	err = orders.Put(ann, weft.Document{"customer": "bob", "id": 1})
	var denied *weft.Denied
	fmt.Println(weft.KindOf(err), errors.As(err, &denied), denied.Action)
	// Output:
	// <nil>
	// denied true dynamodb:PutItem
}

// An error says what it is about; its kind says what a program can do.
func ExampleKindOf() {
	ctx := context.Background()
	db, closeAll := openMemory()
	defer closeAll()
	users, err := db.EnsureTable(ctx, weft.TableSpec{
		Name: "users", Key: weft.Key(weft.Number("id")),
		Indexes: []weft.IndexSpec{{Name: "mail", Key: weft.Key(weft.String("mail")), Unique: true}},
	})
	check(err)
	check(users.Put(ctx, weft.Document{"id": 1, "mail": "ann@example.com"}))
	err = users.Put(ctx, weft.Document{"id": 2, "mail": "ann@example.com"})
	var duplicate *weft.DuplicateError
	switch {
	case errors.As(err, &duplicate):
		fmt.Println("taken:", duplicate.Index, duplicate.Attributes, duplicate.Values)
	case weft.KindOf(err) == weft.KindUnknownOutcome:
		fmt.Println("read before you write again")
	}
	_, _, err = db.Table("none").Get(ctx, weft.Document{"id": 1})
	fmt.Println(weft.KindOf(err), "-", err)
	// Output:
	// taken: mail [mail] [ann@example.com]
	// not found - weft: table none: no such table
}

// Items expire at the time that an attribute holds, in seconds.
func ExampleTable_SetExpiry() {
	ctx := context.Background()
	expired := make(chan int64, 1)
	db, err := weft.OpenMemory(ctx, weft.Options{
		ExpiryInterval: time.Millisecond, Expired: func(table string, items int64) { expired <- items },
	})
	check(err)
	defer db.Close()
	sessions, err := db.EnsureTable(ctx, weft.TableSpec{
		Name: "sessions", Key: weft.Key(weft.String("token")), Expiry: "until",
	})
	check(err)
	check(sessions.PutAll(ctx,
		weft.Document{"token": "old", "until": time.Now().Add(-time.Minute).Unix()},
		weft.Document{"token": "new", "until": time.Now().Add(time.Hour).Unix()}))
	fmt.Println(<-expired)
	show(sessions, weft.Query{}, "token")
	// Output:
	// 1
	// [new]
}
