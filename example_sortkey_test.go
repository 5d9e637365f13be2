// SPDX-License-Identifier: Apache-2.0

package weft_test

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"sync"
	"time"

	"github.com/weftdb/weft"
	"github.com/weftdb/weft/sortkey"
)

// Places from the least to the most specific: one key answers for a country, for a state and for a city.
func Example_places() {
	ctx := context.Background()
	db, closeAll := openMemory()
	defer closeAll()
	shops, err := db.CreateTable(ctx, weft.TableSpec{Name: "shops",
		Key: weft.Key(weft.String("chain"), weft.String("place"))})
	check(err)
	template, err := sortkey.ParseTemplate("country#state#city", '#')
	check(err)
	for _, place := range [][]string{{"USA", "TX", "Houston"}, {"USA", "TX", "Austin"}, {"USA", "TN", "Memphis"},
		{"USB", "TX", "Houston"}} {
		key, err := template.Key(place...)
		check(err)
		check(shops.Put(ctx, weft.Document{"chain": "acme", "place": key}))
	}
	for _, values := range [][]string{{"USA"}, {"USA", "TX"}, {"USA", "TX", "Houston"}} {
		prefix, err := template.Prefix(values...)
		check(err)
		show(shops, weft.Query{Where: weft.All(weft.Attribute("chain").Equal("acme"),
			weft.Attribute("place").BeginsWith(prefix))}, "place")
	}
	// Output:
	// [USA#TN#Memphis USA#TX#Austin USA#TX#Houston]
	// [USA#TX#Austin USA#TX#Houston]
	// [USA#TX#Houston]
}

// Logs of a device by time: what came before a moment, in a span of time, or last.
func Example_deviceLogs() {
	ctx := context.Background()
	db, closeAll := openMemory()
	defer closeAll()
	logs, err := db.CreateTable(ctx, weft.TableSpec{Name: "logs",
		Key: weft.Key(weft.String("device"), weft.Number("at"))})
	check(err)
	for day := 1; day <= 5; day++ {
		at := time.Date(2018, 9, day, 12, 0, 0, 0, time.UTC)
		check(logs.Put(ctx, weft.Document{"device": "d123", "at": at.Unix(), "day": day}))
	}
	device, at := weft.Attribute("device").Equal("d123"), weft.Attribute("at")
	midnight := time.Date(2018, 9, 4, 0, 0, 0, 0, time.UTC).Unix()
	show(logs, weft.Query{Where: weft.All(device, at.Less(midnight))}, "day")
	show(logs, weft.Query{Where: weft.All(device, at.Between(midnight-2*86_400, midnight))}, "day")
	show(logs, weft.Query{Where: device, Reverse: true, ExaminedMax: 1}, "day")
	// Output:
	// [1 2 3]
	// [2 3]
	// [5]
}

// A chat by user and by time. The table's key says user_name#datetime; the index turns it around and is computed, so no
// message stores the same text twice.
func Example_chat() {
	ctx := context.Background()
	db, closeAll := openMemory()
	defer closeAll()
	room := weft.String("room")
	chat, err := db.CreateTable(ctx, weft.TableSpec{
		Name: "chat",
		Key:  weft.Key(room, weft.String("concat(user_name,'#',datetime)")),
		Indexes: []weft.IndexSpec{{Name: "by_time", Key: weft.Key(room, weft.String("concat(datetime,'#',user_name)")),
			Local: true}},
	})
	check(err)
	for _, m := range [][2]string{{"amsg", "2018-08-29:12:00:00"}, {"bob", "2018-08-30:09:00:00"},
		{"amsg", "2018-09-01:08:30:00"}, {"bob", "2017-01-01:00:00:00"}} {
		check(chat.Put(ctx, weft.Document{"room": "seattle", "user_name": m[0], "datetime": m[1]}))
	}
	seattle := weft.Attribute("room").Equal("seattle")
	// One user's messages of a year, of a month.
	for _, prefix := range []string{"amsg#2018", "amsg#2018-08"} {
		show(chat, weft.Query{Where: weft.All(seattle,
			weft.Attribute("concat(user_name,'#',datetime)").BeginsWith(prefix))}, "datetime")
	}
	// Everybody's messages of a month, and the room's newest.
	show(chat, weft.Query{Index: "by_time",
		Where: weft.All(seattle, weft.Attribute("concat(datetime,'#',user_name)").BeginsWith("2018-08"))}, "user_name")
	show(chat, weft.Query{Index: "by_time", Where: seattle, Reverse: true, ExaminedMax: 2}, "datetime")
	// Output:
	// [2018-08-29:12:00:00 2018-09-01:08:30:00]
	// [2018-08-29:12:00:00]
	// [amsg bob]
	// [2018-09-01:08:30:00 2018-08-30:09:00:00]
}

