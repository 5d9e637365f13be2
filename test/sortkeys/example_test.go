// SPDX-License-Identifier: Apache-2.0

package sortkeys

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/weftdb/weft/sortkey"
)

// Every operator of a key condition, over places from the least to the most specific.
func Example_operators() {
	ctx := context.Background()
	create(ctx, design{name: "Shops", hash: "chain S", sort: "place S"})
	for _, place := range []string{"USA#TX#Houston", "USA#TX#Austin", "USA#TN#Memphis", "USA#CA#Fresno",
		"CAN#BC#Victoria"} {
		put(ctx, "Shops", "chain", "acme", "place", place)
	}
	for _, condition := range []string{"place = :p", "place < :p", "place <= :p", "place > :p", "place >= :p"} {
		fmt.Print(condition, " ")
		show(ctx, ask("Shops", "", "chain = :c AND "+condition, attributes(":c", "acme", ":p", "USA#TN#Memphis")),
			"place")
	}
	show(ctx, ask("Shops", "", "chain = :c AND place BETWEEN :low AND :high",
		attributes(":c", "acme", ":low", "USA#TN", ":high", "USA#TX#B")), "place")
	// Output:
	// place = :p [USA#TN#Memphis]
	// place < :p [CAN#BC#Victoria USA#CA#Fresno]
	// place <= :p [CAN#BC#Victoria USA#CA#Fresno USA#TN#Memphis]
	// place > :p [USA#TX#Austin USA#TX#Houston]
	// place >= :p [USA#TN#Memphis USA#TX#Austin USA#TX#Houston]
	// [USA#TN#Memphis USA#TX#Austin]
}

// begins_with answers at every level; the separator at the end of a prefix keeps "USA" from finding "USAX".
func Example_levels() {
	ctx := context.Background()
	create(ctx, design{name: "Places", hash: "chain S", sort: "place S"})
	template, err := sortkey.ParseTemplate("country#state#city", '#')
	check(err)
	for _, values := range [][]string{{"USA", "TX", "Houston"}, {"USA", "TX", "Austin"}, {"USA", "TN", "Memphis"},
		{"USAX", "TX", "Houston"}} {
		key, err := template.Key(values...)
		check(err)
		put(ctx, "Places", "chain", "acme", "place", key)
	}
	for _, values := range [][]string{{"USA"}, {"USA", "TX"}, {"USA", "TX", "Houston"}} {
		prefix, err := template.Prefix(values...)
		check(err)
		show(ctx, ask("Places", "", "chain = :c AND begins_with(place, :p)", attributes(":c", "acme", ":p", prefix)),
			"place")
	}
	// Output:
	// [USA#TN#Memphis USA#TX#Austin USA#TX#Houston]
	// [USA#TX#Austin USA#TX#Houston]
	// [USA#TX#Houston]
}

// Logs of a device by time.
func Example_deviceLogs() {
	ctx := context.Background()
	create(ctx, design{name: "Logs", hash: "deviceID S", sort: "at N"})
	for _, at := range []time.Time{
		time.Date(2018, 8, 29, 12, 0, 0, 0, time.UTC), time.Date(2018, 9, 4, 1, 0, 0, 0, time.UTC),
		time.Date(2011, 7, 9, 13, 0, 0, 0, time.UTC),
	} {
		put(ctx, "Logs", "deviceID", "123", "at", at.Unix(), "day", at.Format(time.DateOnly))
	}
	midnight := time.Date(2018, 9, 4, 0, 0, 0, 0, time.UTC).Unix()
	show(ctx, ask("Logs", "", "deviceID = :d AND #t < :t", attributes(":d", "123", ":t", midnight), "#t", "at"), "day")
	show(ctx, ask("Logs", "", "deviceID = :d AND #t BETWEEN :from AND :to",
		attributes(":d", "123", ":from", midnight-7*86_400, ":to", midnight+86_400), "#t", "at"), "day")
	newest := ask("Logs", "", "deviceID = :d", attributes(":d", "123"))
	newest.ScanIndexForward = aws.Bool(false)
	show(ctx, newest, "day")
	// Output:
	// [2011-07-09 2018-08-29]
	// [2018-08-29 2018-09-04]
	// [2018-09-04 2018-08-29 2011-07-09]
}

