// SPDX-License-Identifier: Apache-2.0

package journal

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"maps"
	"slices"

	"github.com/weftdb/weft/internal/data/keyspace"
	"github.com/weftdb/weft/kv"
)

const (
	// floorMoved is the number of changes moved lately from which on a bucket is read from its floor, with a request of
	// its own: a cluster steps over what was deleted until it collects it, ten minutes later.
	floorMoved = 1000
	// floorSteps is the number of steps between two looks how far floors may be raised, and floorLooks that of looks
	// after which half of what was moved counts no more: some minutes.
	floorSteps = 64
	floorLooks = 200
)

// floors are the places in the buckets of an outbox below which there are no changes, nor will there be any. The zero
// value is ready.
type floors struct {
	of     map[Bucket]floor
	oldest uint64 // a stamp: what comes to the outbox has no lower one
	steps  int
	looks  int
}

type floor struct {
	stamp uint64 // no change has a lower one
	moved int
}

// look asks now and then how far floors may be raised, if there are buckets that are worth it.
func (f *floors) look(ctx context.Context, oldest func(context.Context) (int64, error)) error {
	f.steps++
	if oldest == nil || f.steps%floorSteps != 1 || !f.anyBusy() {
		return nil
	}
	ms, err := oldest(ctx)
	f.oldest = max(f.oldest, kv.StampOf(ms))
	if f.looks++; f.looks%floorLooks == 0 {
		for bucket, one := range f.of {
			if one.moved /= 2; one.moved == 0 {
				delete(f.of, bucket)
				continue
			}
			f.of[bucket] = one
		}
	}
	return err
}

func (f *floors) anyBusy() bool {
	for _, one := range f.of {
		if one.moved >= floorMoved {
			return true
		}
	}
	return false
}

// raise notes what a step has moved: bucket by bucket, each from its floor on, and of all but the last all that there
// was, or of that, too, if the step was whole.
func (f *floors) raise(found []waiter, whole bool) {
	if f.of == nil {
		f.of = map[Bucket]floor{}
	}
	if whole {
		for bucket, one := range f.of {
			one.stamp = max(one.stamp, f.oldest)
			f.of[bucket] = one
		}
	}
	for _, w := range found {
		bucket, stamp := w.bucket()
		one := f.of[bucket]
		one.moved++
		if last, _ := found[len(found)-1].bucket(); whole || bucket != last {
			stamp = f.oldest
		}
		one.stamp = max(one.stamp, min(stamp, f.oldest))
		f.of[bucket] = one
	}
}

// above leaves out of ranges of the outbox what lies below the floors of busy buckets.
func (f *floors) above(ranges []kv.Range) (list []kv.Range) {
	busy := slices.SortedFunc(maps.Keys(f.of), func(a, b Bucket) int {
		return cmp.Or(cmp.Compare(a.Table, b.Table), cmp.Compare(a.Bucket, b.Bucket))
	})
	for _, r := range ranges {
		for _, bucket := range busy {
			one := f.of[bucket]
			first := keyspace.AppendOutbox(nil, bucket.Table, bucket.Bucket)
			if one.moved < floorMoved || one.stamp == 0 || bytes.Compare(first, r.Start) < 0 ||
				bytes.Compare(first, r.End) >= 0 {
				continue
			}
			if bytes.Compare(r.Start, first) < 0 {
				list = append(list, kv.Range{Start: r.Start, End: first})
			}
			r.Start = binary.BigEndian.AppendUint64(slices.Clone(first), one.stamp)
		}
		list = append(list, r)
	}
	return list
}
