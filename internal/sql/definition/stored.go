// SPDX-License-Identifier: Apache-2.0

package definition

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/order"
)

// Dialect is the name under which SQL keeps its part of a descriptor.
const Dialect = "sql"

// storedTable is SQL's own part of a table's descriptor.
type storedTable struct {
	// in the order of the DDL, key columns among them if it named their types
	Columns   []storedColumn    `json:"columns,omitempty"`
	Wildcards []storedWildcard  `json:"wildcards,omitempty"`
	Options   map[string]string `json:"options,omitempty"`
	Dynamic   bool              `json:"dynamic,omitempty"`
	Deleting  []string          `json:"deleting,omitempty"`
	// InsertFails is absent from tables that are older than this field: an INSERT overwrites there.
	InsertFails bool          `json:"insertFails,omitempty"`
	ForeignKeys []ForeignKey  `json:"foreignKeys,omitempty"`
	Referrers   []Referrer    `json:"referrers,omitempty"`
	Checks      []storedCheck `json:"checks,omitempty"`
}

type storedColumn struct {
	Name       string       `json:"name"`
	Type       storedType   `json:"type"`
	NotNull    bool         `json:"notNull,omitempty"`
	Default    *storedDatum `json:"default,omitempty"`
	DefaultNow bool         `json:"defaultNow,omitempty"`
	DefaultSQL string       `json:"defaultSQL,omitempty"` // an expression
	UpdateNow  bool         `json:"updateNow,omitempty"`
	Generated  string       `json:"generated,omitempty"` // an expression
	Virtual    bool         `json:"virtual,omitempty"`
	Comment    string       `json:"comment,omitempty"`
	Original   bool         `json:"original,omitempty"`
	Auto       bool         `json:"autoIncrement,omitempty"`
	Invisible  bool         `json:"invisible,omitempty"`
	// Zoned is absent from columns that are older than this field: their TIMESTAMPs are returned as written.
	Zoned bool `json:"zoned,omitempty"`
	// Microseconds is absent from columns that are older than this field: their times are milliseconds, whatever digits
	// they were declared with.
	Microseconds bool `json:"microseconds,omitempty"`
}

type storedWildcard struct {
	Pattern string     `json:"pattern"`
	Type    storedType `json:"type"`
}

// storedType is a type whose stored form is its name, so that descriptors at rest stay readable and renumbering can't
// corrupt them.
type storedType datum.Type

// MarshalText writes the stored word.
func (t storedType) MarshalText() ([]byte, error) { return []byte(TypeName(datum.Type(t))), nil }

// UnmarshalText reads the stored word.
func (t *storedType) UnmarshalText(b []byte) error {
	parsed, ok := parseType(string(b))
	if !ok {
		return fmt.Errorf("definition: unknown type %q: the descriptor was written by a newer version of Weft", b)
	}
	*t = storedType(parsed)
	return nil
}

// storedIndex is SQL's own part of an index's descriptor.
type storedIndex struct {
	Covers  string            `json:"covers,omitempty"`
	Options map[string]string `json:"options,omitempty"`
}

// storedDatum is a constant: its kind, and its text.
type storedDatum struct {
	Kind string `json:"kind"`
	Text string `json:"text"`
}

// readTable reads what SQL keeps with a table. known is false for a table that SQL has never touched.
func readTable(d *schema.Table) (stored storedTable, known bool, err error) {
	raw, known := d.Dialect[Dialect]
	if !known {
		return storedTable{Dynamic: true}, false, nil
	}
	if err := json.Unmarshal(raw, &stored); err != nil {
		return stored, true, fmt.Errorf("definition: the SQL definition of table %s is damaged: %w", d.Name, err)
	}
	return stored, true, nil
}

func (s *storedTable) write(d *schema.Table) error {
	raw, err := json.Marshal(s)
	if err != nil {
		return err
	}
	if d.Dialect == nil {
		d.Dialect = map[string]json.RawMessage{}
	}
	d.Dialect[Dialect] = raw
	return nil
}

