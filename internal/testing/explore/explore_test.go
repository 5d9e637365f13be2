// SPDX-License-Identifier: Apache-2.0

package explore

import (
	"fmt"
	"slices"
	"testing"
)

// counters are two actors that each read a number and then write the next one.
type counters struct {
	value int
	read  [2]int // what each has read, plus 1; 0: nothing
	left  [2]int // times to go
	total int
	locks bool // one reads only while the other is not between
}

func (c *counters) Steps() (steps []Step) {
	for i := range c.read {
		switch {
		case c.read[i] > 0:
			steps = append(steps, Step{fmt.Sprint("write ", i),
				func() { c.value, c.read[i], c.total = c.read[i], 0, c.total+1 }})
		case c.left[i] > 0 && !(c.locks && c.read[1-i] > 0):
			steps = append(steps, Step{fmt.Sprint("read ", i), func() { c.read[i], c.left[i] = c.value+1, c.left[i]-1 }})
		}
	}
	return steps
}

func (c *counters) State() string { return fmt.Sprint(*c) }

func (c *counters) Fault() string {
	if c.value != c.total {
		return fmt.Sprintf("%d writes came to %d", c.total, c.value)
	}
	return ""
}

// TestSearch finds a lost update by the shortest way to it, and none where a lock prevents it.
func TestSearch(t *testing.T) {
	result := Search(func() World { return &counters{left: [2]int{2, 2}} }, 8)
	if want := []string{"read 0", "read 1", "write 0", "write 1"}; !slices.Equal(result.Path, want) {
		t.Errorf("%+v, want the path %q", result, want)
	}
	result = Search(func() World { return &counters{left: [2]int{2, 2}, locks: true} }, 8)
	if result.Fault != "" || result.States != 21 {
		t.Errorf("with a lock: %+v", result)
	}
}