// A document with its metadata, its permissions, its newest text and every version before it. Eight writers save at the
// same time, and none overwrites another's version.
func Example_documents() {
	ctx := context.Background()
	db, closeAll := openMemory()
	defer closeAll()
	documents, err := db.CreateTable(ctx,
		weft.TableSpec{Name: "documents", Key: weft.Key(weft.String("id"), weft.String("info"))})
	check(err)
	check(documents.Put(ctx, weft.Document{"id": "d1", "info": "metadata", "title": "Plan"}))
	check(documents.Put(ctx, weft.Document{"id": "d1", "info": "permissions", "readers": weft.Set{"ann", "bob"}}))

	save := func(text string) error {
		return db.Update(ctx, func(ctx context.Context, tx *weft.Tx) error {
			latest, _, err := tx.Table("documents").Get(ctx, weft.Document{"id": "d1", "info": sortkey.Latest})
			if err != nil {
				return err
			}
			n, _ := latest.Int("version") // 0 if there is none yet
			key, err := sortkey.Version(uint64(n + 1))
			if err != nil {
				return err
			}
			if err := tx.Table("documents").Put(ctx,
				weft.Document{"id": "d1", "info": key, "version": n + 1, "text": text}); err != nil {
				return err
			}
			return tx.Table("documents").Put(ctx,
				weft.Document{"id": "d1", "info": sortkey.Latest, "version": n + 1, "text": text})
		})
	}
	var group sync.WaitGroup
	for writer := range 8 {
		group.Go(func() { check(save(fmt.Sprint("by writer ", writer))) })
	}
	group.Wait()

	texts := map[any]bool{}
	var history []any
	d1 := weft.Attribute("id").Equal("d1")
	for item, err := range documents.Query(ctx,
		weft.Query{Where: weft.All(d1, weft.Attribute("info").BeginsWith(sortkey.VersionPrefix))}) {
		check(err)
		history = append(history, item.Text("info"))
		texts[item.Text("text")] = true
	}
	fmt.Println(history[0], history[1], history[len(history)-1], len(texts), "texts")
	metadata, _, err := documents.Get(ctx, weft.Document{"id": "d1", "info": "metadata"})
	check(err)
	fmt.Println(metadata.Text("title"))
	// Output:
	// v_0000000000 v_0000000001 v_0000000008 8 texts
	// Plan
}

// Few of many orders are open. The index holds only those, by the day they were opened; closing one removes it from
// there.
func Example_openOrders() {
	ctx := context.Background()
	db, closeAll := openMemory()
	defer closeAll()
	orders, err := db.CreateTable(ctx, weft.TableSpec{
		Name: "orders",
		Key:  weft.Key(weft.String("customer"), weft.Number("order")),
		Indexes: []weft.IndexSpec{{Name: "open", Key: weft.Key(weft.String("customer"), weft.String("open_date")),
			KeysOnly: true}},
	})
	check(err)
	for order := range 500 {
		d := weft.Document{"customer": "ann", "order": order, "total": order * 3}
		if order%100 == 7 {
			d["open_date"] = fmt.Sprintf("2024-07-%02d", 30-order/100)
		}
		check(orders.Put(ctx, d))
	}
	open := weft.Query{Index: "open", Where: weft.Attribute("customer").Equal("ann")}
	show(orders, open, "order")
	_, err = orders.Update(ctx, weft.Document{"customer": "ann", "order": 407}, weft.Attribute("open_date").Remove())
	check(err)

	c, err := orders.Cursor(ctx, open)
	check(err)
	for c.Next() {
		n, _ := c.Item().Int("order")
		fmt.Print(n, " ")
	}
	fmt.Println("found by reading", c.Counts().Examined)
	check(c.Close())
	// Output:
	// [407 307 207 107 7]
	// 307 207 107 7 found by reading 4
}

// Awards among all scores of a game: the index lists the winners alone.
func Example_gameAwards() {
	ctx := context.Background()
	db, closeAll := openMemory()
	defer closeAll()
	scores, err := db.CreateTable(ctx, weft.TableSpec{
		Name:    "scores",
		Key:     weft.Key(weft.String("user"), weft.Number("game")),
		Indexes: []weft.IndexSpec{{Name: "award", Key: weft.Key(weft.String("award"), weft.String("user"))}},
	})
	check(err)
	for user, games := range map[string]map[int]string{"rick": {1: "", 2: "champ", 3: ""},
		"padma": {1: "champ", 2: "", 3: "", 4: "champ"}} {
		for game, award := range games {
			d := weft.Document{"user": user, "game": game, "line": fmt.Sprint(user, " in game ", game)}
			if award != "" {
				d["award"] = award
			}
			check(scores.Put(ctx, d))
		}
	}
	show(scores, weft.Query{Index: "award", Where: weft.Attribute("award").Equal("champ")}, "line")
	// Output: [padma in game 1 padma in game 4 rick in game 2]
}

