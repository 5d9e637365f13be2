// SPDX-License-Identifier: Apache-2.0

package hbasethrift

import (
	"cmp"

	"github.com/weftdb/weft/internal/hbase"
	"github.com/weftdb/weft/internal/server/thriftwire"
)

// Room is made for so many puts and cells at once, whatever a message says of how many follow.
const (
	putsAtOnce  = 128
	cellsAtOnce = 128
	cellsMax    = 4096 // of a list
)

// writeReader reads puts and appends of Thrift2, whose cells share room.
type writeReader struct {
	puts    []hbase.Put
	cells   []hbase.CellWrite
	left    int   // puts that follow, this one included; 0 is 1
	refused error // the first thing of the call that can't be done; the rest is read all the same
	fault   error // the same of the cells that were read last
}

// list reads a list of TPuts.
func (p *writeReader) list(r *thriftwire.Reader) []*hbase.Put {
	p.left = r.List(thriftwire.Struct)
	list := make([]*hbase.Put, 0, min(p.left, 8*putsAtOnce))
	for ; p.left > 0 && r.Err() == nil; p.left-- {
		list = append(list, p.put(r))
	}
	return list
}

func (p *writeReader) refuse(err error) {
	p.refused = cmp.Or(p.refused, err)
}

var (
	errVisibility = refuse("visibility of cells is not supported: leave cellVisibility out") // immutable
	errTags       = refuse("tags of cells are not supported: leave tags out")                // immutable
)

// immutable
var putShape = thriftwire.Shape{Name: "TPut", Required: 1<<1 | 1<<2, Types: []thriftwire.Type{
	1: thriftwire.Bytes, 2: thriftwire.List, 3: thriftwire.I64, 5: thriftwire.Map, 7: thriftwire.Struct,
}}

// put reads a TPut.
func (p *writeReader) put(r *thriftwire.Reader) *hbase.Put {
	if len(p.puts) == cap(p.puts) { // older room stays with its puts
		p.puts = make([]hbase.Put, 0, max(1, min(putsAtOnce, p.left)))
	}
	p.puts = p.puts[:len(p.puts)+1]
	put := &p.puts[len(p.puts)-1]
	w := write{}
	for f := (thriftwire.Field{}); r.Next(&f, &putShape); {
		switch f.ID {
		case 1:
			put.Row = r.Bytes()
		case 2:
			w.cells = p.values(r)
		case 3:
			w.at, w.hasTime = r.I64(), true
		case 5:
			w.life.read(r)
		case 7:
			w.isHidden = true
			r.Skip(f)
		}
	}
	put.Cells = p.finish(&w)
	return put
}

// immutable
var appendShape = thriftwire.Shape{Name: "TAppend", Required: 1<<1 | 1<<2, Types: []thriftwire.Type{
	1: thriftwire.Bytes, 2: thriftwire.List, 3: thriftwire.Map, 5: thriftwire.Struct, 6: thriftwire.Bool,
}}

// append reads a TAppend.
func (p *writeReader) append(r *thriftwire.Reader) *hbase.Append {
	in, w := new(hbase.Append), write{}
	for f := (thriftwire.Field{}); r.Next(&f, &appendShape); {
		switch f.ID {
		case 1:
			in.Row = r.Bytes()
		case 2:
			w.cells = p.values(r)
		case 3:
			w.life.read(r)
		case 5:
			w.isHidden = true
			r.Skip(f)
		case 6:
			in.Unread = !r.Bool()
		}
	}
	in.Cells = p.finish(&w)
	return in
}

// write is the description of cells in a put or an append.
type write struct {
	cells    []hbase.CellWrite
	at       int64 // of cells without a time of their own
	hasTime  bool
	life     lifetime
	isHidden bool // some may not see the cells
}

// finish gives the cells what the whole write says. Those without a time are at noTime, and those that want the
// server's clock at latest.
func (p *writeReader) finish(w *write) []hbase.CellWrite {
	if w.isHidden {
		p.refuse(errVisibility)
	}
	for _, err := range [...]error{w.life.err, p.fault} {
		if err != nil {
			p.refuse(err)
		}
	}
	at, err := int64(0), error(nil)
	if w.hasTime {
		at, err = timeOf(w.at)
	}
	for i := range w.cells {
		c := &w.cells[i]
		c.LifeMS = w.life.ms
		switch c.AtMS {
		case noTime:
			if c.AtMS = at; err != nil {
				p.refuse(err)
			}
		case latest:
			c.AtMS = 0
		}
	}
	return w.cells
}

// noTime marks a cell without a time of its own, while it is read.
const noTime = 0

// values reads a list of TColumnValues.
func (p *writeReader) values(r *thriftwire.Reader) []hbase.CellWrite {
	p.fault = nil
	n := r.List(thriftwire.Struct)
	if n > cellsMax {
		return p.longValues(r, n)
	}
	if cap(p.cells)-len(p.cells) < n || p.cells == nil {
		p.cells = make([]hbase.CellWrite, 0, max(n, min(cellsAtOnce, n*p.left)))
	}
	end := len(p.cells) + n
	values := p.cells[len(p.cells):end:end]
	p.cells = p.cells[:end]
	for i := 0; i < n && r.Err() == nil; i++ {
		p.value(r, &values[i])
	}
	return values
}

// longValues makes room for a list's elements as they turn out to be there.
func (p *writeReader) longValues(r *thriftwire.Reader, n int) []hbase.CellWrite {
	values := make([]hbase.CellWrite, 0, cellsMax)
	for ; n > 0 && r.Err() == nil; n-- {
		values = append(values, hbase.CellWrite{})
		p.value(r, &values[len(values)-1])
	}
	return values
}

// immutable
var valueShape = thriftwire.Shape{Name: "TColumnValue", Required: 1<<1 | 1<<2 | 1<<3, Types: []thriftwire.Type{
	1: thriftwire.Bytes, 2: thriftwire.Bytes, 3: thriftwire.Bytes, 4: thriftwire.I64, 5: thriftwire.Bytes,
}}

// value reads a TColumnValue.
func (p *writeReader) value(r *thriftwire.Reader, c *hbase.CellWrite) {
	fault := error(nil)
	for f := (thriftwire.Field{}); r.Next(&f, &valueShape); {
		switch f.ID {
		case 1:
			c.Family = r.Bytes()
		case 2:
			c.Qualifier = r.Bytes()
		case 3:
			c.Value = r.Bytes()
		case 4:
			if c.AtMS = r.I64(); c.AtMS <= 0 {
				c.AtMS, fault = timeOf(c.AtMS)
			}
		case 5:
			if len(r.Bytes()) > 0 {
				fault = errTags
			}
		}
	}
	p.fault = cmp.Or(p.fault, fault)
}
