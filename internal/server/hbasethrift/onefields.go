// SPDX-License-Identifier: Apache-2.0

package hbasethrift

import (
	"bytes"

	"github.com/weftdb/weft/internal/hbase"
	"github.com/weftdb/weft/internal/hbase/filter"
	"github.com/weftdb/weft/internal/server/thriftwire"
)

// takenOne are the arguments of Thrift1's calls. Each call has some of them.
type takenOne struct {
	table, row, column, value []byte

	columns, rows [][]byte
	at            *int64 // nil: the newest
	versions      int32
	life          lifetime // the only attribute of calls that is looked at
	batches       []batch
	put           *mutationOne
	amount        int64
	increments    []increment
	append        *appendOne
	families      []familyOne

	stop       []byte
	scan       *scanOne
	scanner    int32
	rowsWanted int32
}

// before is the range of times that calls with a timestamp ask for: all before it.
func (a *takenOne) before() hbase.TimeRange { return hbase.Between(0, a.time()) }

func (a *takenOne) time() int64 {
	if a.at == nil {
		return latest
	}
	return *a.at
}

// columnOne reads "family:qualifier", or "family" for a whole family.
func columnOne(text []byte) hbase.Column {
	family, qualifier, ok := bytes.Cut(text, []byte(":"))
	return hbase.Column{Family: family, Qualifier: qualifier, Whole: !ok}
}

func columnsOne(texts [][]byte) []hbase.Column {
	s := hbase.Selection{}
	for i := range texts {
		s.Add(columnOne(texts[i]))
	}
	return s.Columns
}

// mutationOne is a Mutation.
type mutationOne struct {
	column, value []byte
	isDelete      bool
}

// batch is a BatchMutation.
type batch struct {
	row       []byte
	mutations []mutationOne
}

// The shapes of mutations. immutable
var (
	mutationOneShape = thriftwire.Shape{Name: "Mutation",
		Types: []thriftwire.Type{1: thriftwire.Bool, 2: thriftwire.Bytes, 3: thriftwire.Bytes}}
	batchShape = thriftwire.Shape{Name: "BatchMutation",
		Types: []thriftwire.Type{1: thriftwire.Bytes, 2: thriftwire.List}}
)

func readMutationOne(r *thriftwire.Reader) (m mutationOne) {
	for f := (thriftwire.Field{}); r.Next(&f, &mutationOneShape); {
		switch f.ID {
		case 1:
			m.isDelete = r.Bool()
		case 2:
			m.column = r.Bytes()
		case 3:
			m.value = r.Bytes()
		}
	}
	return m
}

func readMutationsOne(r *thriftwire.Reader) []mutationOne {
	return readList(r, thriftwire.Struct, readMutationOne)
}

func readBatch(r *thriftwire.Reader) (b batch) {
	for f := (thriftwire.Field{}); r.Next(&f, &batchShape); {
		switch f.ID {
		case 1:
			b.row = r.Bytes()
		case 2:
			b.mutations = readMutationsOne(r)
		}
	}
	return b
}

// increment is a TIncrement.
type increment struct {
	table, row, column []byte
	amount             int64
}

// immutable
var incrementOneShape = thriftwire.Shape{Name: "TIncrement", Types: []thriftwire.Type{
	1: thriftwire.Bytes, 2: thriftwire.Bytes, 3: thriftwire.Bytes, 4: thriftwire.I64,
}}

func readIncrementOne(r *thriftwire.Reader) (i increment) {
	for f := (thriftwire.Field{}); r.Next(&f, &incrementOneShape); {
		switch f.ID {
		case 1:
			i.table = r.Bytes()
		case 2:
			i.row = r.Bytes()
		case 3:
			i.column = r.Bytes()
		case 4:
			i.amount = r.I64()
		}
	}
	return i
}

// appendOne is a TAppend.
type appendOne struct {
	table, row      []byte
	columns, values [][]byte
}

// immutable
var appendOneShape = thriftwire.Shape{Name: "TAppend", Types: []thriftwire.Type{
	1: thriftwire.Bytes, 2: thriftwire.Bytes, 3: thriftwire.List, 4: thriftwire.List,
}}

func (a *takenOne) readAppend(r *thriftwire.Reader) {
	a.append = new(appendOne)
	for f := (thriftwire.Field{}); r.Next(&f, &appendOneShape); {
		switch f.ID {
		case 1:
			a.append.table = r.Bytes()
		case 2:
			a.append.row = r.Bytes()
		case 3:
			a.append.columns = readBytesList(r)
		case 4:
			a.append.values = readBytesList(r)
		}
	}
}

// scanOne is a scan and how its rows are wanted.
type scanOne struct {
	hbase.Scan
	isSorted bool
	refused  error
}

// immutable
var scanOneShape = thriftwire.Shape{Name: "TScan", Types: []thriftwire.Type{
	1: thriftwire.Bytes, 2: thriftwire.Bytes, 3: thriftwire.I64, 4: thriftwire.List, 6: thriftwire.Bytes,
	7: thriftwire.I32,
	8: thriftwire.Bool, 9: thriftwire.Bool,
}}

// readScan reads a TScan.
func (a *takenOne) readScan(r *thriftwire.Reader) {
	s := new(scanOne)
	for f := (thriftwire.Field{}); r.Next(&f, &scanOneShape); {
		switch f.ID {
		case 1:
			s.Start = bytes.Clone(r.Bytes())
		case 2:
			s.Stop = bytes.Clone(r.Bytes())
		case 3:
			s.Times = hbase.Between(0, r.I64())
		case 4:
			s.Columns = columnsOne(cloneAll(readBytesList(r)))
		case 6:
			s.Filter, s.refused = filterOf(bytes.Clone(r.Bytes()))
		case 7:
			s.Batch = max(0, int(r.I32()))
		case 8:
			s.isSorted = r.Bool()
		case 9:
			s.Reversed = r.Bool()
		}
	}
	a.scan = s
}

