// SPDX-License-Identifier: Apache-2.0

package archive

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/storage"
)

// The files of an archive besides the data files and their manifests.
const (
	contentsFile   = "weft-export.json" // written last: an archive without it is not complete
	definitionFile = "table.json"
)

// version is the version of the archive format. A later one has another number if earlier versions of Weft would read
// it wrongly.
const version = 1

// contents lists the parts of an archive.
type contents struct {
	Version   int                   `json:"version"`
	Time      time.Time             `json:"time"` // of the snapshot
	Format    Format                `json:"format"`
	Databases []databaseDefinition  `json:"databases,omitempty"` // whole ones
	Tables    []tableContents       `json:"tables"`
	Views     []database.StoredView `json:"views,omitempty"`
}

type databaseDefinition struct {
	Name    string            `json:"name"`
	Options map[string]string `json:"options,omitempty"`
}

// tableContents is a table of an archive.
type tableContents struct {
	Database string `json:"database"`
	Name     string `json:"name"`
	Folder   string `json:"folder"`
	Rows     int64  `json:"rows"`
}

// definition is all of a table but its rows.
type definition struct {
	Schema   *schema.Table `json:"schema"`
	Columns  []Column      `json:"columns"`
	Counters []uint64      `json:"counters,omitempty"` // the next number of each
}

// counters are the kinds of counters of a table. // immutable
var counters = [...]database.Counter{database.CounterColumn, database.CounterRow}

// Options say what Write writes.
type Options struct {
	Format Format // default: DynamoDB
	// Database restricts it to the tables of one database, and Tables to some of them. Default: all.
	Database string
	Tables   []string
	// DatabaseOptions are the names of options that dialects keep with databases.
	DatabaseOptions []string
	// Types returns what a dialect knows of columns: "date" for days, "timestamp6" for times in microseconds. Default:
	// nothing.
	Types func(*schema.Table) map[string]string
	// Progress is called often, and Done with each table.
	Progress func(Progress)
	Done     func(database, table string, rows int64)
}

// Progress is the progress of Write or Load.
type Progress struct {
	Step, Database, Table string
	Rows, Expected        int64
}

// export is Write under way.
type export struct {
	Options
	db     *database.DB
	to     storage.Storage
	view   *database.View
	tables []*tableExport
}

// tableExport is a table on its way into an archive.
type tableExport struct {
	pin        database.Pinned
	definition definition
	folder     string
	rows       int64
}

// Write writes an archive to a place that holds nothing. All tables are as at one moment.
func Write(ctx context.Context, db *database.DB, to storage.Storage, o Options) (err error) {
	e := export{Options: o, db: db, to: to}
	if e.Format == "" {
		e.Format = DynamoDB
	}
	if _, ok := suffixes[e.Format]; !ok {
		return fmt.Errorf("there is no format %q, only dynamodb, csv and parquet", e.Format)
	}
	for o, err := range to.List(ctx, "", "") {
		if err != nil {
			return err
		}
		return fmt.Errorf("the place of an export must be empty, and has %s", o.Name)
	}
	defer func() {
		for _, t := range e.tables {
			t.pin.Release()
		}
	}()
	if err := e.pin(); err != nil {
		return err
	}
	if e.view, err = db.View(ctx); err != nil {
		return err
	}
	defer e.view.Close()
	all := contents{Version: version, Time: time.UnixMilli(db.NowMS()).UTC(), Format: e.Format}
	for _, t := range e.tables {
		err = errors.Join(err, e.survey(ctx, t))
	}
	for _, t := range e.tables {
		if err != nil {
			return err
		}
		all.Tables = append(all.Tables, tableContents{Database: t.definition.Schema.Database,
			Name: t.definition.Schema.Name, Folder: t.folder, Rows: t.rows})
		err = e.table(ctx, t)
	}
	if err != nil {
		return err
	}
	e.rest(&all)
	return e.put(ctx, contentsFile, &all)
}

// pin takes the tables as they are; none changes its schema before they are released.
func (e *export) pin() error {
	for _, name := range e.databases() {
		tables := e.Tables
		if tables == nil {
			for after := ""; ; after = tables[len(tables)-1] {
				some := e.db.Tables(name, after, 100)
				if len(some) == 0 {
					break
				}
				tables = append(tables, some...)
			}
		}
		for _, table := range tables {
			pin, err := e.db.PinIn(name, table)
			if err != nil {
				return err
			}
			e.tables = append(e.tables, &tableExport{pin: pin, folder: storage.Join(escaped(name), escaped(table))})
		}
	}
	return nil
}

func (e *export) databases() []string {
	switch {
	case e.Database != "":
		return []string{e.Database}
	case e.Tables != nil:
		return []string{database.DefaultDatabase}
	}
	return e.db.Databases()
}

