// SPDX-License-Identifier: Apache-2.0

package pebble

import (
	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
)

// Sought says which keys Get is asked for. Only they stand in bloom filters, which are smaller and quicker made without
// the others; Get finds those all the same. The name stands in the tables: a store that is opened with another one
// passes over their filters. So another Has needs another Name.
type Sought struct {
	Name string
	Has  func(key []byte) bool
}

// policy is a bloom filter of the keys that are sought.
type policy struct {
	pebble.FilterPolicy
	sought *Sought
}

// filters returns the policy for tables that are written, and all that tables may have been written with.
func (o *Options) filters() (written pebble.FilterPolicy, known map[string]pebble.FilterPolicy) {
	plain := bloom.FilterPolicy(o.BloomBitsPerKey)
	known = map[string]pebble.FilterPolicy{plain.Name(): plain}
	if o.Sought == nil {
		return plain, known
	}
	own := policy{plain, o.Sought}
	known[own.Name()] = own
	return own, known
}

// Name implements pebble.FilterPolicy.
func (p policy) Name() string { return "weft." + p.sought.Name }

// MayContain implements pebble.FilterPolicy.
func (p policy) MayContain(kind pebble.FilterType, filter, key []byte) bool {
	return !p.sought.Has(key) || p.FilterPolicy.MayContain(kind, filter, key)
}

// NewWriter implements pebble.FilterPolicy.
func (p policy) NewWriter(kind pebble.FilterType) pebble.FilterWriter {
	return filterWriter{p.FilterPolicy.NewWriter(kind), p.sought}
}

type filterWriter struct {
	pebble.FilterWriter
	sought *Sought
}

// AddKey implements pebble.FilterWriter.
func (w filterWriter) AddKey(key []byte) {
	if w.sought.Has(key) {
		w.FilterWriter.AddKey(key)
	}
}
