// SPDX-License-Identifier: Apache-2.0

package hbase

import (
	"bytes"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/weftdb/weft/internal/advice/digest"
	"github.com/weftdb/weft/internal/data/cell"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/hbase/filter"
	"github.com/weftdb/weft/internal/security/permission"
)

// API does HBase's calls on a database. It is safe for concurrent use. Errors are *Fault, or those of the context and
// the store.
type API struct {
	DB    *database.DB
	Guard *permission.Guard // nil: everybody may do everything
	// Statements adds up what calls on rows cost, by their tables, families and filters. nil: they are not kept.
	Statements *digest.Table
	// Slow is the duration from which on Statements keeps a call as a slow one, with its rows. It must be quick. nil:
	// none is.
	Slow func() time.Duration

	known sync.Map // of a table's number: *description
}

// description is the part of a table's descriptor that calls need. It is immutable.
type description struct {
	of    *schema.Table
	table *Table
}

// TableName is a table's name. The namespace "default" is the database in which DynamoDB's tables are; others are SQL's
// databases of that name.
type TableName struct{ Namespace, Name string }

// String returns the name as HBase writes it.
func (n TableName) String() string {
	if n.Namespace == database.DefaultDatabase {
		return n.Name
	}
	return n.Namespace + ":" + n.Name
}

// ParseTableName reads "namespace:name" or "name". Errors: IllegalArgument.
func ParseTableName(text []byte) (TableName, error) {
	namespace, name, ok := bytes.Cut(text, []byte(":"))
	if !ok {
		namespace, name = []byte(database.DefaultDatabase), text
	}
	if !isTableName(name) || !isNamespace(namespace) {
		return TableName{}, Illegal("Illegal table name %q: names have letters, digits, '_', '-' and '.', and do not begin with '.' or '-'", text)
	}
	return TableName{string(namespace), string(name)}, nil
}

func isTableName(name []byte) bool {
	return len(name) > 0 && len(name) <= nameBytesMax && name[0] != '.' && name[0] != '-' && onlyOf(name, "_-.")
}

func isNamespace(name []byte) bool {
	return len(name) > 0 && len(name) <= nameBytesMax && onlyOf(name, "_")
}

const nameBytesMax = 200

func onlyOf(name []byte, others string) bool {
	return !slices.ContainsFunc(name, func(c byte) bool {
		return (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') &&
			bytes.IndexByte([]byte(others), c) < 0
	})
}

// Column names a column, or a whole family.
type Column struct {
	Family    []byte
	Qualifier []byte
	Whole     bool // the family, whatever the qualifier
}

// TimeRange is a range of timestamps in milliseconds since 1970-01-01 UTC: from FromMS on and before ToMS. 0 is no
// bound.
type TimeRange struct{ FromMS, ToMS int64 }

// At is the range of one timestamp.
func At(ms int64) TimeRange { return TimeRange{ms, ms + 1} }

// Between is the range of HBase's clients, for which latest is no bound and 0 is one.
func Between(fromMS, toMS int64) TimeRange {
	switch {
	case toMS == math.MaxInt64:
		toMS = 0
	case fromMS == 0 && toMS == 0:
		return TimeRange{1, 1} // nothing
	case toMS == 0:
		toMS = -1 // which is refused
	}
	return TimeRange{fromMS, toMS}
}

func (r TimeRange) contains(ms int64) bool { return ms >= r.FromMS && (r.ToMS == 0 || ms < r.ToMS) }

// Result holds the cells found in a row. Its bytes are the caller's.
type Result struct {
	Row   []byte
	Cells []filter.Cell // by family and qualifier, newest first
	// Partial says that more cells of the row follow in the next result of the scan.
	Partial bool
}

// Selection says which cells of a row are wanted.
type Selection struct {
	Columns []Column // none: all
	Times   TimeRange
	// FamilyTimes are the ranges of families that have one of their own.
	FamilyTimes   map[string]TimeRange
	Versions      int // of each column, at most; 0: 1
	Filter        filter.Filter
	filter.Window // of the cells of each family that the filter includes
}

// Get asks for a row.
type Get struct {
	Row []byte
	Selection
}

// Scan asks for rows from Start to Stop; nil is no bound. If Reversed is set, Start is the greater of both.
type Scan struct {
	Start, Stop   []byte
	StartExcluded bool
	StopIncluded  bool
	Reversed      bool
	Limit         int // rows; 0: no limit
	Batch         int // cells of one Result, at most; 0: no limit
	Selection
}

// Put writes cells of a row.
type Put struct {
	Row   []byte
	Cells []CellWrite
}

// CellWrite is the value of one column.
type CellWrite struct {
	Column
	Value  []byte
	AtMS   int64 // 0: the server's clock; Epoch: 0
	LifeMS int64 // 0: the family's; negative: the cell is gone at once
}

// DeleteKind says which versions a CellDelete is about.
type DeleteKind uint8

// The kinds of deletions.
const (
	DeleteVersion       DeleteKind = iota // the version of exactly that time; without a time the newest one
	DeleteVersions                        // all versions up to a time
	DeleteFamily                          // all versions of all columns up to a time
	DeleteFamilyVersion                   // the versions of exactly that time
)

// CellDelete deletes versions of a column or of a family.
type CellDelete struct {
	Column
	Kind DeleteKind
	AtMS int64 // 0: now, or the newest version for DeleteVersion; Epoch: 0
}

// Epoch stands for the time 0 where 0 is the server's clock.
const Epoch = cell.Epoch

// Delete deletes cells of a row. Without Cells it is the whole row, up to AtMS; 0 is now, and Epoch 0.
type Delete struct {
	Row   []byte
	Cells []CellDelete
	AtMS  int64
}

// Mutation is a Put or a Delete; the other is nil.
type Mutation struct {
	Put    *Put
	Delete *Delete
}

// Operator compares a cell's value with a condition's.
type Operator uint8

// The operators, of HBase's CompareOperator in its order.
const (
	Less Operator = iota
	LessOrEqual
	Equal
	NotEqual
	GreaterOrEqual
	Greater
	NoOp
)

// Condition is CheckAndMutate's condition on a row: that the comparison holds for the newest version of Column, or, if
// Filter is not nil, that it keeps a cell.
type Condition struct {
	Column
	Operator Operator
	// Value is compared with: operator, then value. nil is true of a column without a value, and of any with NotEqual.
	Value  []byte
	Filter filter.Filter
	Times  TimeRange
}

// Increment adds to cells that hold integers of eight bytes.
type Increment struct {
	Row     []byte
	Amounts []Amount
	LifeMS  int64
	// Unread means that who asks is not shown the new values, and needs no right to read them.
	Unread bool
}

// Amount is an increment of a column. A missing one counts as 0.
type Amount struct {
	Column
	By int64
}

// Append adds bytes to the ends of cells.
type Append struct {
	Row   []byte
	Cells []CellWrite
	// Unread means that who asks is not shown the new values, and needs no right to read them.
	Unread bool
}

// leaseTime is the time a scanner waits for its client, and scannersMax how many a user, and all together, may have.
const (
	leaseTime       = time.Minute
	scannersMax     = 10_000
	scannersUserMax = 1_000
)
