// SPDX-License-Identifier: Apache-2.0

package definition

import (
	"strings"

	"github.com/weftdb/weft/internal/sql/datum"
)

// checkRegions checks the bounds of the first regions against the type of the first key column. They are kept and shown; a table begins as one region.
func (t *Table) checkRegions(options map[string]string) error {
	start, hasStart := options[optionStartKey]
	end, hasEnd := options[optionEndKey]
	splits, hasSplits := options[optionSplitKeys]
	switch {
	case !hasStart && !hasEnd && !hasSplits:
		return nil
	case t.Key[0].Column < 0:
		name, value := optionSplitKeys, splits
		if !hasSplits {
			name, value = optionStartKey, start
		}
		return badOption(name, value, "the key begins with "+t.Key[0].Name+", whose values are spread evenly: give "+optionRegions+" alone")
	case hasSplits && (hasStart || hasEnd):
		return badOption(optionSplitKeys, splits, "it excludes STARTKEY and ENDKEY")
	case hasSplits:
		return t.checkSplits(splits)
	case hasStart != hasEnd || options[optionRegions] == "":
		return badOption(optionRegions, options[optionRegions], "NUMREGIONS, STARTKEY and ENDKEY go together")
	}
	return t.checkAscending(optionStartKey, start, []string{start, end})
}

func (t *Table) checkSplits(list string) error {
	points := strings.Split(list, ",")
	if len(points) >= regionsMax {
		return badOption(optionSplitKeys, list, "these are too many regions")
	}
	return t.checkAscending(optionSplitKeys, list, points)
}

// checkAscending checks that texts read as values of the first key column and ascend.
func (t *Table) checkAscending(name, value string, texts []string) error {
	c := &t.Columns[t.Key[0].Column]
	var last datum.Datum
	for i, text := range texts {
		d, ok := pointOf(text, c.Type)
		if !ok {
			return badOption(name, value, "'"+text+"' is no "+TypeName(c.Type)+", the type of the first key column '"+c.Name+"'")
		}
		if i > 0 && datum.Order(last, d) >= 0 {
			return badOption(name, value, "the points must ascend")
		}
		last = d
	}
	return nil
}