// A chat by user, and by time through an index whose key is computed: no message stores the second text.
func Example_chat() {
	ctx := context.Background()
	const byTime = "concat(datetime,'#',user_name)"
	create(ctx, design{
		name: "Chat", hash: "chatroomID S", sort: "chatMessageIdentifier S",
		global: []indexDesign{{name: "room_by_time", hash: "chatroomID S", sort: byTime + " S"}},
		local:  []indexDesign{{name: "by_time", sort: byTime + " S"}},
	})
	template, err := sortkey.ParseTemplate("user_name#datetime", '#')
	check(err)
	for _, m := range [][2]string{{"amsg", "2018-08-29:12:00:00"}, {"bob", "2018-08-30:09:00:00"},
		{"amsg", "2018-09-01:08:30:00"}, {"bob", "2017-01-01:00:00:00"}} {
		key, err := template.Key(m[0], m[1])
		check(err)
		put(ctx, "Chat", "chatroomID", "seattle-1", "chatMessageIdentifier", key, "user_name", m[0], "datetime", m[1])
	}
	// One user's messages of a year, of a month.
	for _, prefix := range []string{"amsg#2018", "amsg#2018-08"} {
		condition := "chatroomID = :r AND begins_with(chatMessageIdentifier, :p)"
		show(ctx, ask("Chat", "", condition, attributes(":r", "seattle-1", ":p", prefix)), "datetime")
	}
	// Everybody's messages of a month; the room's newest.
	for _, index := range []string{"room_by_time", "by_time"} {
		show(ctx, ask("Chat", index, "chatroomID = :r AND begins_with(#t, :p)",
			attributes(":r", "seattle-1", ":p", "2018-08"), "#t", byTime), "chatMessageIdentifier")
		newest := ask("Chat", index, "chatroomID = :r", attributes(":r", "seattle-1"))
		newest.ScanIndexForward = aws.Bool(false)
		show(ctx, newest, "user_name")
	}
	// Output:
	// [2018-08-29:12:00:00 2018-09-01:08:30:00]
	// [2018-08-29:12:00:00]
	// [amsg#2018-08-29:12:00:00 bob#2018-08-30:09:00:00]
	// [amsg bob amsg bob]
	// [amsg#2018-08-29:12:00:00 bob#2018-08-30:09:00:00]
	// [amsg bob amsg bob]
}

// A document with its metadata, its permissions, its newest text and its history, all under one partition key.
func Example_documents() {
	ctx := context.Background()
	create(ctx, design{name: "Documents", hash: "documentID S", sort: "documentInfo S"})
	put(ctx, "Documents", "documentID", "d1", "documentInfo", "metadata", "title", "Plan")
	put(ctx, "Documents", "documentID", "d1", "documentInfo", "permissions", "readers", []string{"ann", "bob"})
	for _, text := range []string{"draft", "second draft", "final"} {
		_, err := save(ctx, "Documents", "d1", text)
		check(err)
	}
	show(ctx, ask("Documents", "", "documentID = :d AND documentInfo = :i", attributes(":d", "d1", ":i", "metadata")),
		"title")
	show(ctx, ask("Documents", "", "documentID = :d AND documentInfo = :i",
		attributes(":d", "d1", ":i", sortkey.Latest)), "text")
	history := ask("Documents", "", "documentID = :d AND begins_with(documentInfo, :v)",
		attributes(":d", "d1", ":v", sortkey.VersionPrefix))
	show(ctx, history, "documentInfo")
	show(ctx, history, "text")
	// Output:
	// [Plan]
	// [final]
	// [v_0000000000 v_0000000001 v_0000000002 v_0000000003]
	// [final draft second draft final]
}

// Open orders in an index that holds nothing else, by the day they were opened.
func Example_openOrders() {
	ctx := context.Background()
	create(ctx, design{
		name: "Orders", hash: "CustomerId S", sort: "OrderId N",
		global: []indexDesign{{name: "open", hash: "CustomerId S", sort: "OrderOpenDate S", keysOnly: true}},
	})
	for order := range 200 {
		pairs := []any{"CustomerId", "ann", "OrderId", order, "total", order * 3}
		if order%50 == 7 {
			pairs = append(pairs, "OrderOpenDate", fmt.Sprintf("2024-07-%02d", 30-order/50))
		}
		put(ctx, "Orders", pairs...)
	}
	open := ask("Orders", "open", "CustomerId = :c", attributes(":c", "ann"))
	show(ctx, open, "OrderId")

	// Shipped: without the attribute the order leaves the index, in the same commit.
	_, err := client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: aws.String("Orders"), Key: attributes("CustomerId", "ann", "OrderId", 157),
		UpdateExpression: aws.String("REMOVE OrderOpenDate"),
	})
	check(err)
	page, err := client.Query(ctx, &open)
	check(err)
	fmt.Println(texts(page.Items, "OrderId"), "found by reading", page.ScannedCount)
	// Output:
	// [157 107 57 7]
	// [107 57 7] found by reading 3
}

