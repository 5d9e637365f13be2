// SPDX-License-Identifier: Apache-2.0

// Package cell keeps the cells of a row: for each attribute the times at which its values were written, older values,
// and marks of deleted cells. Tables ask for it (Rules); rows of others have none of this.
//
// A stored row holds the values that were current when it was last written as its attributes, as every row does, so
// that indexes derive from them as usual. All other data stand in one more attribute, History, which no reader sees:
//
//	[base, deleted, {name: [version, ..], ..}, {name: [late, ..], ..}]
//
// base is when the attributes were written that the map does not list; deleted is up to when all cells of the row are
// masked, 0 if nothing is. Versions stand newest first, each of them a list: [at] is the attribute's current value,
// [at, life] the same with a life of its own, [at, life, binary] an older value, encoded, [at, null] a delete marker,
// which masks all cells of the attribute up to that time. Times and lives are in milliseconds; a life of 0 is the
// table's. late is [at, set], or [at, set, null] for the marker of one value: a marker that was set long after its
// time, and is kept for as long after that as others are after theirs. Without such markers the second map is missing.
//
// Of two cells the one with the later time counts, whatever the order in which they were written. Visible shows the one
// that counts: the newest version of each attribute, unless a marker masks it or its life is over.
//
// Knows: times, lives, versions and markers of attributes, and their stored form.
// Never: keys, indexes, clocks, which attribute is whose.
package cell
