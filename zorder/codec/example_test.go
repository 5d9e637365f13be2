// SPDX-License-Identifier: Apache-2.0

package codec_test

import (
	"fmt"

	"github.com/weftdb/weft/zorder/codec"
)

// A list of attributes becomes codecs; codecs make the codes of rows and the ranges of queries.
func Example() {
	attributes, err := codec.Parse("ts timestamp(s):16, celsius i8, lat lat:16, lon lon:16")
	if err != nil {
		fmt.Println(err)
		return
	}
	row := []codec.Value{codec.Int(1469566800), codec.Int(-5), codec.Float(40.749207), codec.Float(-73.985174)}
	for i, a := range attributes {
		c, err := codec.New(a, 1)
		if err != nil {
			fmt.Println(err)
			return
		}
		code, err := c.Code(row[i])
		fmt.Printf("%s: %0*x of %d bits %v\n", a, (c.Bits()+3)/4, code, c.Bits(), err)
	}
	celsius, _ := codec.New(attributes[1], 1)
	freezing, err := celsius.Range(codec.Less(codec.Int(0)))
	fmt.Println(freezing.Lo, freezing.Hi, err)
	// Output:
	// ts timestamp(s):16: 6bcb of 16 bits <nil>
	// celsius i8: 7b of 8 bits <nil>
	// lat lat:16: b9f4 of 16 bits <nil>
	// lon lon:16: 4b63 of 16 bits <nil>
	// 0 128 <nil>
}

// A learned codec tells strings apart that a fixed number of bytes cannot.
func ExampleLearn() {
	var sample []codec.Value
	for i := range 1000 {
		sample = append(sample, codec.String(fmt.Sprintf("http://www.example.com/%03d", i)))
	}
	attributes, _ := codec.Parse("referrer_url text:8 codec=quantile")
	c, err := codec.Learn(attributes[0], 1, sample, codec.LearnOptions{Buckets: 50})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, i := range []int{0, 250, 500, 750, 999} {
		code, _ := c.Code(sample[i])
		fmt.Print(code, " ")
	}
	// Output: 4 66 132 190 251
}
