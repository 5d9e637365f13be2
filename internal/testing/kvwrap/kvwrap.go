// SPDX-License-Identifier: Apache-2.0

// Package kvwrap holds stores that stand around another one, for tests: Faulty makes chosen calls fail, Recording
// writes every call down as a line of text. Both pass the suite of package kvtest, and keep what kv.SharedOf finds.
//
// Knows: the methods of package kv.
// Never: any engine, what is stored.
package kvwrap

import (
	"context"
	"fmt"

	"github.com/weftdb/weft/kv"
)

// view is the common part of Reader and Txn.
type view interface {
	getter
	GetMany(ctx context.Context, keys [][]byte, found func(i int, value []byte, ok bool) error) error
	Scan(ctx context.Context, r kv.Range, reverse bool) kv.Cursor
}

// getter is Store, Reader or Txn.
type getter interface {
	Get(ctx context.Context, key, dst []byte) (value []byte, ok bool, err error)
}

func rangeText(r kv.Range) string { return "[" + boundText(r.Start) + ", " + boundText(r.End) + ")" }

func boundText(bound []byte) string {
	if bound == nil {
		return "nil"
	}
	return fmt.Sprintf("%q", bound)
}