// Newest first without asking day by day: minus the day, then the inverted UUIDv7. Read as it stands, the table lists
// the newest first, across days; a table with another key has an index that does.
func Example_newestFirst() {
	ctx := context.Background()
	db, closeAll := openMemory()
	defer closeAll()
	tokyo := time.FixedZone("Tokyo", 9*3_600)
	key := weft.Key(weft.Number("day"), weft.String("id"))
	logs, err := db.CreateTable(ctx, weft.TableSpec{Name: "logs", Key: key})
	check(err)
	others, err := db.CreateTable(ctx, weft.TableSpec{Name: "others", Key: weft.Key(weft.String("line")),
		Indexes: []weft.IndexSpec{{Name: "newest", Key: key}}})
	check(err)
	begin := time.Date(2024, 1, 1, 21, 0, 0, 0, tokyo)
	for _, hour := range []int{5, 0, 3, 1, 4, 2} { // whatever the order of arrival
		at := begin.Add(time.Duration(hour) * time.Hour)
		id, err := sortkey.NewUUID(at)
		check(err)
		d := weft.Document{"day": sortkey.DayDescending(at, tokyo), "id": id.Inverse().String(),
			"line": at.Format("02 15:04")}
		check(logs.Put(ctx, d))
		check(others.Put(ctx, d))
	}
	show(logs, weft.Query{}, "line")
	show(others, weft.Query{Index: "newest"}, "line")
	// Output:
	// [02 02:00 02 01:00 02 00:00 01 23:00 01 22:00 01 21:00]
	// [02 02:00 02 01:00 02 00:00 01 23:00 01 22:00 01 21:00]
}

// A day that takes more writes than one place of the table bears is spread over four, and read back in order. The
// number stands in front, for tables are ordered: behind, the four would be neighbours.
func Example_writeSharding() {
	ctx := context.Background()
	db, closeAll := openMemory()
	defer closeAll()
	events, err := db.CreateTable(ctx, weft.TableSpec{Name: "events",
		Key: weft.Key(weft.String("shard"), weft.String("at"))})
	check(err)
	const shards = 4
	for minute := range 12 {
		id := fmt.Sprint("event-", minute)
		check(events.Put(ctx, weft.Document{
			"shard": sortkey.ShardPrefixed("2024-07-12", sortkey.ShardOf(id, shards)),
			"at":    fmt.Sprintf("09:%02d", minute), "id": id,
		}))
	}
	var sources []iter.Seq2[weft.Item, error]
	for _, name := range sortkey.ShardsPrefixed("2024-07-12", shards) {
		where := weft.All(weft.Attribute("shard").Equal(name), weft.Attribute("at").AtLeast("09:05"))
		sources = append(sources, events.Query(ctx, weft.Query{Where: where}))
	}
	byTime := func(a, b weft.Item) int { return cmp.Compare(a.Text("at"), b.Text("at")) }
	var found []string
	for item, err := range sortkey.TryMergeAscending(byTime, sources...) {
		check(err)
		if found = append(found, item.Text("at")); len(found) == 4 {
			break
		}
	}
	fmt.Println(found)
	// Output: [09:05 09:06 09:07 09:08]
}

// A hash-distributed table spreads partition keys that grow, such as days. Within one of them items stay in order.
func Example_hashDistribution() {
	ctx := context.Background()
	db, closeAll := openMemory()
	defer closeAll()
	table, err := db.CreateTable(ctx, weft.TableSpec{
		Name: "daily", Key: weft.Key(weft.String("day"), weft.Number("n")), HashDistributed: true,
	})
	check(err)
	var days []string
	for day := range 20 {
		days = append(days, fmt.Sprintf("2024-07-%02d", day+1))
		for n := range 3 {
			check(table.Put(ctx, weft.Document{"day": days[day], "n": n}))
		}
	}
	show(table, weft.Query{Where: weft.Attribute("day").Equal("2024-07-12")}, "n")
	var walked []string
	for item, err := range table.Query(ctx, weft.Query{}) {
		check(err)
		walked = append(walked, item.Text("day"))
	}
	walked = slices.Compact(walked) // items of a day stand together
	fmt.Println(len(walked), "days, in order:", slices.IsSorted(walked))
	slices.Sort(walked)
	fmt.Println("all of them:", slices.Equal(walked, days))
	// Output:
	// [0 1 2]
	// 20 days, in order: false
	// all of them: true
}
