// SPDX-License-Identifier: Apache-2.0

package hbasethrift

import (
	"context"
	"encoding/binary"
	"math"

	"github.com/apache/thrift/lib/go/thrift"

	"github.com/weftdb/weft/internal/hbase"
)

// takePuts reads the list of TPuts before which the message stands, all at once. ok is false, and nothing is read, if they have anything but rows, cells and
// times that can be stored: Thrift's own code reads them then, and says what is wrong. The puts alias the message.
func (p *bounded) takePuts(ctx context.Context, of thrift.TType, size int) (ok bool) {
	x := callOf(ctx)
	x.puts = nil // of two lists the later one counts
	from, isWhole := p.Transport().(*thrift.TMemoryBuffer)
	if !isWhole || of != thrift.STRUCT {
		return false
	}
	r := putReader{rest: from.Bytes(), isCompact: p.isCompact()}
	puts := r.list(size)
	if r.isOdd {
		return false
	}
	from.Next(from.Len() - len(r.rest))
	x.puts = puts
	return true
}

// putReader reads TPuts off the rest of a message.
type putReader struct {
	rest      []byte
	isCompact bool
	isOdd     bool // something was read that is left to Thrift's own code; all that is read is zero from then on
	hasLatest bool // a cell of the put has the server's time, whatever the put's own is
	puts      []hbase.Put
	cells     []hbase.CellWrite
}

// Memory is taken for so many puts or cells at once, whatever a message says of how many follow.
const (
	putsAtOnce  = 128
	cellsAtOnce = 128
	cellsMax    = 4096 // of a put; more are left to Thrift's own code
)

func (r *putReader) list(size int) (list []*hbase.Put) {
	list = make([]*hbase.Put, 0, min(size, 8*putsAtOnce))
	for len(list) < size && !r.isOdd {
		if len(r.puts) == cap(r.puts) { // older room stays with its puts
			r.puts = make([]hbase.Put, 0, min(size, putsAtOnce))
		}
		r.puts = r.puts[:len(r.puts)+1]
		put := &r.puts[len(r.puts)-1]
		r.put(put)
		list = append(list, put)
	}
	return list
}

// put reads a TPut.
func (r *putReader) put(put *hbase.Put) {
	hasRow, at := false, int64(0)
	r.hasLatest = false
	for last := 0; !r.isOdd; {
		kind, id := r.field(&last)
		switch {
		case kind == thrift.STOP:
			r.isOdd = r.isOdd || !hasRow || put.Cells == nil || at != 0 && r.hasLatest
			for i := range put.Cells {
				if put.Cells[i].AtMS == 0 {
					put.Cells[i].AtMS = at
				}
			}
			return
		case id == 1 && kind == thrift.STRING && !hasRow:
			put.Row, hasRow = r.bytes(), true
		case id == 2 && kind == thrift.LIST && put.Cells == nil:
			put.Cells = r.values()
		case id == 3 && kind == thrift.I64:
			at = r.time()
		case id == 6 && kind == thrift.I32:
			r.i32() // the durability
		default:
			r.isOdd = true
		}
	}
}

// values reads a list of TColumnValues. It is not nil if it is fine.
func (r *putReader) values() []hbase.CellWrite {
	n := r.structs()
	if r.isOdd || n > cellsMax {
		r.isOdd = true
		return nil
	}
	if cap(r.cells)-len(r.cells) < n || r.cells == nil {
		r.cells = make([]hbase.CellWrite, 0, max(n, cellsAtOnce))
	}
	end := len(r.cells) + n
	values := r.cells[len(r.cells):end:end]
	r.cells = r.cells[:end]
	for i := 0; i < n && !r.isOdd; i++ {
		r.value(&values[i])
	}
	return values
}