// scanned is the scan that a call's other arguments ask for. It does not hold the message.
func (a *takenOne) scanned(text []byte) *scanOne {
	s := &scanOne{Scan: hbase.Scan{Start: bytes.Clone(a.row), Stop: bytes.Clone(a.stop)}}
	if s.Columns = columnsOne(cloneAll(a.columns)); a.at != nil {
		s.Times = a.before()
	}
	s.Filter, s.refused = filterOf(text)
	return s
}

func cloneAll(list [][]byte) [][]byte {
	for i := range list {
		list[i] = bytes.Clone(list[i])
	}
	return list
}

// familyOne is a ColumnDescriptor.
type familyOne struct {
	name, compression, bloomFilter []byte
	versions, life                 int32
	inMemory, isCached             bool
}

// immutable
var familyOneShape = thriftwire.Shape{Name: "ColumnDescriptor", Types: []thriftwire.Type{
	1: thriftwire.Bytes, 2: thriftwire.I32, 3: thriftwire.Bytes, 4: thriftwire.Bool, 5: thriftwire.Bytes,
	8: thriftwire.Bool, 9: thriftwire.I32,
}}

// newFamilyOne is a ColumnDescriptor that says nothing.
func newFamilyOne() familyOne {
	return familyOne{versions: 3, compression: []byte("NONE"), bloomFilter: []byte("NONE"), life: 1<<31 - 1}
}

func readFamilyOne(r *thriftwire.Reader) familyOne {
	d := newFamilyOne()
	for f := (thriftwire.Field{}); r.Next(&f, &familyOneShape); {
		switch f.ID {
		case 1:
			d.name = r.Bytes()
		case 2:
			d.versions = r.I32()
		case 3:
			d.compression = r.Bytes()
		case 4:
			d.inMemory = r.Bool()
		case 5:
			d.bloomFilter = r.Bytes()
		case 8:
			d.isCached = r.Bool()
		case 9:
			d.life = r.I32()
		}
	}
	return d
}

func writeFamilyOne(w *thriftwire.Writer, d *familyOne) {
	outer := w.Open()
	w.Binary(1, d.name)
	w.I32(2, d.versions)
	w.Binary(3, d.compression)
	w.Bool(4, d.inMemory)
	w.Binary(5, d.bloomFilter)
	w.I32(6, 0)
	w.I32(7, 0) // the sizes of Bloom filters, which are not set
	w.Bool(8, d.isCached)
	w.I32(9, d.life)
	w.Close(outer)
}

// cellList are the cells that a call gives.
type cellList []filter.Cell

// writeCells writes a list of TCells.
func writeCells(w *thriftwire.Writer, cells cellList) {
	w.List(0, thriftwire.Struct, len(cells))
	for i := range cells {
		writeCell(w, &cells[i])
	}
}

func writeCell(w *thriftwire.Writer, c *filter.Cell) {
	outer := w.Open()
	w.Binary(1, c.Value)
	w.I64(2, c.AtMS)
	w.Close(outer)
}

// rowsOne are results, whose columns are in order or a map.
type rowsOne struct {
	results  []hbase.Result
	isSorted bool
}

// writeRowsOne writes a list of TRowResults: the rows that have cells.
func writeRowsOne(w *thriftwire.Writer, rows rowsOne) {
	n := 0
	for i := range rows.results {
		if len(rows.results[i].Cells) > 0 {
			n++
		}
	}
	w.Grow(roomOf(rows.results))
	w.List(0, thriftwire.Struct, n)
	for i := range rows.results {
		if r := &rows.results[i]; len(r.Cells) > 0 {
			writeRowOne(w, r, rows.isSorted)
		}
	}
}

func writeRowOne(w *thriftwire.Writer, r *hbase.Result, isSorted bool) {
	name := []byte(nil)
	outer := w.Open()
	w.Binary(1, r.Row)
	if isSorted {
		w.List(3, thriftwire.Struct, len(r.Cells))
	} else {
		w.Map(2, thriftwire.Bytes, thriftwire.Struct, columnsOf(r.Cells))
	}
	for i := range r.Cells {
		c := &r.Cells[i]
		if !isSorted && i > 0 && isSameColumn(&r.Cells[i-1], c) {
			continue // an older version
		}
		name = append(append(append(name[:0], c.Family...), ':'), c.Qualifier...)
		if !isSorted {
			w.PutBytes(name)
			writeCell(w, c)
			continue
		}
		column := w.Open()
		w.Binary(1, name)
		w.Field(thriftwire.Struct, 2)
		writeCell(w, c)
		w.Close(column)
	}
	w.Close(outer)
}

// columnsOf is of how many columns cells are.
func columnsOf(cells []filter.Cell) (n int) {
	for i := range cells {
		if i == 0 || !isSameColumn(&cells[i-1], &cells[i]) {
			n++
		}
	}
	return n
}

func isSameColumn(a, b *filter.Cell) bool {
	return bytes.Equal(a.Family, b.Family) && bytes.Equal(a.Qualifier, b.Qualifier)
}

// writeRegion writes a TRegionInfo.
func writeRegion(w *thriftwire.Writer, p *place) {
	outer := w.Open()
	w.Binary(1, p.Start)
	w.Binary(2, p.Stop)
	w.I64(3, p.ID)
	w.Text(4, p.Name)
	w.Byte(5, 1) // the version
	w.Text(6, p.host)
	w.I32(7, p.port)
	w.Close(outer)
}
