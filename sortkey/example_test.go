// SPDX-License-Identifier: Apache-2.0

package sortkey_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/weftdb/weft/sortkey"
)

func ExampleUUID_Inverse() {
	order, _ := sortkey.ParseUUID("0190a4cd-d3e7-7222-9f99-fdb74feee752")
	fmt.Println(order.Inverse())
	fmt.Println(order.Inverse().Inverse())
	// Output:
	// fe6f5b32-2c18-8ddd-6066-0248b01118ad
	// 0190a4cd-d3e7-7222-9f99-fdb74feee752
}

func ExampleUUID_Time() {
	order, _ := sortkey.ParseUUID("0190a4cd-d3e7-7222-9f99-fdb74feee752")
	made, _ := order.Time()
	same, _ := order.Inverse().Time()
	fmt.Println(made.Format(time.RFC3339Nano), same.Equal(made))
	// Output: 2024-07-12T02:37:50.951Z true
}

func ExampleUUIDFromBits() {
	at := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	id, err := sortkey.UUIDFromBits(at, [10]byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
	fmt.Println(id, err)
	// Output: 018cc251-f400-7102-8304-05060708090a <nil>
}

func ExampleNewUUID() {
	earlier, _ := sortkey.NewUUID(time.UnixMilli(1_704_067_200_000))
	later, _ := sortkey.NewUUID(time.UnixMilli(1_704_067_200_001))
	fmt.Println(earlier.String() < later.String(), earlier.Inverse().String() > later.Inverse().String())
	// Output: true true
}

// The orders of one hour, newest first, are one range of inverted keys.
func ExampleFirstUUID() {
	from := time.Date(2024, 1, 1, 9, 0, 0, 0, time.UTC)
	oldest, _ := sortkey.FirstUUID(from)
	newest, _ := sortkey.LastUUID(from.Add(time.Hour - time.Millisecond))
	fmt.Println("sk BETWEEN", newest.Inverse(), "AND", oldest.Inverse())
	// Output: sk BETWEEN fe733b88-bb00-8000-4000-000000000000 AND fe733bbf-a97f-8fff-7fff-ffffffffffff
}

func ExampleDayDescending() {
	tokyo, _ := time.LoadLocation("Asia/Tokyo")
	at := time.Date(2024, 1, 1, 18, 30, 0, 0, tokyo)
	fmt.Println(sortkey.Day(at, tokyo), sortkey.DayDescending(at, tokyo))
	// Output: 1704034800 -1704034800
}

// The day on which clocks go forward has 23 hours; adding 24 would skip the start of the next.
func ExampleNextDay() {
	berlin, _ := time.LoadLocation("Europe/Berlin")
	day := sortkey.Day(time.Date(2024, 3, 31, 12, 0, 0, 0, berlin), berlin)
	next := sortkey.NextDay(day, berlin)
	fmt.Println(next-day, time.Unix(next, 0).In(berlin), sortkey.PreviousDay(next, berlin) == day)
	// Output: 82800 2024-04-01 00:00:00 +0200 CEST true
}

func ExampleDays() {
	last := time.Date(2024, 3, 1, 8, 0, 0, 0, time.UTC)
	for day := range sortkey.Days(last, last.AddDate(0, 0, -2), time.UTC) {
		fmt.Println(-day, time.Unix(day, 0).UTC().Format(time.DateOnly))
	}
	// Output:
	// -1709251200 2024-03-01
	// -1709164800 2024-02-29
	// -1709078400 2024-02-28
}

func ExamplePad() {
	two, _ := sortkey.Pad(2, 4)
	ten, _ := sortkey.Pad(10, 4)
	_, err := sortkey.Pad(12345, 4)
	fmt.Println(two, ten, two < ten)
	fmt.Println(strings.ReplaceAll(err.Error(), "; ", ";\n"))
	// Output:
	// 0002 0010 true
	// sortkey: the number has more digits than the width;
	// choose a wider one before the first key is written: 12345 in 4 digits
}

func ExampleTemplate() {
	place, _ := sortkey.ParseTemplate("country#state#city", '#')
	key, _ := place.Key("US", "NY", "New York")
	fmt.Println(key)

	state, _ := place.Prefix("US", "NY")
	fmt.Println("begins_with", state)
	fmt.Println("begins_with", state+"New") // part of the next value

	values, _ := place.Split(key)
	fmt.Println(values[2])

	_, err := place.Key("US", "NY", "No. #1")
	fmt.Println(err)
	// Output:
	// US#NY#New York
	// begins_with US#NY#
	// begins_with US#NY#New
	// New York
	// sortkey: the values do not fit the template: city contains "#": "No. #1"
}

// A document with its history. The map stands for one partition of a table, and save for a transaction of two
// conditional puts:
//
//	TransactWriteItems:
//	  Put {pk, sk: Version(n+1), text}            if attribute_not_exists(pk)
//	  Put {pk, sk: Latest, version: n+1, text}    if version = n, or attribute_not_exists(pk) if n is 0
func ExampleVersion() {
	type item struct {
		version uint64
		text    string
	}
	table := map[string]item{}
	save := func(n uint64, text string) bool {
		key, err := sortkey.Version(n + 1)
		_, exists := table[key]
		if err != nil || exists || table[sortkey.Latest].version != n {
			return false // the transaction is cancelled: nothing is written
		}
		table[key] = item{n + 1, text}
		table[sortkey.Latest] = item{n + 1, text}
		return true
	}

	n := table[sortkey.Latest].version // both writers read 0
	fmt.Println("Ann:", save(n, "by Ann"))
	fmt.Println("Bob:", save(n, "by Bob"))
	n = table[sortkey.Latest].version // Bob reads again
	fmt.Println("Bob:", save(n, "by Bob"))

	keys := []string{}
	for key := range table {
		if strings.HasPrefix(key, sortkey.VersionPrefix) {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	for _, key := range keys {
		fmt.Println(key, table[key].version, table[key].text)
	}
	// Output:
	// Ann: true
	// Bob: false
	// Bob: true
	// v_0000000000 2 by Bob
	// v_0000000001 1 by Ann
	// v_0000000002 2 by Bob
}

func ExampleShardOf() {
	const count = 4
	shard := sortkey.ShardOf("order-1011", count)
	fmt.Println("hashed table: ", sortkey.Shard("2024-07-12", shard), sortkey.Shards("2024-07-12", count))
	fmt.Println("ordered table:", sortkey.ShardPrefixed("2024-07-12", shard),
		sortkey.ShardsPrefixed("2024-07-12", count))
	// Output:
	// hashed table:  2024-07-12-3 [2024-07-12-0 2024-07-12-1 2024-07-12-2 2024-07-12-3]
	// ordered table: 3-2024-07-12 [0-2024-07-12 1-2024-07-12 2-2024-07-12 3-2024-07-12]
}

func ExampleSplitShard() {
	key, shard, _ := sortkey.SplitShard("2024-07-12-3")
	fmt.Println(key, shard)
	key, shard, _ = sortkey.SplitShardPrefixed("3-2024-07-12")
	fmt.Println(key, shard)
	// Output:
	// 2024-07-12 3
	// 2024-07-12 3
}

func ExampleMergeAscending() {
	shards := [][]string{{"09:00", "09:20"}, {"09:05"}, {"09:01", "09:30"}}
	merged := sortkey.MergeAscending(strings.Compare, slices.Values(shards[0]), slices.Values(shards[1]),
		slices.Values(shards[2]))
	for shard, at := range merged {
		fmt.Println(at, "from shard", shard)
		if at >= "09:05" {
			break // the rest of the shards is not read
		}
	}
	// Output:
	// 09:00 from shard 0
	// 09:01 from shard 2
	// 09:05 from shard 1
}

func ExampleMergeDescending() {
	for _, score := range sortkey.MergeDescending(cmp.Compare[int], slices.Values([]int{9, 4}),
		slices.Values([]int{7, 5})) {
		fmt.Print(score, " ")
	}
	// Output: 9 7 5 4
}

func ExampleTryMergeAscending() {
	broken := func(yield func(int, error) bool) {
		_ = yield(2, nil) && yield(0, fmt.Errorf("the shard's second page could not be read"))
	}
	whole := func(yield func(int, error) bool) {
		_ = yield(1, nil) && yield(3, nil)
	}
	for value, err := range sortkey.TryMergeAscending(cmp.Compare[int], broken, whole) {
		fmt.Println(value, err)
	}
	// Output:
	// 1 <nil>
	// 2 <nil>
	// 0 the shard's second page could not be read
}
