// SPDX-License-Identifier: Apache-2.0

package archive

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/files/bulkload"
	"github.com/weftdb/weft/storage"
)

// LoadOptions say how an archive is loaded. Dir must be set.
type LoadOptions struct {
	// Dir is a folder of this load's own, for sorted runs and for its progress.
	Dir         string
	MemoryBytes int64
	// Restart forgets a load that has begun, and drops the tables that it has not completed.
	Restart  bool
	Log      func(string)
	Progress func(database, table string, p bulkload.Progress)
	Done     func(database, table string, r bulkload.Result)
}

// IsArchive reports whether a folder holds an archive.
func IsArchive(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, contentsFile))
	return err == nil
}

// Types returns the types of the columns of a table in an archive by the table's folder; nil for any other folder. A
// table with rules of cells is refused: its rows hold their history.
func Types(dir string) (types map[string]bulkload.Type, err error) {
	path := filepath.Join(dir, definitionFile)
	if _, err := os.Stat(path); err != nil {
		return nil, nil // another folder, or a file
	}
	var d definition
	if err := read(path, &d); err != nil {
		return nil, err
	}
	if d.Schema != nil && d.Schema.Cells != nil {
		return nil, fmt.Errorf("%s: the table keeps times of its cells, which only an import of the whole export brings back", dir)
	}
	return d.types("")
}

func (d *definition) types(format Format) (types map[string]bulkload.Type, err error) {
	types = map[string]bulkload.Type{}
	for i := range d.Columns {
		c := &d.Columns[i]
		if format == DynamoDB && !slices.Contains(specialTypes, c.Type) {
			continue // DynamoDB's JSON says itself what it is
		}
		if types[c.Name], err = bulkload.TypeOf(c.Type); err != nil {
			return nil, err
		}
	}
	return types, nil
}

// specialTypes are the types that DynamoDB's JSON does not show. // immutable
var specialTypes = []string{"stored", "int", "float", "timestamp", "timestamp6", "date"}

// load is Load under way.
type load struct {
	LoadOptions
	db       *database.DB
	dir      string
	contents contents
	state    loadState
}

// loadState is the progress of a load, from which it continues.
type loadState struct {
	// Tables are the UUIDs of the tables that it has made, by their folders; "" for one that it is about to make.
	Tables map[string]string `json:"tables"`
}

// stateFile holds it.
const stateFile = "archive.json"

// Load makes the tables of an archive, each of which is seen when all of it is there, then the views. A table that is
// there already is an error, before anything is made. It may be called again after an error, a crash or a kill, and
// goes on.
func Load(ctx context.Context, db *database.DB, dir string, o LoadOptions) error {
	l := load{LoadOptions: o, db: db, dir: dir}
	if err := read(filepath.Join(dir, contentsFile), &l.contents); err != nil {
		return err
	}
	if l.contents.Version != version {
		return fmt.Errorf("%s: archives of version %d are not known: import it by a later version of Weft",
			filepath.Join(dir, contentsFile), l.contents.Version)
	}
	if err := l.begin(ctx); err != nil {
		return err
	}
	for i := range l.contents.Databases {
		if err := l.database(ctx, &l.contents.Databases[i]); err != nil {
			return err
		}
	}
	for i := range l.contents.Tables {
		t := &l.contents.Tables[i]
		if err := l.table(ctx, t, i); err != nil {
			return fmt.Errorf("table %s: %w", shown(t.Database, t.Name), err)
		}
	}
	for _, view := range l.contents.Views {
		if known, ok := db.StoredViews().Get(view.Database, view.Name); ok && known == view {
			continue // of an attempt before
		}
		if err := db.StoredViews().Put(ctx, view); err != nil {
			return fmt.Errorf("view %s: %w", shown(view.Database, view.Name), err)
		}
	}
	return os.RemoveAll(l.Dir)
}

// begin reads how far an attempt before is, and looks whether the names are free.
func (l *load) begin(ctx context.Context) error {
	err := read(filepath.Join(l.Dir, stateFile), &l.state)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if l.state.Tables == nil {
		l.state.Tables = map[string]string{}
	}
	if l.Restart {
		if err := l.forget(ctx); err != nil {
			return err
		}
	}
	for i := range l.contents.Tables {
		t := &l.contents.Tables[i]
		if !filepath.IsLocal(filepath.FromSlash(t.Folder)) {
			return fmt.Errorf("%s: the folder %q of table %s is not below it", contentsFile, t.Folder,
				shown(t.Database, t.Name))
		}
		uuid, there := l.find(t)
		noted, begun := l.state.Tables[t.Folder]
		if there != 0 && !(begun && (noted == uuid || noted == "" && there == filling)) {
			return fmt.Errorf("there is a table %s already: drop it, or import single tables by name",
				shown(t.Database, t.Name))
		}
	}
	return nil
}

// How far a table of the database is that has the name of one of the archive; 0: there is none.
const (
	filling = iota + 1
	whole
)

// find returns the UUID of a table of the name.
func (l *load) find(t *tableContents) (uuid string, there int) {
	if pin, err := l.db.PinIn(t.Database, t.Name); err == nil {
		defer pin.Release()
		return pin.Descriptor().UUID, whole
	}
	for _, table := range l.db.Fillings() {
		if table.Database == t.Database && table.Name == t.Name {
			return table.UUID, filling
		}
	}
	return "", 0
}

