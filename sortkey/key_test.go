// SPDX-License-Identifier: Apache-2.0

package sortkey

import (
	"cmp"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// FuzzPad holds that texts of one width are ordered as their numbers, read back as them, and that what does not fit is
// refused.
func FuzzPad(f *testing.F) {
	f.Add(uint64(2), uint64(10), 4)
	f.Add(uint64(math.MaxUint64), uint64(0), 20)
	f.Add(uint64(10), uint64(9), 1)
	f.Add(uint64(1), uint64(1), 0)
	f.Fuzz(func(t *testing.T, a, b uint64, width int) {
		x, errX := Pad(a, width)
		y, errY := Pad(b, width)
		for n, err := range map[uint64]error{a: errX, b: errY} {
			want := error(nil)
			switch {
			case width < 1 || width > WidthMax:
				want = ErrWidth
			case len(strconv.FormatUint(n, 10)) > width:
				want = ErrTooWide
			}
			if !errors.Is(err, want) {
				t.Fatalf("%d in %d digits: %v, want %v", n, width, err, want)
			}
		}
		if errX != nil || errY != nil {
			return
		}
		if len(x) != width || cmp.Compare(x, y) != cmp.Compare(a, b) {
			t.Fatalf("%d and %d are written %q and %q", a, b, x, y)
		}
		if n, err := Unpad(x); err != nil || n != a {
			t.Fatalf("%q reads back as %d, %v", x, n, err)
		}
	})
}

func TestUnpadErrors(t *testing.T) {
	for _, text := range []string{"", "-1", "+1", " 1", "1_0", "0x1", "1e3", "99999999999999999999",
		"000000000000000000001"} {
		if n, err := Unpad(text); !errors.Is(err, ErrNotNumber) {
			t.Errorf("%q: %d, %v", text, n, err)
		}
	}
	if dst, err := AppendPad([]byte("kept"), 100, 2); string(dst) != "kept" || !errors.Is(err, ErrTooWide) {
		t.Errorf("%q, %v", dst, err)
	}
}

func TestVersions(t *testing.T) {
	previous := ""
	for _, n := range []uint64{0, 1, 2, 9, 10, 99, 100, 9_999_999_999} {
		key, err := Version(n)
		if err != nil || key <= previous || !strings.HasPrefix(key, VersionPrefix) {
			t.Errorf("version %d: %q after %q, %v", n, key, previous, err)
		}
		if back, err := ParseVersion(key); err != nil || back != n {
			t.Errorf("%q reads back as %d, %v", key, back, err)
		}
		previous = key
	}
	if key, err := Version(0); key != Latest || err != nil {
		t.Errorf("version 0 is %q, %v", key, err)
	}
	if key, err := Version(10_000_000_000); !errors.Is(err, ErrTooWide) || key != "" {
		t.Errorf("a number of eleven digits: %q, %v", key, err)
	}
	for _, key := range []string{"", "v_", "v_1", "0000000001", "w_0000000001", "v_00000000001", "v_+000000001",
		"v_000000000x"} {
		if n, err := ParseVersion(key); !errors.Is(err, ErrVersion) {
			t.Errorf("%q: %d, %v", key, n, err)
		}
	}
}

// TestShardOfIsFrozen: items lie where these numbers say, so they must never change.
func TestShardOfIsFrozen(t *testing.T) {
	for _, c := range []struct {
		member string
		count  int
		want   int
	}{
		{"", 10, 3}, {"a", 10, 6}, {"order-1", 10, 7}, {"order-2", 10, 3},
		{"0190a4cd-d3e7-7222-9f99-fdb74feee752", 1000, 893},
		{"a", 1, 0}, {"a", 0, 0}, {"a", -5, 0},
	} {
		if got := ShardOf(c.member, c.count); got != c.want {
			t.Errorf("%q of %d: shard %d, want %d", c.member, c.count, got, c.want)
		}
	}
}

// TestShardOfSpreads: counted names must fill all shards about evenly.
func TestShardOfSpreads(t *testing.T) {
	const members = 10_000
	for _, count := range []int{2, 7, 10, 64} {
		filled := make([]int, count)
		for i := range members {
			filled[ShardOf("order-"+strconv.Itoa(i), count)]++
		}
		mean := float64(members) / float64(count)
		if low, high := slices.Min(filled), slices.Max(filled); float64(low) < mean-6*math.Sqrt(mean) ||
			float64(high) > mean+6*math.Sqrt(mean) {
			t.Errorf("%d shards hold %d to %d of %d members", count, low, high, members)
		}
	}
}

func TestShardNames(t *testing.T) {
	if got := Shards("k", 3); !slices.Equal(got, []string{"k-0", "k-1", "k-2"}) {
		t.Errorf("Shards: %q", got)
	}
	if got := ShardsPrefixed("k", 2); !slices.Equal(got, []string{"0-k", "1-k"}) {
		t.Errorf("ShardsPrefixed: %q", got)
	}
	if got := Shards("k", -1); len(got) != 0 {
		t.Errorf("Shards of no shards: %q", got)
	}
	for _, name := range []string{"", "k", "k-", "k-x", "k--1-", "k-01", "k-+1"} {
		if key, shard, err := SplitShard(name); !errors.Is(err, ErrShard) {
			t.Errorf("%q: %q, %d, %v", name, key, shard, err)
		}
	}
	for _, name := range []string{"", "k", "-k", "x-k", "01-k", "+1-k"} {
		if key, shard, err := SplitShardPrefixed(name); !errors.Is(err, ErrShard) {
			t.Errorf("%q: %q, %d, %v", name, key, shard, err)
		}
	}
}

func FuzzShardNames(f *testing.F) {
	f.Add("2024-07-12", 3)
	f.Add("", 0)
	f.Add("-", 12)
	f.Fuzz(func(t *testing.T, key string, shard int) {
		if shard < 0 {
			return
		}
		if k, n, err := SplitShard(Shard(key, shard)); k != key || n != shard || err != nil {
			t.Fatalf("%q: %q, %d, %v", Shard(key, shard), k, n, err)
		}
		if k, n, err := SplitShardPrefixed(ShardPrefixed(key, shard)); k != key || n != shard || err != nil {
			t.Fatalf("%q: %q, %d, %v", ShardPrefixed(key, shard), k, n, err)
		}
	})
}
