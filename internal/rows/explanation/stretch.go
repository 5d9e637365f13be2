// SPDX-License-Identifier: Apache-2.0

package explanation

import (
	"bytes"
	"encoding/hex"

	"github.com/weftdb/weft/internal/index/indexkey"
	"github.com/weftdb/weft/internal/rows/query"
)

// StretchesMax is the number of stretches of a page an explanation holds.
const StretchesMax = 2000

// Stretch is a part of a Z-order index that was read without a seek.
type Stretch struct {
	From, To string // the Z-addresses of the first and the last entry, in hexadecimal
	Examined int64  // entries in it that the boxes call in
	Skipped  int64  // the others
}

// AddStretches adds what a walk over boxes has read between its seeks; nothing, if read is nil.
func (a *Actual) AddStretches(curves []indexkey.Curve, read *query.Stretches) {
	if read == nil {
		return
	}
	for i := range read.List {
		s := &read.List[i]
		a.addStretch(Stretch{From: address(curves, s.First), To: address(curves, s.Last), Examined: s.Examined,
			Skipped: s.Skipped})
	}
	a.StretchesMore += read.More
}

func (a *Actual) addStretch(s Stretch) {
	if len(a.Stretches) >= StretchesMax {
		a.StretchesMore++
		return
	}
	a.Stretches = append(a.Stretches, s)
}

// address is the Z-address in a key of an index; "" if none of the curves lies there.
func address(curves []indexkey.Curve, key []byte) string {
	for i := range curves {
		c := &curves[i]
		if rest, ok := bytes.CutPrefix(key, c.Prefix); ok && len(rest) >= c.Boxes.Plan().Bytes() {
			return hex.EncodeToString(rest[:c.Boxes.Plan().Bytes()])
		}
	}
	return ""
}
