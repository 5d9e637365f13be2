// SPDX-License-Identifier: Apache-2.0

package kv

import "context"

// Loader is implemented by an Admin that takes many entries in one step into keys that are in use, for far less than
// commits of them.
type Loader interface {
	// MayLoad reports whether Load would go unnoticed by whoever depends on seeing each commit.
	MayLoad() bool
	// Load adds entries, whose keys ascend, all at once or none: those that are there keep their values unless an entry
	// has the same key. It is durable when it returns, and conflicts with no transaction. If alone is set, transactions
	// under way fail with ErrConflict once they commit writes or guards: those that don't fail have seen the entries.
	// next returns io.EOF at the end; its slices are not kept. Errors: next's, one that names the key if keys don't
	// ascend, ErrReadOnly.
	Load(ctx context.Context, alone bool, next func() (key, value []byte, err error)) error
	// Scratch is a folder of the operating system, on the store's disk, for temporary files, which Open removes; "":
	// there is none.
	Scratch() string
}