// value reads a TColumnValue.
func (r *putReader) value(c *hbase.CellWrite) {
	const all = 1<<1 | 1<<2 | 1<<3
	has := 0
	for last := 0; !r.isOdd; {
		kind, id := r.field(&last)
		switch {
		case kind == thrift.STOP:
			r.isOdd = r.isOdd || has != all
			return
		case kind == thrift.STRING && id == 1:
			c.Family = r.bytes()
		case kind == thrift.STRING && id == 2:
			c.Qualifier = r.bytes()
		case kind == thrift.STRING && id == 3:
			c.Value = r.bytes()
		case kind == thrift.I64 && id == 4:
			c.AtMS = r.time()
			r.hasLatest = r.hasLatest || c.AtMS == 0
		case kind == thrift.BYTE && id == 6:
			r.take(1) // the type, which HBase's Java client gives
		default:
			r.isOdd = true
			return
		}
		has |= 1 << id & all
	}
}

// take takes bytes off the message.
func (r *putReader) take(n int) []byte {
	if r.isOdd || n < 0 || n > len(r.rest) {
		r.isOdd = true
		return nil
	}
	taken := r.rest[:n:n]
	r.rest = r.rest[n:]
	return taken
}

// field reads the head of a field; last is the number of the one before in its struct.
func (r *putReader) field(last *int) (kind thrift.TType, id int) {
	head := r.byte()
	if !r.isCompact {
		if head == thrift.STOP {
			return thrift.STOP, 0
		}
		number := r.take(2)
		if r.isOdd {
			return thrift.STOP, 0
		}
		return thrift.TType(head), int(int16(binary.BigEndian.Uint16(number)))
	}
	if head == thrift.STOP {
		return thrift.STOP, 0
	}
	step := int(head >> 4)
	if step == 0 { // the number stands by itself
		r.isOdd = true
		return thrift.STOP, 0
	}
	*last += step
	switch head & 0x0f {
	case compactBinary:
		kind = thrift.STRING
	case compactList:
		kind = thrift.LIST
	case compactI64:
		kind = thrift.I64
	case compactI32:
		kind = thrift.I32
	case compactByte:
		kind = thrift.BYTE
	default:
		r.isOdd = true
	}
	return kind, *last
}

func (r *putReader) byte() byte {
	if b := r.take(1); !r.isOdd {
		return b[0]
	}
	return 0
}

// uvarint reads a length of the compact protocol.
func (r *putReader) uvarint() int {
	n, used := binary.Uvarint(r.rest)
	if used <= 0 || n > math.MaxInt32 {
		r.isOdd = true
		return 0
	}
	r.take(used)
	return int(n)
}

// u32 reads a length of the binary protocol.
func (r *putReader) u32() int {
	if b := r.take(4); !r.isOdd {
		return int(int32(binary.BigEndian.Uint32(b)))
	}
	return 0
}

func (r *putReader) bytes() []byte {
	if r.isCompact {
		return r.take(r.uvarint())
	}
	return r.take(r.u32())
}

func (r *putReader) i32() {
	if r.isCompact {
		_, used := binary.Uvarint(r.rest)
		r.isOdd = r.isOdd || used <= 0 || used > 5
		r.take(used)
		return
	}
	r.take(4)
}

// structs reads the head of a list of structs.
func (r *putReader) structs() int {
	head := r.byte()
	if !r.isCompact {
		r.isOdd = r.isOdd || head != thrift.STRUCT
		n := r.u32()
		r.isOdd = r.isOdd || n < 0
		return n
	}
	r.isOdd = r.isOdd || head&0x0f != compactStruct
	if n := int(head >> 4); n < 15 {
		return n
	}
	return r.uvarint()
}

// time reads a time that a cell can have. 0 is the server's clock.
func (r *putReader) time() (ms int64) {
	if r.isCompact {
		var used int
		ms, used = binary.Varint(r.rest)
		r.isOdd = r.isOdd || used <= 0
		r.take(used)
	} else if b := r.take(8); !r.isOdd {
		ms = int64(binary.BigEndian.Uint64(b))
	}
	r.isOdd = r.isOdd || ms <= 0
	if ms == latest {
		return 0
	}
	return ms
}
