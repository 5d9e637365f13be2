// SPDX-License-Identifier: Apache-2.0

package zorder_test

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/weftdb/weft/zorder"
)

// A table of weather reports, sorted by one key that answers questions about any of three attributes. The sorted slice
// stands for any ordered store: its only use here is to seek to a key.
func Example() {
	plan, err := zorder.RoundRobin(16, 16, 16) // day, temperature + 100, station
	if err != nil {
		fmt.Println(err)
		return
	}
	var rows [][]byte
	for i := range uint64(20_000) {
		key, err := plan.AppendKey(nil, i*7919%365, 80+i*104_729%50, i*1_299_709%1000)
		if err != nil {
			fmt.Println(err)
			return
		}
		rows = append(rows, key)
	}
	slices.SortFunc(rows, bytes.Compare)

	// Days 90 to 97, 95 degrees and less (that is -5), stations 100 to 299.
	box, err := plan.Box([]uint64{90, 0, 100}, []uint64{97, 95, 299})
	if err != nil {
		fmt.Println(err)
		return
	}
	found, looked := 0, 0
	scratch := make([]byte, 0, plan.Bytes())
	at, _ := slices.BinarySearchFunc(rows, box.Low(), bytes.Compare)
	for at < len(rows) {
		looked++
		next, in, ok := box.Next(scratch, rows[at])
		if !ok {
			break
		}
		if in {
			found++
			at++
			continue
		}
		// The keys between are not inside: seek. Near ones are reached sooner by stepping.
		skipped, _ := slices.BinarySearchFunc(rows[at:], next, bytes.Compare)
		at += skipped
	}
	fmt.Printf("%s\nfound %d of %d rows, looked at %d\n", plan, found, len(rows), looked)
	// Output:
	// 3 attributes of 16+16+16 bits in 6 bytes, order (abc)16
	// found 22 of 20000 rows, looked at 80
}

// The picture of the curve: the number of each cell of a grid of 4 by 4.
func ExampleRoundRobin() {
	plan, err := zorder.RoundRobin(2, 2)
	if err != nil {
		fmt.Println(err)
		return
	}
	for y := range uint64(4) {
		for x := range uint64(4) {
			key, _ := plan.AppendKey(nil, y, x)
			fmt.Printf("%3d", key[0]>>4) // the 4 bits of the key are the first of its byte
		}
		fmt.Println()
	}
	// Output:
	//   0  1  4  5
	//   2  3  6  7
	//   8  9 12 13
	//  10 11 14 15
}

// A customer in front, so that each has a curve of his own, then time and amount of different widths.
func ExamplePrefixed() {
	plan, err := zorder.Prefixed(1, 32, 24, 16)
	if err != nil {
		fmt.Println(err)
		return
	}
	stored := plan.Text()
	again, err := zorder.ParsePlan(stored)
	fmt.Println(stored, again.Equal(plan), err)
	// Output: a32(bc)16b8 true <nil>
}

// Longitudes from 170 degrees east to 170 degrees west are two boxes, searched as one.
func ExampleUnion() {
	plan, err := zorder.RoundRobin(9, 8) // degrees east from 180 west on, degrees north from the south pole on
	if err != nil {
		fmt.Println(err)
		return
	}
	east, _ := plan.Box([]uint64{350, 60}, []uint64{359, 120})
	west, _ := plan.Box([]uint64{0, 60}, []uint64{10, 120})
	union, err := zorder.Union(plan, []*zorder.Box{east, west}, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, degrees := range []uint64{5, 180, 355} {
		key, _ := plan.AppendKey(nil, degrees, 90)
		next, in, _ := union.Next(nil, key)
		codes, _ := plan.AppendCodes(nil, next)
		fmt.Println(degrees, in, codes)
	}
	// Output:
	// 5 true [5 90]
	// 180 false [350 60]
	// 355 true [355 90]
}

// (a IN (1, 5, 6)) AND (b < 10), without naming b's lowest code.
func ExamplePlan_Product() {
	plan, err := zorder.RoundRobin(8, 8)
	if err != nil {
		fmt.Println(err)
		return
	}
	one, _ := plan.Range(0, 1, 1)
	five, _ := plan.Range(0, 5, 5)
	six, _ := plan.Range(0, 6, 6)
	few, _ := plan.Range(1, 0, 9)
	union, err := plan.Product([][]zorder.Range{{one, five, six}, {few}}, 0)
	fmt.Println(union, err)
	// Output: {0:01 1:00..09 | 0:05..06 1:00..09} <nil>
}

// A store that is asked for ranges: three of them, of which the first holds more than was asked for, so that its rows
// must be checked.
func ExampleBoxes_Ranges() {
	plan, err := zorder.RoundRobin(4, 4)
	if err != nil {
		fmt.Println(err)
		return
	}
	box, err := plan.Box([]uint64{3, 4}, []uint64{9, 7})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, keys := range box.Union().Ranges(zorder.RangesOptions{RangesMax: 3}) {
		fmt.Printf("%x to %x, exact: %t\n", keys.First, keys.Last, keys.Exact)
	}
	// Output:
	// 1a to 1f, exact: false
	// 30 to 3f, exact: true
	// 90 to 97, exact: true
}
