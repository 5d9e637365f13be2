// SPDX-License-Identifier: Apache-2.0

// Package heat counts what a store is asked, by key: Wrap puts a store into another that counts, Map holds the counts.
// They tell
//
//   - how many requests read and wrote which keys, and how many bytes, minute by minute and bucket by bucket, for five
//     weeks (layer);
//   - which keys of a table or an index are read, written and fought over most, counted by space-saving on a sample of
//     the requests;
//   - a sample of the keys that requests met, by range and in the order in which they came.
//
// Counting takes no lock: counters are atomic and spread over shards. One request in sixteen (more while there are few)
// also leaves its key, unless somebody else is just leaving one; so no request waits for another.
//
// Knows: kv, the map of the key space, package layer.
// Never: schemas, what the figures mean (diagnosis), regions.
package heat
