// SPDX-License-Identifier: Apache-2.0

package journal

import (
	"encoding/binary"
	"fmt"

	"github.com/weftdb/weft/kv"
)

// listMark begins several changes of a row that one commit has made, in the outbox of a cluster. No entry has no flag.
const listMark = 0

// Apart returns txn for writes that are changes of their own, also where they are of one row: Book.Write makes one
// change of them otherwise. It is txn itself where stamps are in order: the journal has one change of a row for a stamp
// there, and a place for more only where a Sequencer gives stamps.
func Apart(txn kv.Txn) kv.Txn {
	stamper, ok := kv.StamperOf(txn)
	if !ok || stamper.StampsInOrder() {
		return txn
	}
	return &apart{Txn: txn, Stamper: stamper}
}

type apart struct {
	kv.Txn
	kv.Stamper
	lists map[string][][]byte // the entries of a row, by their key
}

// UnwrapTxn returns the transaction below.
func (a *apart) UnwrapTxn() kv.Txn { return a.Txn }

// Stamped says that there is nothing: what there is stays as it is.
func (a *apart) Stamped([]byte) ([]byte, bool) { return nil, false }

// SetStamped adds an entry to those of the key.
func (a *apart) SetStamped(key []byte, at int, value []byte) error {
	if a.lists == nil {
		a.lists = map[string][][]byte{}
	}
	list := append(a.lists[string(key)], value)
	a.lists[string(key)] = list
	return a.Stamper.SetStamped(key, at, joinEntries(list))
}

// joinEntries returns what the outbox has of entries that were made by one commit, the first one first.
func joinEntries(list [][]byte) []byte {
	if len(list) == 1 {
		return list[0]
	}
	joined := []byte{listMark}
	for _, entry := range list {
		joined = append(binary.AppendUvarint(joined, uint64(len(entry))), entry...)
	}
	return joined
}

// splitEntries is the reverse of joinEntries. The entries alias b. Errors: ErrEntry.
func splitEntries(b []byte) (list []Entry, err error) {
	if len(b) == 0 || b[0] != listMark {
		e, err := Parse(b)
		return []Entry{e}, err
	}
	for rest := b[1:]; len(rest) > 0 || len(list) == 0; {
		size, n := binary.Uvarint(rest)
		if n <= 0 || size == 0 || size > uint64(len(rest)-n) || rest[n] == listMark {
			return nil, fmt.Errorf("%w: a list", ErrEntry)
		}
		e, err := Parse(rest[n : n+int(size)])
		if err != nil {
			return nil, err
		}
		list, rest = append(list, e), rest[n+int(size):]
	}
	return list, nil
}
