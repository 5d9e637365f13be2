// SPDX-License-Identifier: Apache-2.0

package hbasethrift

import (
	"bytes"

	"github.com/weftdb/weft/internal/hbase"
	"github.com/weftdb/weft/internal/hbase/filter"
	"github.com/weftdb/weft/internal/server/thriftwire"
)

// callArguments are the arguments of Thrift2's calls. Each call has some of them.
type callArguments struct {
	table, row, family, qualifier, value []byte

	gets      []*hbase.Get
	puts      []*hbase.Put
	deletes   []*hbase.Delete
	mutations rowMutations
	operator  int32
	scan      *hbase.Scan
	increment *hbase.Increment
	append    *hbase.Append

	scanner int32
	rows    int32

	names      []tableName
	desc       *hbase.Table
	column     *hbase.Family
	columnName []byte
	keys       [][]byte // at which regions begin
	text       string
	namespace  namespace

	writes writeReader
}

func (t *callArguments) refuse(err error) { t.writes.refuse(err) }

// tableName is the name of the call's table, unless something of the call can't be done.
func (t *callArguments) tableName() (hbase.TableName, error) {
	name, err := hbase.ParseTableName(t.table)
	if err == nil {
		err = t.refusal()
	}
	return name, err
}

// refusal says why the call can't be done; nil if it can.
func (t *callArguments) refusal() error { return t.writes.refused }

// columnTwo is a TColumn.
type columnTwo struct {
	hbase.Column
	at *int64
}

// immutable
var columnShape = thriftwire.Shape{Name: "TColumn", Required: 1 << 1,
	Types: []thriftwire.Type{1: thriftwire.Bytes, 2: thriftwire.Bytes, 3: thriftwire.I64}}

func readColumn(r *thriftwire.Reader) (c columnTwo) {
	for f := (thriftwire.Field{}); r.Next(&f, &columnShape); {
		switch f.ID {
		case 1:
			c.Family = r.Bytes()
		case 2:
			c.Qualifier = r.Bytes()
		case 3:
			c.at = new(r.I64())
		}
	}
	return c
}

// addColumns reads a list of TColumns into a selection.
func addColumns(r *thriftwire.Reader, s *hbase.Selection) {
	for n := r.List(thriftwire.Struct); n > 0 && r.Err() == nil; n-- {
		c := readColumn(r)
		s.Add(hbase.Column{Family: c.Family, Qualifier: c.Qualifier, Whole: c.Qualifier == nil})
	}
}

// immutable
var timeRangeShape = thriftwire.Shape{Name: "TTimeRange", Required: 1<<1 | 1<<2,
	Types: []thriftwire.Type{1: thriftwire.I64, 2: thriftwire.I64}}

func readTimeRange(r *thriftwire.Reader) hbase.TimeRange {
	from, to := int64(0), int64(0)
	for f := (thriftwire.Field{}); r.Next(&f, &timeRangeShape); {
		switch f.ID {
		case 1:
			from = r.I64()
		case 2:
			to = r.I64()
		}
	}
	return hbase.Between(from, to)
}

// immutable
var getShape = thriftwire.Shape{Name: "TGet", Required: 1 << 1, Types: []thriftwire.Type{
	1: thriftwire.Bytes, 2: thriftwire.List, 3: thriftwire.I64, 4: thriftwire.Struct, 5: thriftwire.I32,
	6:  thriftwire.Bytes,
	12: thriftwire.I32, 13: thriftwire.I32, 15: thriftwire.Bytes,
}}

// readGet reads a TGet. The time that it names counts before its range of times.
func (t *callArguments) readGet(r *thriftwire.Reader) *hbase.Get {
	get, at, versions := new(hbase.Get), (*int64)(nil), int32(1)
	s, text, serialized := &get.Selection, []byte(nil), []byte(nil)
	for f := (thriftwire.Field{}); r.Next(&f, &getShape); {
		switch f.ID {
		case 1:
			get.Row = r.Bytes()
		case 2:
			addColumns(r, s)
		case 3:
			at = new(r.I64())
		case 4:
			s.Times = readTimeRange(r)
		case 5:
			versions = r.I32()
			s.Versions = int(versions)
		case 6:
			text = r.Bytes()
		case 12:
			if limit := int(r.I32()); limit >= 0 {
				s.Limit = max(1, limit) // 0 is 1 for HBase
			}
		case 13:
			s.Offset = max(0, int(r.I32()))
		case 15:
			serialized = r.Bytes()
		}
	}
	if at != nil {
		s.Times = hbase.At(*at)
	}
	if versions <= 0 {
		t.refuse(errVersions)
	}
	t.setFilter(s, text, serialized)
	return get
}