// Awards among all scores of a game: few items have the attribute, and only they are in the index.
func Example_gameAwards() {
	ctx := context.Background()
	create(ctx, design{
		name: "Scores", hash: "user S", sort: "game N",
		global: []indexDesign{{name: "award", hash: "Award S", sort: "user S"}},
	})
	put(ctx, "Scores", "user", "rick", "game", 1, "score", 37_750)
	put(ctx, "Scores", "user", "rick", "game", 2, "score", 1_322_000, "Award", "Champ")
	put(ctx, "Scores", "user", "rick", "game", 3, "score", 88_120)
	put(ctx, "Scores", "user", "padma", "game", 1, "score", 1_285_750, "Award", "Champ")
	put(ctx, "Scores", "user", "padma", "game", 2, "score", 41_170)
	put(ctx, "Scores", "user", "padma", "game", 3, "score", 2_750)
	put(ctx, "Scores", "user", "padma", "game", 4, "score", 1_350_000, "Award", "Champ")
	show(ctx, ask("Scores", "award", "Award = :a", attributes(":a", "Champ")), "user")
	show(ctx, ask("Scores", "award", "Award = :a", attributes(":a", "Champ")), "score")
	fmt.Println(len(scan(ctx, "Scores", "award", 0)), "of", len(scan(ctx, "Scores", "", 0)))
	// Output:
	// [padma padma rick]
	// [1285750 1350000 1322000]
	// 3 of 7
}

// Newest first by one plain Scan: the partition key is minus the day, the sort key an inverted UUIDv7. In the table's
// own key, and in an index of a table with another.
func Example_newestFirst() {
	ctx := context.Background()
	create(ctx, design{name: "Events", hash: "day N", sort: "id S"})
	create(ctx, design{name: "Lines", hash: "line S",
		global: []indexDesign{{name: "newest", hash: "day N", sort: "id S"}}})
	tokyo := time.FixedZone("Tokyo", 9*3_600)
	begin := time.Date(2023, 12, 31, 21, 0, 0, 0, tokyo)
	for _, hour := range []int{5, 0, 3, 1, 4, 2} { // whatever the order of arrival
		at := begin.Add(time.Duration(hour) * time.Hour)
		id, err := sortkey.NewUUID(at)
		check(err)
		for _, table := range []string{"Events", "Lines"} {
			put(ctx, table, "day", sortkey.DayDescending(at, tokyo), "id", id.Inverse().String(), "line",
				at.Format("02 15:04"))
		}
	}
	fmt.Println(texts(scan(ctx, "Events", "", 0), "line"))
	fmt.Println(texts(scan(ctx, "Lines", "newest", 2), "line"))
	show(ctx, ask("Events", "", "#d = :d", attributes(":d", sortkey.DayDescending(begin, tokyo)), "#d", "day"), "line")
	// Output:
	// [01 02:00 01 01:00 01 00:00 31 23:00 31 22:00 31 21:00]
	// [01 02:00 01 01:00 01 00:00 31 23:00 31 22:00 31 21:00]
	// [31 23:00 31 22:00 31 21:00]
}

// A day that takes more writes than one place of the table bears is spread over four, and read back in order, no
// further than needed.
func Example_writeSharding() {
	ctx := context.Background()
	const shards = 4
	create(ctx, design{name: "Clicks", hash: "day S", sort: "at S"})
	for minute := range 12 {
		id := fmt.Sprint("click-", minute)
		day := sortkey.ShardPrefixed("2024-07-12", sortkey.ShardOf(id, shards))
		put(ctx, "Clicks", "day", day, "at", fmt.Sprintf("09:%02d", minute), "id", id)
	}
	var sources []iter.Seq2[item, error]
	for _, day := range sortkey.ShardsPrefixed("2024-07-12", shards) {
		pages := 0
		sources = append(sources, stream(ctx,
			ask("Clicks", "", "#d = :d AND #t >= :t", attributes(":d", day, ":t", "09:05"), "#d", "day", "#t", "at"),
			&pages))
	}
	byTime := func(a, b item) int { return strings.Compare(text(a, "at"), text(b, "at")) }
	read := 0
	for click, err := range sortkey.TryMergeAscending(byTime, sources...) {
		check(err)
		fmt.Print(text(click, "at"), " ")
		if read++; read == 4 {
			break
		}
	}
	fmt.Println()
	// Output: 09:05 09:06 09:07 09:08
}

// The tag weft:distribution=hash spreads partition keys that grow, such as days. A Scan is then in no order of days; a
// Query of one is in the order of its sort key, as ever.
func Example_hashDistribution() {
	ctx := context.Background()
	create(ctx, design{name: "Daily", hash: "day S", sort: "n N", tags: map[string]string{"weft:distribution": "hash"}})
	for day := range 20 {
		for n := range 3 {
			put(ctx, "Daily", "day", fmt.Sprintf("2024-07-%02d", day+1), "n", n)
		}
	}
	days := texts(scan(ctx, "Daily", "", 0), "day")
	fmt.Println(len(days), "items, in order:", slices.IsSorted(days))
	days = slices.Compact(days)
	fmt.Println(len(days), "days, each in one place")
	show(ctx, ask("Daily", "", "#d = :d", attributes(":d", "2024-07-12"), "#d", "day"), "n")
	// Output:
	// 60 items, in order: false
	// 20 days, each in one place
	// [0 1 2]
}
