// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"
	"strings"
)

// Together adds patterns of one name up: their rates, and what they read on average.
func Together(patterns []PatternCost) []PatternCost {
	var list []PatternCost
	places := map[string]int{}
	for _, p := range patterns {
		at, ok := places[p.Name]
		if !ok {
			places[p.Name] = len(list)
			list = append(list, p)
			continue
		}
		sum := &list[at]
		rate := sum.Rate + p.Rate
		sum.Before = (sum.Before*sum.Rate + p.Before*p.Rate) / rate
		sum.After = (sum.After*sum.Rate + p.After*p.Rate) / rate
		sum.Rate = rate
	}
	return list
}

// Names lists the first patterns in quotes, and how many more there are.
func Names(patterns []PatternCost) string {
	const namesMax = 4
	var names []string
	for i, p := range patterns {
		if i == namesMax {
			names = append(names, fmt.Sprintf("%d more", len(patterns)-i))
			break
		}
		names = append(names, `"`+p.Name+`"`)
	}
	return strings.Join(names, ", ")
}
