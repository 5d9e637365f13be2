// SPDX-License-Identifier: Apache-2.0

package packet

import (
	"testing"

	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/result"
)

func FuzzLogin(f *testing.F) {
	f.Add([]byte("\x8d\xa6\xff\x01\x00\x00\x00\x01\x2d00000000000000000000000root\x00\x00d\x00mysql_native_password\x00\x04\x01a\x01b"), uint32(Offered))
	f.Fuzz(func(t *testing.T, payload []byte, capabilities uint32) {
		for _, cut := range []func([]byte, uint32) (Request, bool){CutLogin, CutChangeUser} {
			q, ok := cut(payload, capabilities)
			if size := len(q.User) + len(q.Response) + len(q.Database) + len(q.Plugin); ok && size > len(payload) {
				t.Fatalf("%d bytes became %d", len(payload), size)
			}
		}
		WantsTLS(payload, capabilities)
	})
}

func FuzzParameters(f *testing.F) {
	f.Add([]byte{typeLongLong, 0, 1, 2, 3, 4, 5, 6, 7, 8})
	f.Add([]byte{typeDatetime, 0, 11, 0xe8, 7, 1, 31, 23, 59, 59, 0, 0, 0, 0})
	f.Add([]byte{typeTime, 0, 12, 1, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7})
	f.Add([]byte{typeNewDecimal, 0, 4, '1', '.', '5', '0'})
	f.Fuzz(func(t *testing.T, payload []byte) {
		c := Cutter{Rest: payload}
		types := make([]ParameterType, 1)
		if !CutTypes(&c, types) {
			return
		}
		d := CutParameter(&c, types[0])
		if c.Failed {
			return
		}
		if d.Len() > len(payload)+len("0000-00-00") {
			t.Fatal("a value is longer than its packet")
		}
		for base := datum.Untyped; base <= datum.JSONBase; base++ { // whatever came in goes out in any column
			wires := WiresOf(nil, []result.Column{{Type: datum.Type{Base: base}}})
			text := Cutter{Rest: AppendTextRow(nil, wires, []datum.Datum{d})}
			if !d.IsNull() && (text.Text() == nil && text.Failed || len(text.Rest) > 0) {
				t.Fatalf("%s in a column %v is no text", d, base)
			}
			AppendBinaryRow(nil, wires, []datum.Datum{d})
		}
	})
}

func FuzzLength(f *testing.F) {
	f.Add([]byte{0xfd, 1, 2, 3})
	f.Fuzz(func(t *testing.T, payload []byte) {
		c := Cutter{Rest: payload}
		n := c.Length()
		if c.Failed {
			return
		}
		again := Cutter{Rest: AppendLength(nil, n)}
		if m := again.Length(); m != n || again.Failed || len(again.Rest) > 0 {
			t.Fatalf("%d became %d", n, m)
		}
	})
}