// escaped is a name as the name of a folder.
func escaped(name string) string {
	if text := url.PathEscape(name); !strings.HasPrefix(text, ".") {
		return text
	}
	return "%2E" + url.PathEscape(name[1:])
}

// shown is how users name a table.
func shown(database, table string) string { return database + "." + table }

// survey finds out how the table stands in files, and whether it can.
func (e *export) survey(ctx context.Context, t *tableExport) (err error) {
	d := t.pin.Descriptor()
	defer func() {
		if err != nil {
			err = fmt.Errorf("table %s: %w", shown(d.Database, d.Name), err)
		}
	}()
	if t.definition.Schema, err = d.Outline(); err != nil {
		return err
	}
	for _, counter := range counters {
		next, err := t.pin.NextNumber(ctx, counter)
		if err != nil {
			return err
		}
		t.definition.Counters = append(t.definition.Counters, next)
	}
	s := survey{names: t.pin.Names()}
	if e.Types != nil {
		s.types = e.Types(d)
	}
	err = e.view.Stored(ctx, t.pin, func(row value.Row) error {
		if s.rows%1024 == 0 {
			e.progress(Progress{"looking at", d.Database, d.Name, s.rows, 0})
		}
		return s.row(row)
	})
	if err != nil {
		return err
	}
	t.rows = s.rows
	t.definition.Columns, err = s.settle(e.Format, isKey(d))
	return err
}

// isKey tells the columns of a table's key.
func isKey(t *schema.Table) func(name []byte) bool {
	return func(name []byte) bool {
		return slices.ContainsFunc(t.Primary.Key, func(p schema.KeyPart) bool {
			return slices.ContainsFunc(p.Args, func(a schema.Argument) bool { return a.Column == string(name) })
		})
	}
}

func (e *export) progress(p Progress) {
	if e.Progress != nil {
		e.Progress(p)
	}
}

// table writes a table.
func (e *export) table(ctx context.Context, t *tableExport) error {
	d := t.definition.Schema
	if err := e.put(ctx, storage.Join(t.folder, definitionFile), &t.definition); err != nil {
		return err
	}
	l := &Layout{To: e.to, Own: t.folder, Data: storage.Join(t.folder, "data"), Suffix: suffixes[e.Format],
		Name: func(number int) string { return fmt.Sprintf("%06d", number) }}
	defer l.Abort()
	to, err := e.rows(l, t)
	if err != nil {
		return err
	}
	summary := Summary{Version: "2020-06-30", OutputFormat: outputFormats[e.Format], ExportType: "FULL_EXPORT"}
	err = e.view.Stored(ctx, t.pin, func(row value.Row) error {
		if summary.ItemCount%1024 == 0 {
			e.progress(Progress{"writing", d.Database, d.Name, summary.ItemCount, t.rows})
		}
		summary.ItemCount, summary.BilledSizeBytes = summary.ItemCount+1, summary.BilledSizeBytes+int64(row.Size())
		return to.add(ctx, row)
	})
	if err == nil {
		err = to.close()
	}
	if err == nil {
		err = l.Close()
	}
	if err == nil {
		err = l.Finish(ctx, summary)
	}
	if err == nil && e.Done != nil {
		e.Done(d.Database, d.Name, t.rows)
	}
	return err
}

func (e *export) rows(l *Layout, t *tableExport) (rows, error) {
	switch e.Format {
	case CSV:
		return &table{to: l, order: newOrdered(t.pin.Names(), t.definition.Columns), columns: t.definition.Columns}, nil
	case Parquet:
		return newColumnar(l, newOrdered(t.pin.Names(), t.definition.Columns), t.definition.Columns), nil
	default:
		return newLines(l, t.pin.Names(), t.definition.Columns), nil
	}
}

// rest adds what whole databases have besides tables.
func (e *export) rest(all *contents) {
	if e.Tables != nil {
		return
	}
	for _, name := range e.databases() {
		d := databaseDefinition{Name: name}
		for _, option := range e.DatabaseOptions {
			if text := e.db.DatabaseOption(name, option); text != "" {
				if d.Options == nil {
					d.Options = map[string]string{}
				}
				d.Options[option] = text
			}
		}
		all.Databases = append(all.Databases, d)
		all.Views = slices.Concat(all.Views, e.db.StoredViews().List(name))
	}
}

// put writes a file of JSON.
func (e *export) put(ctx context.Context, name string, v any) error {
	text, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		return err
	}
	_, err = e.to.Put(ctx, name, bytes.NewReader(append(text, '\n')), int64(len(text))+1)
	return err
}