// setFilter reads a filter of the language, or one that HBase's Java client has serialized.
func (t *callArguments) setFilter(s *hbase.Selection, text, serialized []byte) {
	var err error
	if len(serialized) == 0 {
		s.Filter, err = filterOf(text)
	} else if s.Filter, err = filter.Unmarshal(serialized); err != nil {
		s.Filter, err = nil, refuse("%s", err)
	}
	if err != nil {
		t.refuse(err)
	}
}

// immutable
var scanShape = thriftwire.Shape{Name: "TScan", Types: []thriftwire.Type{
	1: thriftwire.Bytes, 2: thriftwire.Bytes, 3: thriftwire.List, 5: thriftwire.I32, 6: thriftwire.Struct,
	7: thriftwire.Bytes, 8: thriftwire.I32,
	11: thriftwire.Bool, 13: thriftwire.Map, 15: thriftwire.I32, 18: thriftwire.Bytes,
}}

// readScan reads a TScan. It copies bytes that a scanner keeps, so that this does not hold the message.
func (t *callArguments) readScan(r *thriftwire.Reader) {
	t.scan = new(hbase.Scan)
	s, text, serialized := &t.scan.Selection, []byte(nil), []byte(nil)
	s.Versions = 1
	for f := (thriftwire.Field{}); r.Next(&f, &scanShape); {
		switch f.ID {
		case 1:
			t.scan.Start = bytes.Clone(r.Bytes())
		case 2:
			t.scan.Stop = bytes.Clone(r.Bytes())
		case 3:
			addColumns(r, s)
		case 5:
			s.Versions = int(r.I32())
		case 6:
			s.Times = readTimeRange(r)
		case 7:
			text = bytes.Clone(r.Bytes())
		case 8:
			t.scan.Batch = max(0, int(r.I32()))
		case 11:
			t.scan.Reversed = r.Bool()
		case 13:
			s.FamilyTimes = readFamilyTimes(r)
		case 15:
			t.scan.Limit = max(0, int(r.I32()))
		case 18:
			serialized = bytes.Clone(r.Bytes())
		}
	}
	for i := range s.Columns {
		c := &s.Columns[i]
		c.Family, c.Qualifier = bytes.Clone(c.Family), bytes.Clone(c.Qualifier)
	}
	if s.Versions <= 0 { // HBase refuses it in a get, and scans for nothing
		s.Versions, s.Times, s.FamilyTimes = 1, hbase.Between(0, 0), nil
	}
	t.setFilter(s, text, serialized)
}

func readFamilyTimes(r *thriftwire.Reader) (times map[string]hbase.TimeRange) {
	for n := r.Map(thriftwire.Bytes, thriftwire.Struct); n > 0 && r.Err() == nil; n-- {
		if times == nil {
			times = map[string]hbase.TimeRange{}
		}
		family := r.Text()
		times[family] = readTimeRange(r)
	}
	return times
}

// immutable
var deleteShape = thriftwire.Shape{Name: "TDelete", Required: 1 << 1, Types: []thriftwire.Type{
	1: thriftwire.Bytes, 2: thriftwire.List, 3: thriftwire.I64, 4: thriftwire.I32,
}}

// The values of TDeleteType that stand for the kinds of package hbase, by their numbers. immutable
var deleteKinds = []hbase.DeleteKind{hbase.DeleteVersion, hbase.DeleteVersions, hbase.DeleteFamily,
	hbase.DeleteFamilyVersion}

// readDelete reads a TDelete. It follows ThriftUtilities.deleteFromThrift of HBase: the time of the whole counts only
// without columns.
func (t *callArguments) readDelete(r *thriftwire.Reader) *hbase.Delete {
	d, columns, hasColumns := new(hbase.Delete), []columnTwo(nil), false
	at, kind := (*int64)(nil), int32(hbase.DeleteVersions)
	for f := (thriftwire.Field{}); r.Next(&f, &deleteShape); {
		switch f.ID {
		case 1:
			d.Row = r.Bytes()
		case 2:
			columns, hasColumns = readList(r, thriftwire.Struct, readColumn), true
		case 3:
			at = new(r.I64())
		case 4:
			kind = r.I32()
		}
	}
	err := error(nil)
	if !hasColumns && at != nil {
		d.AtMS, err = timeOf(*at)
	}
	for i := range columns {
		if err == nil {
			err = addDelete(d, &columns[i], kind)
		}
	}
	if err != nil {
		t.refuse(err)
	}
	return d
}