func readIndex(x *schema.Index) (stored storedIndex, err error) {
	raw, ok := x.Dialect[Dialect]
	if !ok {
		if x.Projection == schema.ProjectAll {
			stored.Covers = CoverDynamic // it holds whatever rows have
		}
		return stored, nil
	}
	if err := json.Unmarshal(raw, &stored); err != nil {
		return stored, fmt.Errorf("definition: the SQL definition of index %s is damaged: %w", x.Name, err)
	}
	return stored, nil
}

// The kinds of constants, as they are stored.
const (
	kindNull      = "null"
	kindBool      = "bool"
	kindInt       = "int"
	kindUint      = "uint"
	kindFloat     = "float"
	kindDecimal   = "decimal"
	kindText      = "text"
	kindBinary    = "binary"
	kindTimestamp = "timestamp" // milliseconds
	kindDate      = "date"
	kindTime      = "time" // milliseconds
	// Times of microseconds.
	kindTimestampUS = "timestampUS"
	kindTimeUS      = "timeUS"
	kindJSON        = "json"
)

// storeDatum returns the stored form of a constant.
func storeDatum(d datum.Datum) *storedDatum {
	integer := func(kind string) *storedDatum { return &storedDatum{kind, strconv.FormatInt(d.Int(), 10)} }
	switch d.Kind() {
	case datum.KindBool:
		return integer(kindBool)
	case datum.KindInt:
		return integer(kindInt)
	case datum.KindTimestamp:
		return storeTime(d, kindTimestamp, kindTimestampUS)
	case datum.KindDate:
		return integer(kindDate)
	case datum.KindTime:
		return storeTime(d, kindTime, kindTimeUS)
	case datum.KindUint:
		return &storedDatum{kindUint, strconv.FormatUint(d.Uint(), 10)}
	case datum.KindFloat:
		return &storedDatum{kindFloat, strconv.FormatFloat(d.Float(), 'g', -1, 64)}
	case datum.KindDecimal:
		return &storedDatum{kindDecimal, string(d.Decimal().AppendText(nil))}
	case datum.KindText:
		return &storedDatum{kindText, string(d.Bytes())}
	case datum.KindJSON:
		return &storedDatum{kindJSON, string(d.Bytes())}
	case datum.KindBinary:
		return &storedDatum{kindBinary, base64.StdEncoding.EncodeToString(d.Bytes())}
	}
	return &storedDatum{Kind: kindNull}
}

func storeTime(d datum.Datum, milli, micro string) *storedDatum {
	if d.Int()%1000 == 0 {
		return &storedDatum{milli, strconv.FormatInt(d.Int()/1000, 10)}
	}
	return &storedDatum{micro, strconv.FormatInt(d.Int(), 10)}
}

// datum reads a stored constant.
func (s *storedDatum) datum() (datum.Datum, error) {
	switch s.Kind {
	case kindNull:
		return datum.Null, nil
	case kindText:
		return datum.Text([]byte(s.Text)), nil
	case kindJSON:
		return datum.JSON([]byte(s.Text)), nil
	case kindBinary:
		b, err := base64.StdEncoding.DecodeString(s.Text)
		return datum.Binary(b), err
	case kindUint:
		x, err := strconv.ParseUint(s.Text, 10, 64)
		return datum.Uint(x), err
	case kindFloat:
		x, err := strconv.ParseFloat(s.Text, 64)
		return datum.Float64(x), err
	case kindDecimal:
		x, err := order.ParseDecimal([]byte(s.Text))
		return datum.Decimal(x), err
	}
	return s.integer()
}

func (s *storedDatum) integer() (datum.Datum, error) {
	x, err := strconv.ParseInt(s.Text, 10, 64)
	if err != nil {
		return datum.Null, err
	}
	switch s.Kind {
	case kindBool:
		return datum.Bool(x != 0), nil
	case kindInt:
		return datum.Int(x), nil
	case kindTimestamp:
		return datum.TimestampUS(x * 1000), nil
	case kindTimestampUS:
		return datum.TimestampUS(x), nil
	case kindDate:
		return datum.DateDays(x), nil
	case kindTime:
		return datum.TimeUS(x * 1000), nil
	case kindTimeUS:
		return datum.TimeUS(x), nil
	}
	return datum.Null, fmt.Errorf("a constant of the unknown kind %q", s.Kind)
}
