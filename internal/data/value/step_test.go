// SPDX-License-Identifier: Apache-2.0

package value

import (
	"bytes"
	"testing"
)

// FuzzSteps compares Steps with Attributes: it shows the same attributes, and where it ends before a row does,
// Attributes has no more under small ids, or an error.
func FuzzSteps(f *testing.F) {
	row := appendRowHeader(nil, 30, 6)
	row = AppendInt(append(row, 1), 7)
	row = AppendString(append(row, 2), []byte("text"))
	row = AppendBool(append(row, 3), true)
	row = AppendString(append(row, 4), bytes.Repeat([]byte("x"), 200))
	row = AppendNull(append(row, 5))
	row = AppendInt(append(row, 0, 1, 'n'), 7)
	f.Add([]byte(row))
	f.Add([]byte(appendRowHeader(nil, 0, 0)))
	f.Add([]byte{})
	for i := range row {
		f.Add([]byte(row[:i]))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		row := Row(b)
		steps, all := row.Steps(), row.Attributes(NoNames)
		for {
			id, v := steps.Next()
			if id == 0 {
				break
			}
			if !all.NextID() || all.ID() != id || !bytes.Equal(all.Value(), v) {
				t.Fatalf("step %d %v, Attributes has %d %v", id, v, all.ID(), all.Value())
			}
		}
		more := all.NextID()
		if steps.Ended() && (more || all.Err() != nil) {
			t.Fatalf("ended early: Attributes has %d, error %v", all.ID(), all.Err())
		}
		if !steps.Ended() && more && all.ID() > 0 && all.ID() < 128 {
			t.Fatalf("left out %d %v", all.ID(), all.Value())
		}
	})
}