func addDelete(d *hbase.Delete, c *columnTwo, kind int32) (err error) {
	one := hbase.CellDelete{Column: hbase.Column{Family: c.Family, Qualifier: c.Qualifier}}
	if c.at != nil {
		if one.AtMS, err = timeOf(*c.at); err != nil {
			return err
		}
	}
	if kind < 0 || int(kind) >= len(deleteKinds) {
		return refuse("there is no delete type %d", kind)
	}
	if one.Kind = deleteKinds[kind]; one.Kind == hbase.DeleteFamilyVersion && one.AtMS == 0 {
		return refuse("Timestamp is required for TDelete with DeleteFamilyVersion type")
	}
	d.Add(one)
	return nil
}

// rowMutations is a TRowMutations.
type rowMutations struct {
	row  []byte
	list []hbase.Mutation
}

// The shapes of a row's mutations. immutable
var (
	rowMutationsShape = thriftwire.Shape{Name: "TRowMutations", Required: 1<<1 | 1<<2,
		Types: []thriftwire.Type{1: thriftwire.Bytes, 2: thriftwire.List}}
	mutationShape = thriftwire.Shape{Name: "TMutation",
		Types: []thriftwire.Type{1: thriftwire.Struct, 2: thriftwire.Struct}}
)

func (t *callArguments) readRowMutations(r *thriftwire.Reader) {
	for f := (thriftwire.Field{}); r.Next(&f, &rowMutationsShape); {
		switch f.ID {
		case 1:
			t.mutations.row = r.Bytes()
		case 2:
			t.mutations.list = readList(r, thriftwire.Struct, t.readMutation)
		}
	}
}

func (t *callArguments) readMutation(r *thriftwire.Reader) (m hbase.Mutation) {
	for f := (thriftwire.Field{}); r.Next(&f, &mutationShape); {
		switch f.ID {
		case 1:
			m = hbase.Mutation{Put: t.writes.put(r)}
		case 2:
			m = hbase.Mutation{Delete: t.readDelete(r)}
		}
	}
	if m.Put == nil && m.Delete == nil {
		t.refuse(refuse("a mutation must be a put or a deleteSingle"))
	}
	return m
}

// The shapes of increments. immutable
var (
	incrementShape = thriftwire.Shape{Name: "TIncrement", Required: 1<<1 | 1<<2, Types: []thriftwire.Type{
		1: thriftwire.Bytes, 2: thriftwire.List, 4: thriftwire.Map, 6: thriftwire.Struct, 7: thriftwire.Bool,
	}}
	amountShape = thriftwire.Shape{Name: "TColumnIncrement", Required: 1<<1 | 1<<2, Types: []thriftwire.Type{
		1: thriftwire.Bytes, 2: thriftwire.Bytes, 3: thriftwire.I64,
	}}
)

func (t *callArguments) readIncrement(r *thriftwire.Reader) {
	in, life, isHidden := new(hbase.Increment), lifetime{}, false
	for f := (thriftwire.Field{}); r.Next(&f, &incrementShape); {
		switch f.ID {
		case 1:
			in.Row = r.Bytes()
		case 2:
			in.Amounts = readList(r, thriftwire.Struct, readAmount)
		case 4:
			life.read(r)
		case 6:
			isHidden = true
			r.Skip(f)
		case 7:
			in.Unread = !r.Bool()
		}
	}
	if in.LifeMS = life.ms; isHidden {
		t.refuse(errVisibility)
	}
	if life.err != nil {
		t.refuse(life.err)
	}
	t.increment = in
}

func readAmount(r *thriftwire.Reader) (a hbase.Amount) {
	a.By = 1
	for f := (thriftwire.Field{}); r.Next(&f, &amountShape); {
		switch f.ID {
		case 1:
			a.Family = r.Bytes()
		case 2:
			a.Qualifier = r.Bytes()
		case 3:
			a.By = r.I64()
		}
	}
	return a
}
