// SPDX-License-Identifier: Apache-2.0

package tablepage

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"time"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/hbase"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/definition"
)

// shownTable is one table as GET /api/tables tells it.
type shownTable struct {
	Database string        `json:"database"`
	Name     string        `json:"name"`
	Hashed   bool          `json:"hashed,omitempty"`   // in the order of the partition keys' hashes
	Key      []shownColumn `json:"key"`                // as clients give it
	Columns  []shownColumn `json:"columns,omitempty"`  // that its definition declares
	Families []string      `json:"families,omitempty"` // of a table of HBase's APIs
	Expiry   string        `json:"expiry,omitempty"`   // the attribute that says when a row ends
	Stream   bool          `json:"stream"`             // one is on
	Created  string        `json:"createdAt,omitempty"`
	Indexes  []shownIndex  `json:"indexes"` // the table itself is the first
}

// shownColumn is a column with its type.
type shownColumn struct {
	Name string `json:"name"`
	Type string `json:"type"`
	SQL  string `json:"sql,omitempty"`  // the type that SQL declares
	Unit string `json:"unit,omitempty"` // of a date or time, which is stored as a number: days, ms or us
}

// TablesPage is GET /api/tables on the admin port. It is JSON whatever is asked for.
func TablesPage(r *http.Request, db *database.DB, _ bool) ([]byte, error) {
	list := []shownTable{}
	err := eachTable(db, func(p database.Pinned) error {
		defer p.Release()
		one, err := showTable(r.Context(), p)
		list = append(list, one)
		return err
	})
	if err != nil {
		return nil, err
	}
	return json.Marshal(list)
}

// eachTable visits all tables, which visit gives back.
func eachTable(db *database.DB, visit func(database.Pinned) error) error {
	const page = 1000
	for _, name := range db.Databases() {
		after := ""
		for names := db.Tables(name, after, page); len(names) > 0; names = db.Tables(name, after, page) {
			for _, after = range names {
				p, err := db.PinIn(name, after)
				if err != nil && database.KindOf(err) == database.KindNotFound {
					continue // dropped meanwhile
				}
				if err == nil {
					err = visit(p)
				}
				if err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func showTable(ctx context.Context, p database.Pinned) (shownTable, error) {
	t := p.Descriptor()
	shown := shownTable{Database: t.Database, Name: t.Name, Key: columnsOf(&t.Primary),
		Expiry: database.ExpiryOf(t).Attribute, Hashed: len(t.Primary.Key) > 0 && t.Primary.Key[0].Hidden}
	_, shown.Stream = t.Stream()
	if t.CreatedAtMS > 0 {
		shown.Created = time.UnixMilli(t.CreatedAtMS).UTC().Format(time.RFC3339)
	}
	for _, c := range t.Columns {
		shown.Columns = append(shown.Columns, shownColumn{Name: c.Name, Type: c.Type.String()})
	}
	if err := shown.declare(t); err != nil {
		return shown, err
	}
	described, ok, err := hbase.TableOf(t)
	if err != nil {
		return shown, err
	}
	if ok {
		for i := range described.Families {
			shown.Families = append(shown.Families, described.Families[i].Name)
		}
	}
	shown.Indexes, err = showAllIndexes(ctx, p)
	return shown, err
}

// declare adds the types that SQL declares. It alone knows of JSON columns, whose values have any type.
func (s *shownTable) declare(t *schema.Table) error {
	if t.Dialect[definition.Dialect] == nil {
		return nil
	}
	declared, err := definition.Of(t)
	if err != nil {
		return err
	}
	for i := range declared.Columns {
		c := &declared.Columns[i]
		named := func(one shownColumn) bool { return one.Name == c.Name }
		list := &s.Columns
		if slices.ContainsFunc(s.Key, named) {
			list = &s.Key
		}
		at := slices.IndexFunc(*list, named)
		if at < 0 && c.Invisible {
			continue
		}
		if at < 0 {
			at = len(*list)
			*list = append(*list, shownColumn{Name: c.Name, Type: schema.AnyType.String()})
		}
		(*list)[at].SQL, (*list)[at].Unit = c.Type.String(), unitOf(c.Type)
	}
	return nil
}

// unitOf is the unit of the number that a date or a time is stored as; "" for other types.
func unitOf(t datum.Type) string {
	switch {
	case t.Base == datum.Date:
		return "days"
	case t.IsTemporal() && t.TimeUnit() == 1:
		return "us"
	case t.IsTemporal():
		return "ms"
	}
	return ""
}

// columnsOf lists the columns that a key is made of, each once, in the key's order.
func columnsOf(x *schema.Index) (list []shownColumn) {
	for i := range x.Key {
		for _, a := range x.Key[i].Args {
			one := shownColumn{Name: a.Column, Type: a.Type.String()}
			if len(x.Key[i].Args) == 1 && x.Key[i].Function == schema.Plain {
				one.Type = x.Key[i].Type.String()
			}
			if a.Column != "" && !slices.ContainsFunc(list, func(c shownColumn) bool { return c.Name == a.Column }) {
				list = append(list, one)
			}
		}
	}
	return list
}

// kindOf names the kind of an index, "" for an ordered one.
func kindOf(x *schema.Index) string {
	switch {
	case x.Search:
		return "search"
	case slices.ContainsFunc(x.Key, func(p schema.KeyPart) bool { return p.Curve != nil }):
		return "zorder"
	}
	return ""
}
