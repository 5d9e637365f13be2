// SPDX-License-Identifier: Apache-2.0

// Package heatmap counts the requests to a key space over five weeks in little memory: columns, one for each stretch of
// time, of buckets, one for each range of keys. Young columns are a minute wide; five layers hold ever wider ones, and
// columns that leave a layer are merged into the next. Wherever there are too many buckets, the coldest neighbours
// become one, so that what is hot keeps buckets of its own.
//
// Knows: keys as bytes, times, counts.
// Never: tables, stores, clocks, what a count means.
package heatmap
