// SPDX-License-Identifier: Apache-2.0

package modify

import (
	"cmp"
	"encoding/hex"
	"errors"

	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/definition"
	"github.com/weftdb/weft/internal/sql/evaluate"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/tree"
)

// scope finds the columns that expressions use, and gives each a slot in the row that they are computed over.
type scope struct {
	target *target
	alias  string
	slots  []slot
	// bare says that no column may be used: there is no row yet.
	bare bool
	// early says that columns belong to the row that VALUES makes, as far as it is computed.
	early bool
	// sources are columns of the query of an INSERT .. SELECT.
	sources []Source
	clause  string // the one that is compiled, for errors; default "field list"
}

// Source is a column of the query of an INSERT .. SELECT that ON DUPLICATE KEY UPDATE names.
type Source struct {
	Table, Name string // as they are written
	Type        datum.Type
}

// slot is a column that an expression reads.
type slot struct {
	name  []byte
	typed datum.Type
	// given says that it is not the row's value but the one that VALUES has for it.
	given bool
	// source is the number of one of scope's sources, from 1 on; 0: it is the table's.
	source int
}

// Resolve is evaluate.Scope's.
func (s *scope) Resolve(c *tree.Column) (at int, t datum.Type, err error) {
	known := c.Table == "" || c.Table == s.target.table.Name || c.Table == s.alias && s.alias != ""
	column, ok := s.target.table.Column(c.Name)
	if s.early && known && ok && !column.Dynamic {
		return s.slot(slot{name: []byte(c.Name), typed: column.Type, given: true}), column.Type, nil
	}
	if !s.bare && known && ok {
		return s.slot(slot{name: []byte(c.Name), typed: column.Type}), column.Type, nil
	}
	for i := range s.sources {
		if from := &s.sources[i]; from.Table == c.Table && from.Name == c.Name {
			return s.slot(slot{name: []byte(c.Name), typed: from.Type, source: i + 1}), from.Type, nil
		}
	}
	return 0, t, s.target.table.UnknownColumn(c.Name, cmp.Or(s.clause, "field list"))
}

// ResolveValues is evaluate.ValuesScope's: the column as VALUES has it.
func (s *scope) ResolveValues(name string) (at int, t datum.Type, err error) {
	column, ok := s.target.table.Column(name)
	if s.bare || !ok {
		return 0, t, s.target.table.UnknownColumn(name, "field list")
	}
	return s.slot(slot{name: []byte(name), typed: column.Type, given: true}), column.Type, nil
}

func (s *scope) slot(wanted slot) int {
	for i := range s.slots {
		if string(s.slots[i].name) == string(wanted.name) && s.slots[i].given == wanted.given &&
			s.slots[i].source == wanted.source {
			return i
		}
	}
	s.slots = append(s.slots, wanted)
	return len(s.slots) - 1
}

// compile compiles an expression; nil stands for DEFAULT.
func (s *scope) compile(e tree.Expression) (*evaluate.Program, error) {
	if _, preset := e.(*tree.Default); preset {
		return nil, nil
	}
	return evaluate.Compile(e, s)
}

// fill makes a row the one that expressions are computed over. given are the values of the columns of VALUES, and
// behind them those of the sources.
func (s *scope) fill(w *work, row value.Row, columns []definition.Column, given []datum.Datum) error {
	w.data = w.data[:0]
	for i := range s.slots {
		d := datum.Null
		if from := s.slots[i].source; from > 0 {
			d = given[len(columns)+from-1]
		} else if s.slots[i].given {
			for k := range columns {
				if columns[k].Name == string(s.slots[i].name) {
					d = given[k]
				}
			}
		} else if v, ok := row.Get(w.names, s.slots[i].name); ok {
			typed := s.slots[i].typed
			if d, ok = datum.FromValue(v, typed); !ok && typed.Codec() != value.AsIs {
				return definition.CheckMapped(row, w.names, s.slots[i].name, typed)
			}
			if typed.Variety == datum.Zoned {
				d = w.call.Context.Localized(d)
			}
		}
		w.data = append(w.data, d)
	}
	w.call.Context.Row = w.data
	return nil
}

