// SPDX-License-Identifier: Apache-2.0

package bulkload

import (
	"bytes"
)

// ordinals is a set of records' numbers: a bit each, in pages that exist where there is any.
type ordinals map[uint64]*[pageBits / 64]uint64

const pageBits = 1 << 13

func (o ordinals) add(n uint64) {
	page := o[n/pageBits]
	if page == nil {
		page = new([pageBits / 64]uint64)
		o[n/pageBits] = page
	}
	page[n%pageBits/64] |= 1 << (n % 64)
}

func (o ordinals) has(n uint64) bool {
	page := o[n/pageBits]
	return page != nil && page[n%pageBits/64]>>(n%64)&1 == 1
}

// winners passes on what stands in the table at the end: of several records with one primary key the last, as if they
// had been put one after the other, and its index entries alone. Rows come before all entries of indexes, so that all
// losers are known by then.
type winners struct {
	from    stream
	losers  ordinals
	ahead   entry // the next row, read already
	isAhead bool
	copied  []byte // of ahead
	rows    int64
	entries int64
}

func newWinners(from stream) *winners { return &winners{from: from, losers: ordinals{}} }

// read gives the next entry, valid until the next read.
func (w *winners) read(e *entry) (bool, error) {
	for {
		if w.isAhead {
			*e, w.isAhead = w.ahead, false
		} else if ok, err := w.from.read(e); !ok || err != nil {
			return false, err
		}
		if !e.isRow {
			if w.losers.has(e.ordinal) {
				continue
			}
			w.entries++
			return true, nil
		}
		return w.row(e)
	}
}

// row looks for later records under the key of e and leaves the last one in e.
func (w *winners) row(e *entry) (bool, error) {
	for {
		w.copied = append(append(w.copied[:0], e.key...), e.value...)
		e.key, e.value = w.copied[:len(e.key):len(e.key)], w.copied[len(e.key):]
		ok, err := w.from.read(&w.ahead)
		if err != nil {
			return false, err
		}
		if !ok || !w.ahead.isRow || !bytes.Equal(w.ahead.key, e.key) {
			w.isAhead = ok
			w.rows++
			return true, nil
		}
		w.losers.add(e.ordinal)
		*e = w.ahead
	}
}

func (w *winners) close() error { return w.from.close() }
