// SPDX-License-Identifier: Apache-2.0

package archive

import (
	"bytes"
	"fmt"
	"math"
	"math/bits"
	"time"
	"unicode/utf8"

	"github.com/weftdb/weft/internal/data/value"
)

// Column is an attribute of a table's rows as a column of a file.
type Column struct {
	Name string `json:"name"`
	// Type is how its values stand there, by the words of weft import's types. "attribute" is DynamoDB's JSON of a
	// value, for columns whose values are sets, lists, maps or nulls, or of more than one type. "stored" is the bytes
	// that Weft stores, for values that JSON can't tell apart: numbers of SQL's types beside others, and the history of
	// cells.
	Type string `json:"type"`
	// fraction is the number of digits numbers that have behind the point at most; long says that they are more digits
	// than a decimal of 38 has, whole that all are integers of 64 bits.
	fraction    int
	long, whole bool
	plain       bool // times stand there as numbers, since not all have a text
}

// columnsMax is the number of columns a table with columns has in a file.
const columnsMax = 2000

// special are the kinds that no text of DynamoDB's JSON tells from numbers.
const special = 1<<value.Int | 1<<value.Float | 1<<value.Timestamp

// attributeSurvey is the result of a survey of all rows about one attribute.
type attributeSurvey struct {
	name              []byte
	kinds             uint32
	deep              bool // there are special kinds in lists and maps
	integer, fraction int  // digits of numbers
	large             bool // not all numbers are integers of 64 bits
	far               bool // not all times and days have a text
	empty             bool // there is an empty binary, which no field of CSV tells from a missing one
}

// survey reads all rows of a table before any is written, since only they tell the types of its columns.
type survey struct {
	names   value.Names
	byID    []*attributeSurvey
	byName  map[string]*attributeSurvey
	types   map[string]string // what a dialect knows: date, timestamp6
	columns []*attributeSurvey
	rows    int64
}

func (s *survey) row(row value.Row) error {
	s.rows++
	attributes := row.Attributes(s.names)
	for attributes.Next() {
		s.of(attributes.ID(), attributes.Name()).note(attributes.Value(), s)
	}
	return attributes.Err()
}

func (s *survey) of(id uint32, name []byte) *attributeSurvey {
	if id == 0 {
		a, ok := s.byName[string(name)]
		if !ok {
			if s.byName == nil {
				s.byName = map[string]*attributeSurvey{}
			}
			a = s.add(name)
			s.byName[string(name)] = a
		}
		return a
	}
	for len(s.byID) <= int(id) {
		s.byID = append(s.byID, nil)
	}
	if s.byID[id] == nil {
		s.byID[id] = s.add(name)
	}
	return s.byID[id]
}

// attributesMax bounds the memory of a survey.
const attributesMax = 1 << 20

func (s *survey) add(name []byte) *attributeSurvey {
	a := &attributeSurvey{name: bytes.Clone(name)}
	if len(s.columns) < attributesMax {
		s.columns = append(s.columns, a)
	}
	return a
}

// note adds a value.
func (a *attributeSurvey) note(v value.Value, s *survey) {
	kind := v.Kind()
	a.kinds |= 1 << kind
	switch kind {
	case value.Number:
		d, _ := v.Decimal()
		integer, fraction := d.Digits()
		a.integer, a.fraction = max(a.integer, integer), max(a.fraction, fraction)
		if !a.large {
			_, exact := d.Int()
			a.large = !exact
		}
	case value.Binary:
		a.empty = a.empty || len(v.Bytes()) == 0
	case value.Int, value.Timestamp:
		if !a.far {
			n, _ := v.Int()
			a.far = !hasText(s.types[string(a.name)], kind, n)
		}
	case value.List, value.Map:
		a.deep = a.deep || isDeep(v)
	}
}

// hasText reports whether a day or a time is one of the years from 1 to 9999, which have a text.
func hasText(typed string, kind value.Kind, n int64) bool {
	var at time.Time
	switch {
	case kind == value.Int && typed == "date":
		if n < math.MinInt32 || n > math.MaxInt32 {
			return false
		}
		at = time.Unix(n*secondsOfDay, 0)
	case kind == value.Timestamp && typed == "timestamp6":
		at = time.UnixMicro(n)
	case kind == value.Timestamp:
		at = time.UnixMilli(n)
	default:
		return true
	}
	year := at.UTC().Year()
	return year > 0 && year <= 9999
}

const secondsOfDay = 24 * 60 * 60

// isDeep reports whether a list or map holds special kinds.
func isDeep(v value.Value) bool {
	for e := v.Elements(); e.Next(); {
		switch inner := e.Value(); {
		case special&(1<<inner.Kind()) != 0, inner.Kind().IsDocument() && isDeep(inner):
			return true
		}
	}
	return false
}

// column says how the values of an attribute stand in a file of a format. The error is for those that can't.
func (s *survey) column(a *attributeSurvey, format Format) (c Column, err error) {
	c = Column{Name: string(a.name), Type: "attribute"}
	if !utf8.Valid(a.name) && format != Parquet {
		return c, fmt.Errorf("the name of the attribute %q is not UTF-8, which a file of the format %s can't hold; parquet can", a.name, format)
	}
	if bits.OnesCount32(a.kinds) > 1 || a.deep {
		if a.deep || a.kinds&special != 0 {
			c.Type = "stored"
		}
		return c, nil
	}
	switch value.Kind(bits.TrailingZeros32(a.kinds)) {
	case value.String:
		c.Type = "string"
	case value.Binary:
		if !a.empty || format != CSV {
			c.Type = "binary"
		}
	case value.Bool:
		c.Type = "bool"
	case value.Float:
		c.Type = "float"
	case value.Number:
		c.Type, c.fraction, c.long, c.whole = "number", a.fraction, a.integer+a.fraction > 38, !a.large
	case value.Int:
		if c.Type = "int"; s.types[c.Name] == "date" && !a.far {
			c.Type = "date"
		}
	case value.Timestamp:
		c.Type = "timestamp"
		if s.types[c.Name] == "timestamp6" {
			c.Type = "timestamp6"
		}
		c.plain = a.far
	}
	return c, nil
}

// settle is the columns of a table, the key's first.
func (s *survey) settle(format Format, isKey func(name []byte) bool) (columns []Column, err error) {
	if len(s.columns) > columnsMax && format != DynamoDB || len(s.columns) == attributesMax {
		return nil, fmt.Errorf("its rows have attributes of %d names, and a file of the format %s has at most %d columns; --format dynamodb has none", len(s.columns), format, columnsMax)
	}
	for _, first := range [...]bool{true, false} {
		for _, a := range s.columns {
			if isKey(a.name) != first {
				continue
			}
			c, err := s.column(a, format)
			if err != nil {
				return nil, err
			}
			if format == CSV && bytes.ContainsAny(a.name, "\r\n") {
				return nil, fmt.Errorf("the name of the attribute %q has a line break, which the header of a CSV file can't hold; dynamodb and parquet can", a.name)
			}
			columns = append(columns, c)
		}
	}
	return columns, nil
}