// forget drops tables that a load before has not completed.
func (l *load) forget(ctx context.Context) error {
	for i := range l.contents.Tables {
		t := &l.contents.Tables[i]
		uuid, there := l.find(t)
		if noted, begun := l.state.Tables[t.Folder]; !begun || there != filling || noted != "" && noted != uuid {
			continue
		}
		table, err := l.filling(t)
		if err == nil {
			err = table.Discard(ctx)
		}
		if err != nil {
			return err
		}
	}
	l.state.Tables = map[string]string{}
	return os.RemoveAll(l.Dir)
}

// filling is the table that is being loaded.
func (l *load) filling(t *tableContents) (*database.Table, error) {
	for _, table := range l.db.Fillings() {
		if table.Database == t.Database && table.Name == t.Name {
			return l.db.Filling(table.ID)
		}
	}
	return nil, errors.New("it is not being loaded any more")
}

// note makes durable how far the load is.
func (l *load) note(t *tableContents, uuid string) error {
	l.state.Tables[t.Folder] = uuid
	text, err := json.Marshal(&l.state)
	if err != nil {
		return err
	}
	_, err = storage.Folder(l.Dir).Put(context.Background(), stateFile, bytes.NewReader(text), int64(len(text)))
	return err
}

// database makes a database that is not there, and gives it its options.
func (l *load) database(ctx context.Context, d *databaseDefinition) error {
	if !slices.Contains(l.db.Databases(), d.Name) {
		if err := l.db.CreateDatabase(ctx, d.Name); err != nil {
			return err
		}
	}
	for name, text := range d.Options {
		if err := l.db.SetDatabaseOption(ctx, d.Name, name, text); err != nil {
			return err
		}
	}
	return nil
}

// table makes one table, unless that was done.
func (l *load) table(ctx context.Context, t *tableContents, number int) error {
	dir := filepath.Join(l.dir, filepath.FromSlash(t.Folder))
	var d definition
	if err := read(filepath.Join(dir, definitionFile), &d); err != nil {
		return err
	}
	if d.Schema == nil || d.Schema.Database != t.Database || d.Schema.Name != t.Name {
		return fmt.Errorf("%s is that of another table", filepath.Join(dir, definitionFile))
	}
	var err error
	if d.Schema, err = d.Schema.Outline(); err != nil { // again: others may have written it
		return err
	}
	_, there := l.find(t)
	if there == whole {
		return nil
	}
	table, err := l.make(ctx, t, &d, there == filling)
	if err != nil {
		return err
	}
	result, err := l.rows(ctx, table, t, &d, dir, number)
	if err == nil {
		err = reveal(ctx, l.db, table, &d)
	}
	if err == nil && l.Done != nil {
		l.Done(t.Database, t.Name, result)
	}
	return err
}

// make makes the table, hidden at first, or finds it.
func (l *load) make(ctx context.Context, t *tableContents, d *definition, there bool) (*database.Table, error) {
	if !there {
		if !slices.Contains(l.db.Databases(), t.Database) {
			if err := l.db.CreateDatabase(ctx, t.Database); err != nil {
				return nil, err
			}
		}
		if err := l.note(t, ""); err != nil {
			return nil, err
		}
		if _, err := l.db.CreateLike(ctx, d.Schema); err != nil {
			return nil, err
		}
	}
	table, err := l.filling(t)
	if err != nil {
		return nil, err
	}
	uuid, _ := l.find(t)
	return table, l.note(t, uuid)
}

// rows loads the data files.
func (l *load) rows(ctx context.Context, table *database.Table, t *tableContents, d *definition, dir string,
	number int) (result bulkload.Result, err error) {
	if t.Rows == 0 {
		return bulkload.Result{Ingested: true}, nil
	}
	o := bulkload.Options{DB: l.db, Into: table, Sources: []string{dir}, AsStored: true,
		Dir: filepath.Join(l.Dir, fmt.Sprintf("%06d", number)), MemoryBytes: l.MemoryBytes, Log: l.Log}
	if o.Types, err = d.types(l.contents.Format); err != nil {
		return result, err
	}
	if l.Progress != nil {
		o.Progress = func(p bulkload.Progress) { l.Progress(t.Database, t.Name, p) }
	}
	result, err = bulkload.Run(ctx, o)
	if err == nil && result.Rows != t.Rows {
		err = fmt.Errorf("its files hold %d rows, and the export says %d: export it again", result.Rows, t.Rows)
	}
	return result, err
}

// reveal lets a table be seen that has its rows, with its counters, stream and recovery.
func reveal(ctx context.Context, db *database.DB, table *database.Table, d *definition) error {
	pin, err := table.Pin()
	if err != nil {
		return err
	}
	for i, next := range d.Counters {
		if i < len(counters) && next > 1 {
			err = errors.Join(err, pin.PassNumber(ctx, counters[i], next-1))
		}
	}
	pin.Release()
	if err == nil {
		err = keepChanges(ctx, db, table, d.Schema)
	}
	if err == nil {
		err = table.Reveal(ctx)
	}
	return err
}

// keepChanges switches a table's stream and recovery on, unless an attempt before did.
func keepChanges(ctx context.Context, db *database.DB, table *database.Table, outline *schema.Table) (err error) {
	pin, err := table.Pin()
	if err != nil {
		return err
	}
	now := pin.Descriptor()
	pin.Release()
	if stream, ok := outline.Stream(); ok {
		if _, on := now.Stream(); !on {
			err = table.Edit(ctx, func(d *schema.Table) error { return db.Changes().StreamOn(d, stream.Images) })
		}
	}
	if err == nil && outline.Recovery != nil && now.Recovery == nil {
		err = table.Edit(ctx, func(d *schema.Table) error { return db.Recovery().Keep(d, outline.Recovery.Days) })
	}
	return err
}

// read reads a file of JSON.
func read(path string, into any) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}
