// SPDX-License-Identifier: Apache-2.0

package exchange

import (
	"encoding/json"
	"maps"

	"github.com/weftdb/weft/internal/data/expr"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/dynamodb/attributejson"
	"github.com/weftdb/weft/internal/files/bulkload"
)

// bulkRecord is a bulk operation, and how far it is. Each batch of items changes it in the commit that puts them: an
// item is put once, however often the operation is taken up.
type bulkRecord struct {
	home
	Request   bulkRequest `json:"request"`
	Table     string      `json:"table"`
	TableID   uint32      `json:"tableID"`
	UUID      string      `json:"uuid"`
	Status    string      `json:"status"`
	EndMS     int64       `json:"endMS,omitempty"`
	Failure   failure     `json:"failure,omitzero"`
	Total     *int64      `json:"total,omitempty"` // bytes of all objects; nil: it has not begun
	Bytes     int64       `json:"bytes,omitempty"` // read
	DoneBytes int64       `json:"doneBytes,omitempty"`
	Processed int64       `json:"processed,omitempty"`
	Failed    int64       `json:"failed,omitempty"`
	Usage     bulkUsage   `json:"usage,omitzero"`
	At        bulkPlace   `json:"at,omitzero"`
	// Errors and Conditions are lines that wait for being written.
	Errors     bulkLines `json:"errors,omitzero"`
	Conditions bulkLines `json:"conditions,omitzero"`
}

func (e *bulkRecord) about() (table string, request any, token *string) {
	return e.Table, &e.Request, e.Request.ClientToken
}

// bulkPlace is the position up to which the objects are read.
type bulkPlace struct {
	Object string `json:"object,omitempty"` // those before it are done
	ETag   string `json:"etag,omitempty"`
	Size   int64  `json:"size,omitempty"`
	Done   bool   `json:"done,omitempty"` // it is, too
	bulkload.Place
}

// bulkUsage counts the bytes that were put.
type bulkUsage struct {
	Table  int64            `json:"table,omitempty"`
	Local  map[string]int64 `json:"local,omitempty"`
	Global map[string]int64 `json:"global,omitempty"`
}

// clone is a usage that can be changed.
func (u bulkUsage) clone() bulkUsage {
	u.Local, u.Global = maps.Clone(u.Local), maps.Clone(u.Global)
	return u
}

const unitBytes = 1 << 10

func unitsOf(size int) int64 { return max(1, (int64(size)+unitBytes-1)/unitBytes) }

// add counts a write and says how many write units it is worth.
func (u *bulkUsage) add(c *database.Change) (units int64) {
	u.Table += int64(c.After)
	units = unitsOf(max(c.Before, c.After))
	for i := range c.Indexes {
		x := &c.Indexes[i]
		if !x.Written {
			continue
		}
		into := &u.Global
		if x.Index.Local {
			into = &u.Local
		}
		if *into == nil {
			*into = map[string]int64{}
		}
		(*into)[x.Index.Name] += int64(x.After)
		if x.Moved {
			units += unitsOf(x.Before) + unitsOf(x.After)
		} else {
			units += unitsOf(max(x.Before, x.After))
		}
	}
	return units
}

func (u *bulkUsage) show(table string) bulkUsageShown {
	shown := bulkUsageShown{TableName: table, BulkPutBytes: u.Table, Table: bulkBytes{u.Table}}
	shownOf := func(from map[string]int64) map[string]bulkBytes {
		if from == nil {
			return nil
		}
		into := map[string]bulkBytes{}
		for name, n := range from {
			into[name] = bulkBytes{n}
			shown.BulkPutBytes += n
		}
		return into
	}
	shown.LocalSecondaryIndexes, shown.GlobalSecondaryIndexes = shownOf(u.Local), shownOf(u.Global)
	return shown
}

// bulkLines are lines of output for the object with a number; those before it are written.
type bulkLines struct {
	Object int    `json:"object,omitempty"`
	Text   string `json:"text,omitempty"`
}

// recordShownMax bounds what an error shows of its record.
const recordShownMax = 64 << 10

// fault adds a line about a record, or about an object as a whole if there is none.
func (l *bulkLines) fault(object string, line int64, record []byte, code, message string) {
	text, err := json.Marshal(struct {
		S3Key        string
		Line         int64 `json:",omitempty"`
		ErrorCode    string
		ErrorMessage string
		Record       string `json:",omitempty"`
	}{object, line, code, message, string(record[:min(len(record), recordShownMax)])})
	if err == nil { // strings and numbers can be written
		l.Text += string(text) + "\n"
	}
}

// condition adds a line about an item whose condition was false. existing may be nil.
func (l *bulkLines) condition(names value.Names, item, existing value.Row) {
	text := attributejson.AppendItem([]byte(`{"Item":`), item, names)
	if existing != nil {
		text = attributejson.AppendItem(append(text, `,"ExistingItem":`...), existing, names)
	}
	l.Text += string(append(text, '}', '\n'))
}

// bulkPut is one record on its way into the table.
type bulkPut struct {
	text      []byte
	line      int64
	after     bulkload.Place
	row       value.Row
	condition expr.Condition // nil: none
	fault     error          // of the record, which is then not put
	code      string         // of fault
}
