// SPDX-License-Identifier: Apache-2.0

// Package sortkey helps people design the keys of a table, so that one range of it answers a question and no single
// place of it takes all writes. It makes plain strings, integers and 16-byte values, which any ordered store takes as
// keys: DynamoDB and Weft alike.
//
//	newest first          Day and DayDescending for the partition, UUID.Inverse for the order within a day
//	numbers in text       Pad, so that "10" does not stand before "2"
//	levels of detail      Template: "country#state#city", asked for by Prefix
//	history of a document Version and Latest
//	one key too hot       ShardOf, Shard, ShardPrefixed to spread it, MergeAscending and MergeDescending to read it in order again
//
// # Write sharding
//
// The items of one partition key that takes too many writes are spread over several keys, its shards, and read together
// again by a merge. ShardOf chooses the shard of an item. How a shard is named depends on how the table lays out
// partition keys. Where they are hashed, as in DynamoDB, "key-3" and "3-key" both land anywhere. Where they are
// ordered, as in Weft unless a table asks for hashing, "key-0" to "key-9" are neighbours and stay in one place, which
// takes all the writes as before: a suffix spreads nothing there. Only the number in front moves shards apart, so
// ShardPrefixed is for ordered tables and harmless on hashed ones.
//
// # Clocks and chance
//
// Nothing here reads a clock. Only NewUUID draws random bits. All functions are safe for concurrent use.
//
// Knows: how values are written so that the order of texts, numbers and bytes is the order wanted.
// Never: tables, requests, clients, kv.
package sortkey
