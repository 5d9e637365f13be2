// SPDX-License-Identifier: Apache-2.0

package kvtest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/weftdb/weft/kv"
)

func adminChecks() []check {
	return []check{
		{"DeleteRange drops all keys of the range and no other", func(h *harness) {
			admin := h.admin()
			for _, r := range []kv.Range{keyRange("a", "b"), {Start: []byte("\xff")}, {End: []byte("\x01")},
				keyRange("b", "a"), {}} {
				h.put(everyOther()...)
				h.supported(admin.DeleteRange(h.ctx, r))
				var left []entry
				for _, e := range everyOther() {
					if len(within([]entry{e}, r, false)) == 0 {
						left = append(left, e)
					}
				}
				reader, err := h.store.Read(h.ctx)
				h.must(err)
				h.expectAll(reader, left...)
				h.must(reader.Close())
			}
			h.put(entry{"a", "again"})
			h.expectAll(h.read(), entry{"a", "again"})
		}},
		{"Ingest adds sorted entries", func(h *harness) {
			h.put(entry{"a", "1"}, entry{"z", "2"})
			entries := make([]entry, 1000)
			for i := range entries {
				entries[i] = entry{fmt.Sprintf("m%04d", i), fmt.Sprint(i % 10)}
			}
			entries[500].value = ""
			h.supported(h.admin().Ingest(h.ctx, feed(entries)))
			h.expectAll(h.read(), append(append([]entry{{"a", "1"}}, entries...), entry{"z", "2"})...)
			txn := h.begin()
			h.expect(txn, "m0001", "1")
			h.set(txn, "m0001", "changed")
			h.commit(txn)
			h.expect(h.store, "m0001", "changed")
		}},
		{"Ingest of nothing adds nothing", func(h *harness) {
			h.supported(h.admin().Ingest(h.ctx, feed(nil)))
			h.expectAll(h.read())
		}},
		{"an error of Ingest's source is returned", func(h *harness) {
			stop := errors.New("stop")
			err := h.admin().Ingest(h.ctx, func() ([]byte, []byte, error) { return nil, nil, stop })
			if !errors.Is(err, kv.ErrUnsupported) {
				h.mustBe(err, stop)
			}
			h.expectAll(h.read())
		}},
	}
}

func shardChecks() []check {
	return []check{
		{"Checkpoint fills a new folder and leaves the store as it is", func(h *harness) {
			h.put(everyOther()...)
			dir := filepath.Join(h.TempDir(), "checkpoint")
			h.supported(h.admin().Checkpoint(h.ctx, dir))
			if files, err := os.ReadDir(dir); err != nil && !os.IsNotExist(err) || err == nil && len(files) == 0 {
				h.Errorf("the checkpoint's folder holds %d files, error %v", len(files), err)
			}
			h.expectAll(h.read(), everyOther()...)
		}},
		{"Compact changes nothing that is shown", func(h *harness) {
			h.put(everyOther()...)
			h.supported(h.admin().Compact(h.ctx, kv.Range{}))
			h.supported(h.admin().Compact(h.ctx, keyRange("a", "b")))
			h.expectAll(h.read(), everyOther()...)
		}},
		{"Split changes nothing that is shown", func(h *harness) {
			h.put(everyOther()...)
			h.supported(h.admin().Split(h.ctx, [][]byte{[]byte("a"), []byte("b"), []byte("b\x00")}))
			h.expectAll(h.read(), everyOther()...)
			h.put(entry{"a", "changed"}, entry{"c", "new"})
			h.expect(h.store, "c", "new")
		}},
		{"Regions are in key order, overlap the range and cover it", func(h *harness) {
			h.put(everyOther()...)
			admin := h.admin()
			if err := admin.Split(h.ctx, [][]byte{[]byte("a"), []byte("b"), []byte("\xff")}); !errors.Is(err,
				kv.ErrUnsupported) {
				h.must(err)
			}
			for _, r := range []kv.Range{{}, keyRange("a", "b"), keyRange("a\x01", "\x80"), {Start: []byte("b")},
				{End: []byte("a")}} {
				regions, err := admin.Regions(h.ctx, r)
				h.supported(err)
				h.expectCover(regions, r)
			}
		}},
		{"ApproximateSize is no less for more", func(h *harness) {
			h.put(everyOther()...)
			whole, err := h.admin().ApproximateSize(h.ctx, kv.Range{})
			h.supported(err)
			part, err := h.admin().ApproximateSize(h.ctx, keyRange("a", "b"))
			h.supported(err)
			if part < 0 || whole < part {
				h.Errorf("the whole store has %d bytes and a part of it %d", whole, part)
			}
		}},
	}
}

// admin returns the operator's side or skips the test.
func (h *harness) admin() kv.Admin {
	if h.engine.Admin == nil {
		h.Skip("the engine has no operator's side")
	}
	return h.engine.Admin(h.store)
}

// supported skips the test if the engine says that it can't.
func (h *harness) supported(err error) {
	h.Helper()
	if errors.Is(err, kv.ErrUnsupported) {
		h.Skip(err)
	}
	h.must(err)
}

// feed returns entries one by one in buffers that it uses again.
func feed(entries []entry) func() (key, value []byte, err error) {
	var key, value []byte
	return func() ([]byte, []byte, error) {
		if len(entries) == 0 {
			return nil, nil, io.EOF
		}
		key, value = append(key[:0], entries[0].key...), append(value[:0], entries[0].value...)
		entries = entries[1:]
		return key, value, nil
	}
}

// expectCover expects regions to follow one another without a gap and to cover r.
func (h *harness) expectCover(regions []kv.Region, r kv.Range) {
	h.Helper()
	if len(regions) == 0 {
		h.Fatalf("no region covers %s", rangeText(r))
	}
	if first := regions[0].Range; bytes.Compare(first.Start, r.Start) > 0 {
		h.Errorf("the first region of %s is %s", rangeText(r), rangeText(first))
	}
	for i, region := range regions {
		if region.Range.End != nil && bytes.Compare(region.Range.End, r.Start) <= 0 ||
			r.End != nil && bytes.Compare(region.Range.Start, r.End) >= 0 {
			h.Errorf("region %d, %s, does not overlap %s", i, rangeText(region.Range), rangeText(r))
		}
		if i > 0 && !bytes.Equal(regions[i-1].Range.End, region.Range.Start) {
			h.Errorf("region %d ends at %s, the next starts at %s", i-1, boundText(regions[i-1].Range.End),
				boundText(region.Range.Start))
		}
	}
	if last := regions[len(regions)-1].Range; last.End != nil && (r.End == nil || bytes.Compare(last.End, r.End) < 0) {
		h.Errorf("the last region of %s is %s", rangeText(r), rangeText(last))
	}
}
