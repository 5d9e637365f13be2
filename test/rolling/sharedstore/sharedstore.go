// SPDX-License-Identifier: Apache-2.0

// Package sharedstore lets processes share a store that one of them has: it hands calls of package kv over a
// connection. It is made for a test, in which the processes are of different versions of Weft: it uses nothing else of
// Weft than kv.
//
// Knows: package kv, net/rpc.
// Never: engines, versions.
package sharedstore

import (
	"errors"

	"github.com/weftdb/weft/kv"
)

// Request is a call on an object: the store, which is number 0, or what an earlier call has opened.
type Request struct {
	Object     int64
	Call       string
	Key, Value []byte
	Keys       [][]byte
	Range      kv.Range
	Reverse    bool
	UntilMS    int64 // the fence of a commit
}

// Response is what a call came to.
type Response struct {
	Object int64 // that was opened
	Pairs  []Pair
	Number int64
	OK     bool
	Code   int // of errorsKnown, plus 1; 0: none of them
	Text   string
}

// Pair is an entry, or the value of a key.
type Pair struct {
	Key, Value []byte
	OK         bool
}

// errorsKnown are those that keep their identity, as far as versions know them.
var errorsKnown = []error{kv.ErrConflict, kv.ErrTooLarge, kv.ErrReadOnly, kv.ErrFenced, kv.ErrClosed,
	kv.ErrUnknownOutcome, kv.ErrSnapshotExpired, kv.ErrUnsupported, kv.ErrFormat} // immutable

func (r *Response) fail(err error) {
	if err == nil {
		return
	}
	r.Text = err.Error()
	for i, known := range errorsKnown {
		if errors.Is(err, known) {
			r.Code = i + 1
		}
	}
}

func (r *Response) err() error {
	switch {
	case r.Code > 0:
		return errorsKnown[r.Code-1]
	case r.Text != "":
		return errors.New(r.Text)
	}
	return nil
}
