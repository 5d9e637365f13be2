// SPDX-License-Identifier: Apache-2.0

// Package region keeps the regions of tables and indexes: contiguous ranges of keys, each with an id. On an embedded
// engine they are logical: a region is split where it has grown beyond a size or where requests gather, and merged with
// the next when both are small and nobody asks for them. On a cluster they are the cluster's own: the package only
// shows them, and asks for splits.
//
// A region is an entry of the key space at the key where it begins; the first one of an index has none. So a split is
// one entry more and a merge one less, and the regions of an index always cover it without a gap.
//
// Knows: where regions begin, about how much they hold, when they are split and merged, how a key's values are spread
// evenly.
// Never: counting requests, dialects, walks over rows.
package region
