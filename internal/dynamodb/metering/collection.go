// SPDX-License-Identifier: Apache-2.0

package metering

import (
	"slices"

	"github.com/weftdb/weft/internal/dynamodb/attributejson"
)

// Collections are the item collections that a request has written to, by table. The zero value is none.
type Collections []tableCollections

type tableCollections struct {
	table string
	shown []string // as JSON, each once
}

// Add adds a collection of a table, as JSON, unless it is there already. shown is not kept.
func (c *Collections) Add(table string, shown []byte) {
	at := slices.IndexFunc(*c, func(t tableCollections) bool { return t.table == table })
	if at < 0 {
		at = len(*c)
		*c = append(*c, tableCollections{table: table})
	}
	t := &(*c)[at]
	if !slices.Contains(t.shown, string(shown)) {
		t.shown = append(t.shown, string(shown))
	}
}

// Append appends ItemCollectionMetrics, if the mode is SIZE.
func (c Collections) Append(dst []byte, mode string) []byte {
	if mode != "SIZE" {
		return dst
	}
	dst = append(attributejson.AppendMember(dst, "ItemCollectionMetrics"), '{')
	for i := range c {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(attributejson.AppendString(dst, []byte(c[i].table)), ':', '[')
		for j, shown := range c[i].shown {
			if j > 0 {
				dst = append(dst, ',')
			}
			dst = append(dst, shown...)
		}
		dst = append(dst, ']')
	}
	return append(dst, '}')
}
