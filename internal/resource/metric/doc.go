// SPDX-License-Identifier: Apache-2.0

// Package metric holds what Weft counts: requests, bytes, items, jobs and the engine, as instruments in Prometheus's
// model. There is one Set for each server, with its own registry and no globals, so that two servers in one process do
// not mix.
//
// A server asks once for an Operation (a handle for one operation of one protocol) and keeps it; counting a request
// then takes no lock and looks up no label. Engine and jobs are not counted as they go: the Set is given functions that
// return plain structs, and calls them when it is read.
//
// All names are in names.go; docs/metrics.md is generated from them.
//
// Knows: instruments, their names, labels and buckets.
// Never: engines, protocols, HTTP, clocks: durations come in as seconds.
package metric

//go:generate go test -count=1 -run TestDocument . -rewrite
