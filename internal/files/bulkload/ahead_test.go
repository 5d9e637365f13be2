// SPDX-License-Identifier: Apache-2.0

package bulkload

import (
	"encoding/binary"
	"errors"
	"testing"
)

// numbers is a stream of rows under ascending keys.
type numbers struct{ next, end uint64 }

func (n *numbers) read(e *entry) (bool, error) {
	if n.next == n.end {
		return false, nil
	}
	*e = entry{key: binary.BigEndian.AppendUint64(nil, n.next), value: make([]byte, 20+n.next%100), ordinal: n.next,
		isRow: true}
	n.next++
	return true, nil
}

func (n *numbers) close() error { return nil }

// TestAhead reads all of a stream, or part of it: whoever goes on after that is not told that it was all.
func TestAhead(t *testing.T) {
	const total = 100_000
	for _, part := range []uint64{0, 1, 5000, total} {
		a := readAhead(newWinners(&numbers{end: total}))
		var e entry
		for i := range part {
			if ok, err := a.read(&e); !ok || err != nil || binary.BigEndian.Uint64(e.key) != i ||
				len(e.value) != int(20+i%100) {
				t.Fatalf("entry %d: %v %v %x", i, ok, err, e.key)
			}
		}
		if part == total {
			if ok, err := a.read(&e); ok || err != nil {
				t.Errorf("behind the end: %v %v", ok, err)
			}
		}
		a.close()
		for part < total {
			ok, err := a.read(&e)
			if errors.Is(err, errStopped) {
				break
			}
			if !ok || err != nil {
				t.Fatalf("after %d: %v %v", part, ok, err)
			}
		}
	}
}
