// SPDX-License-Identifier: Apache-2.0

package sortkey

import (
	"fmt"
	"strconv"
	"strings"
)

// ShardOf returns the shard, 0..count-1, of an item, chosen by a member that identifies it among those under the same
// key, such as its id. The shard is always the same, so a reader that knows the member looks into one shard. With count
// below 2 it is 0.
func ShardOf(member string, count int) int {
	if count < 2 {
		return 0
	}
	// FNV-1a, then two rounds of mixing: FNV alone leaves short texts that differ in their last character close
	// together.
	hash := uint64(0xCBF29CE484222325)
	for i := range len(member) {
		hash = (hash ^ uint64(member[i])) * 0x100000001B3
	}
	hash = (hash ^ hash>>30) * 0xBF58476D1CE4E5B9
	hash = (hash ^ hash>>27) * 0x94D049BB133111EB
	hash ^= hash >> 31
	return int(hash % uint64(count))
}

// Shard returns the shard's name with the number behind, "key-3", for tables that hash their partition keys.
func Shard(key string, shard int) string { return key + "-" + strconv.Itoa(shard) }

// ShardPrefixed returns the shard's name with the number in front, "3-key", for ordered and for hashed tables.
func ShardPrefixed(key string, shard int) string { return strconv.Itoa(shard) + "-" + key }

// Shards returns the names of all count shards in the form of Shard. Below 1 there are none.
func Shards(key string, count int) []string { return shards(key, count, Shard) }

// ShardsPrefixed returns the names of all count shards in the form of ShardPrefixed.
func ShardsPrefixed(key string, count int) []string { return shards(key, count, ShardPrefixed) }

func shards(key string, count int, name func(string, int) string) []string {
	names := make([]string, max(count, 0))
	for i := range names {
		names[i] = name(key, i)
	}
	return names
}

// SplitShard takes the name of Shard apart. Any other text is ErrShard.
func SplitShard(name string) (key string, shard int, err error) {
	i := strings.LastIndexByte(name, '-')
	if i < 0 {
		return "", 0, fmt.Errorf("%w: %q", ErrShard, name)
	}
	shard, err = parseShard(name[i+1:], name)
	return name[:i], shard, err
}

// SplitShardPrefixed takes the name of ShardPrefixed apart. Any other text is ErrShard.
func SplitShardPrefixed(name string) (key string, shard int, err error) {
	number, key, ok := strings.Cut(name, "-")
	if !ok {
		return "", 0, fmt.Errorf("%w: %q", ErrShard, name)
	}
	shard, err = parseShard(number, name)
	return key, shard, err
}

func parseShard(number, name string) (int, error) {
	shard, err := strconv.Atoi(number)
	if err != nil || shard < 0 || strconv.Itoa(shard) != number {
		return 0, fmt.Errorf("%w: %q", ErrShard, name)
	}
	return shard, nil
}