// store turns a value into the one that a row holds; nil is none. row counts from 1, for errors. A statement with
// IGNORE, and any where sql_mode is not strict, stores what fits instead, and warns.
func (t *target) store(call *Call, column *definition.Column, d datum.Datum, row int) (value.Value, error) {
	v, err := t.storeStrictly(call, column, d, row)
	if err == nil || !call.ignores && (!call.Lax || d.IsNull() && !call.fitsNulls) {
		return v, err
	}
	refused, known := fault.Of(err)
	fitted, ok := datum.Fit(d, column.Type)
	if !ok || !known {
		return nil, err
	}
	switch refused.Code {
	case fault.DataTooLong, fault.TruncatedWrongValue:
		refused = fault.New(fault.DataTruncated, column.Name, row)
	}
	call.adjusted = append(call.adjusted, Warning{refused.Code, refused.Message})
	return t.storeStrictly(call, column, fitted, row)
}

func (t *target) storeStrictly(call *Call, column *definition.Column, d datum.Datum, row int) (value.Value, error) {
	if d.IsNull() {
		if column.NotNull || column.KeyPart >= 0 {
			return nil, fault.New(fault.NotNull, column.Name)
		}
		return nil, nil
	}
	if column.Dynamic && t.options.DynamicVarbinary {
		var err error
		if d, err = hexadecimal(d, column.Name, row); err != nil {
			return nil, err
		}
	}
	if column.Type.IsTemporal() {
		d = call.Context.Written(d)
	}
	stored, err := datum.Store(d, column.Type)
	if err == nil && stored.IsZeroDate() && !call.ZeroDates && !call.ignores &&
		(column.Default == nil || !column.Default.IsZeroDate()) {
		what := "datetime"
		if column.Type.Base == datum.Date {
			what = "date"
		}
		err = &datum.StoreError{Code: fault.TruncatedWrongValue, What: what, Text: string(d.AppendText(nil))}
	}
	if err == nil && column.Type.Variety == datum.Zoned {
		stored, err = call.instant(stored, column.Type)
	}
	if err == nil {
		var v []byte
		if v, err = datum.AppendValue(nil, stored, column.Type); err == nil {
			return v, call.checkSize(column, stored, len(v), row)
		}
	}
	if refused := (*datum.StoreError)(nil); errors.As(err, &refused) {
		return nil, refused.Fault(column.Name, row)
	}
	return nil, err
}

// instant is the UTC of a time that clocks of the session show. A time that they skip is refused.
func (c *Call) instant(d datum.Datum, typed datum.Type) (datum.Datum, error) {
	instant, err := datum.Store(c.Context.Instant(d), typed)
	if err == nil && !datum.Equal(c.Context.Localized(instant), d) {
		return d, &datum.StoreError{Code: fault.TruncatedWrongValue, What: "datetime", Text: string(d.AppendText(nil))}
	}
	return instant, err
}

// checkSize refuses a value that is too long: of a text or bytes its own length counts, of anything else that of its
// encoding. A key's are not empty.
func (c *Call) checkSize(column *definition.Column, d datum.Datum, size, row int) error {
	if kind := d.Kind(); kind == datum.KindText || kind == datum.KindBinary {
		if size = d.Len(); size == 0 && column.KeyPart >= 0 {
			return fault.Message(fault.IncorrectValue,
				"Incorrect string value: '' for column '%s' at row %d: a column of the key can't be empty", column.Name,
				row)
		}
	}
	limits := c.Limits.withDefaults()
	switch {
	case column.KeyPart >= 0 && size > limits.KeyColumnBytesMax:
		return fault.New(fault.KeyTooLong, limits.KeyColumnBytesMax, "column '"+column.Name+"'", row)
	case column.KeyPart < 0 && size > limits.ValueBytesMax:
		return fault.Message(fault.DataTooLong,
			"Data too long for column '%s' at row %d: %d bytes; the limit is %d (value_bytes_max)", column.Name, row,
			size, limits.ValueBytesMax)
	}
	return nil
}

// hexadecimal reads the digits that stand for a VARBINARY.
func hexadecimal(d datum.Datum, column string, row int) (datum.Datum, error) {
	if d.Kind() == datum.KindBinary {
		return d, nil
	}
	b, err := hex.DecodeString(string(d.AppendText(nil)))
	if d.Kind() != datum.KindText || err != nil {
		return d, fault.Message(fault.IncorrectValue,
			"Incorrect VARBINARY value: '%s' for column '%s' at row %d: an undeclared column takes x'41', or hexadecimal digits such as '41'; "+
				"SET dynamic_columns = 'typed' to write values of any type", d.AppendText(nil), column, row)
	}
	return datum.Binary(b), nil
}
