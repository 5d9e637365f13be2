// SPDX-License-Identifier: Apache-2.0

// Package storecommand is the commands that work on whole stores which are not being served: those that fill them from
// elsewhere, and the one that checks them.
//
// Knows: their flags, what they print, how tables are described on a command line.
// Never: engines, servers, how loads and copies work.
package storecommand

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/weftdb/weft/cmd/weft/commandline"
	"github.com/weftdb/weft/cmd/weft/output"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/files/archive"
	"github.com/weftdb/weft/internal/files/bulkload"
	"github.com/weftdb/weft/internal/hbase"
	"github.com/weftdb/weft/internal/sql/definition"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/storage"
)

// importFlags are the flags of `weft import` besides the settings of a store.
type importFlags struct {
	key, types, format, null, work string
	indexes                        []string
	partitionParts                 int
	hash, restart, asJSON          bool
	badRows                        int64
	memoryBytes                    *int64
}

// Host is the program that the commands belong to.
type Host struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	// AddFlags gives a command the flags that say which store to open.
	AddFlags func(*cobra.Command)
	// Open opens the database that a command's flags name, of which nothing else makes use, does work and closes it.
	// dir is the store's folder, which is made unless it must be there.
	Open func(c *cobra.Command, exists bool, work func(ctx context.Context, db *database.DB, dir string) error) error
	// Look opens the database that a command's flags name, which must be there, to read it: no work in the background
	// begins.
	Look func(c *cobra.Command, work func(ctx context.Context, db *database.DB) error) error
	// OpenTwo opens two stores, each a folder or tikv://HOST:PORT,.., does work and closes them.
	OpenTwo func(c *cobra.Command, from, to string, work func(ctx context.Context, from, to kv.Store) error) error
	// OpenPlace opens a storage: a folder, or s3://BUCKET/PREFIX. PlaceHelp says how it is written.
	OpenPlace func(place string) (storage.Storage, error)
	PlaceHelp string
}

// ImportCommand is `weft import`. memory is a flag's value for a number of bytes, kept in memoryBytes.
func (h *Host) ImportCommand(memory pflag.Value, memoryBytes *int64) *cobra.Command {
	f := importFlags{memoryBytes: memoryBytes}
	command := &cobra.Command{
		Use:   "import {TABLE SOURCE... | FOLDER}",
		Short: "Load files into a table, or an exported database, of a store that no server has open",
		Long: `Load what weft export wrote into a FOLDER: all its tables, with their definitions, none of which may be there. Or load files into a table of a store that no server has open. A SOURCE is a file (plain, gzip or Zstandard), the folder of a DynamoDB export to S3,
or - for standard input. The formats are JSON lines, DynamoDB's JSON, Ion, Parquet, and CSV and TSV with a header.

The import derives rows and index entries as a put does, sorts them in bounded memory, and makes them visible in one step at the end.
A table that already has rows or keeps cell timestamps, and every table on a TiKV cluster, takes the rows in batches instead; each
batch is visible at once.

Run an interrupted import again to continue it. If a key occurs more than once, the last row wins.

A running server keeps its folder locked: stop it first.`,
		Example: `  weft import --key 'country:string,city:string' cities cities.csv.gz
  weft import ./export
  weft import --key id:string --index 'by-day=day:string,amount:number' orders ./AWSDynamoDB/01712345678901-a1b2c3d4`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			types, err := typesOf(f.types)
			if err != nil {
				return commandline.Usage(err)
			}
			if len(args) == 1 {
				return h.importArchive(c, &f, args[0])
			}
			if err := h.checkImport(&f, args[0], args[1:]); err != nil {
				return err
			}
			err = h.Open(c, f.key == "", func(ctx context.Context, db *database.DB, dir string) error {
				return h.importFiles(ctx, db, &f, types, dir, args[0], args[1:])
			})
			if f.key == "" && errors.Is(err, fs.ErrNotExist) {
				return commandline.Usage(fmt.Errorf("%w; --key COLUMN:TYPE,.. makes the store and the table", err))
			}
			return err
		},
	}
	flags := command.Flags()
	flags.StringVar(&f.key, "key", "", "create the table, if it does not exist, with this key: `COLUMN:TYPE,...`; "+
		"the first column is the partition key")
	flags.IntVar(&f.partitionParts, "partition-parts", 1, "number of key columns that form the partition key")
	flags.BoolVar(&f.hash, "hash", false,
		"spread the new table by a hash of the partition key, for keys that grow over time")
	flags.StringArrayVar(&f.indexes, "index", nil,
		"create the table with this index: `NAME=COLUMN:TYPE,...`; may be repeated")
	flags.StringVar(&f.format, "format", "auto",
		"jsonl, dynamodb, ion, csv, tsv, parquet, or auto (from the file's name and first record)")
	flags.StringVar(&f.types, "types", "",
		"types of columns, `COLUMN:TYPE,...`: string, number, binary, bool, int, float, timestamp, date or json")
	flags.StringVar(&f.null, "null", "", "text of CSV and TSV fields without a value, besides empty ones")
	flags.Int64Var(&f.badRows, "bad-rows", 0, "number of bad records to skip before the import fails; each is reported")
	flags.Var(memory, "memory", "memory for sorting")
	flags.StringVar(&f.work, "work", "",
		"`DIR` for sorted runs, as large as all rows and index entries (default: in the store's folder)")
	flags.BoolVar(&f.restart, "restart", false, "discard an interrupted import of this table and start over")
	flags.BoolVar(&f.asJSON, "json", false, "print JSON")
	h.AddFlags(command)
	return command
}

// checkImport finds faults before a store is opened, or made.
func (h *Host) checkImport(f *importFlags, name string, sources []string) error {
	if f.key != "" {
		dbName, table := splitName(name)
		if _, err := f.spec(dbName, table); err != nil {
			return commandline.Usage(err)
		}
	}
	for _, source := range sources {
		if source == "-" {
			continue
		}
		if _, err := os.Stat(source); err != nil {
			return err
		}
	}
	return nil
}

// splitName takes [DATABASE.]NAME apart.
func splitName(name string) (dbName, table string) {
	if dbName, table, found := strings.Cut(name, "."); found {
		return dbName, table
	}
	return database.DefaultDatabase, name
}

// importFiles makes the table if asked, and loads.
func (h *Host) importFiles(ctx context.Context, db *database.DB, f *importFlags, types map[string]bulkload.Type, dir,
	name string, sources []string) error {
	database, table, err := h.importTable(ctx, db, f, name)
	if err != nil {
		return err
	}
	work := f.work
	if len(types) == 0 && len(sources) == 1 {
		if types, err = archive.Types(sources[0]); err != nil {
			return err
		}
	}
	if work == "" { // next to the store, where there is space for it
		work = filepath.Join(dir, "weft-import", url.PathEscape(database)+"."+url.PathEscape(table))
	}
	begun, shown := time.Now(), NewStatusLine(h.Stderr)
	result, err := bulkload.Run(ctx, bulkload.Options{
		DB: db, Database: database, Table: table, Sources: sources, Stdin: h.Stdin, Format: bulkload.Format(f.format),
		Types: types, Null: f.null, Dir: work,
		MemoryBytes: *f.memoryBytes, BadRows: f.badRows, Judges: judges(), Restart: f.restart, Log: shown.Say,
		Bad:      func(b bulkload.Fault) { shown.Say("refused: " + b.Error()) },
		Progress: func(now bulkload.Progress) { shown.Show(func() string { return loadStatus(now, begun) }) },
	})
	shown.End()
	if err != nil {
		return fmt.Errorf("%w\n(progress is kept: run the command again to continue, or with --restart to start over)",
			err)
	}
	_ = os.Remove(filepath.Dir(work)) // unless something else is in it
	if f.asJSON {
		all := &outcome{begun: begun}
		all.add(importOutcome(result, tableName(database, table)))
		return output.WriteJSON(h.Stdout, all)
	}
	h.printImport(result, table, time.Since(begun))
	return nil
}

func importOutcome(r bulkload.Result, table string) tableOutcome {
	return tableOutcome{Table: table, Records: r.Records, Rows: r.Rows, Entries: r.Entries, Refused: r.Bad,
		Ingested: r.Ingested, Advice: r.Advice}
}

// judges check the rows of tables about which a dialect has rules.
func judges() map[string]func(table *schema.Table) (bulkload.Judge, error) {
	return map[string]func(table *schema.Table) (bulkload.Judge, error){
		"HBase": func(table *schema.Table) (bulkload.Judge, error) {
			judge, err := hbase.RowJudge(table)
			return judge, err
		},
	}
}

func (h *Host) printImport(r bulkload.Result, table string, took time.Duration) {
	how := "ingested"
	if !r.Ingested {
		how = "put in batches"
	}
	fmt.Fprintf(h.Stdout, "%s: %d records, %d rows and %d index entries %s in %.1f s (%.0f records/s), %d refused\n",
		table, r.Records, r.Rows, r.Entries, how,
		took.Seconds(), float64(r.Records)/max(took.Seconds(), 0.001), r.Bad)
	if r.Advice != "" {
		fmt.Fprintln(h.Stdout, "\nwarning: "+r.Advice)
	}
}

// importTable returns the table that [DATABASE.]NAME means. It is made if --key says how.
func (h *Host) importTable(ctx context.Context, db *database.DB, f *importFlags, name string) (dbName, table string,
	err error) {
	dbName, table = splitName(name)
	_, err = db.TableIn(dbName, table)
	if table != name && database.KindOf(err) == database.KindNotFound { // names of DynamoDB's tables may have dots
		if _, other := db.Table(name); other == nil {
			return database.DefaultDatabase, name, nil
		}
	}
	if err == nil || database.KindOf(err) != database.KindNotFound {
		return dbName, table, err
	}
	if f.key == "" {
		return "", "", commandline.Usage(fmt.Errorf(
			"there is no table %s: create it first, or give its key with --key COLUMN:TYPE,.. (one pair for each part)",
			name))
	}
	spec, err := f.spec(dbName, table)
	if err != nil {
		return "", "", commandline.Usage(err)
	}
	_, err = db.CreateTable(ctx, spec)
	return dbName, table, err
}

// spec is the table that the flags describe.
func (f *importFlags) spec(dbName, table string) (spec database.TableSpec, err error) {
	spec = database.TableSpec{Database: dbName, Name: table, PartitionParts: f.partitionParts, HashDistributed: f.hash}
	limits := definition.Limits{} // a table whose name SQL can't say is of no use
	if err := errors.Join(limits.CheckDatabaseName(dbName), limits.CheckTableName(table)); err != nil {
		return spec, err
	}
	if spec.Key, err = keyOf(f.key); err != nil {
		return spec, fmt.Errorf("--key: %w", err)
	}
	for _, text := range f.indexes {
		name, key, ok := strings.Cut(text, "=")
		if !ok {
			return spec, fmt.Errorf("--index %s: write NAME=COLUMN:TYPE,.. (one pair for each part)", text)
		}
		if err := limits.CheckIndexName(name); err != nil {
			return spec, fmt.Errorf("--index %s: %w", text, err)
		}
		index := database.IndexSpec{Name: name}
		if index.Key, err = keyOf(key); err != nil {
			return spec, fmt.Errorf("--index %s: %w", text, err)
		}
		spec.Indexes = append(spec.Indexes, index)
	}
	return spec, nil
}

// keyTypes are the types of key parts by name. // immutable
var keyTypes = map[string]schema.Type{"string": schema.String, "number": schema.Number, "binary": schema.Binary,
	"bool": schema.Bool, "int": schema.Int,
	"float": schema.Float, "timestamp": schema.Timestamp}

func keyOf(text string) (key []schema.KeyPart, err error) {
	err = eachTyped(text, func(name, word string) error {
		t, ok := keyTypes[word]
		if !ok {
			return fmt.Errorf("%s: a key can't be of type %q", name, word)
		}
		part, err := database.Part(name, t)
		key = append(key, part)
		return err
	})
	return key, err
}

func typesOf(text string) (types map[string]bulkload.Type, err error) {
	types = map[string]bulkload.Type{}
	if text == "" {
		return types, nil
	}
	return types, eachTyped(text, func(name, word string) error {
		t, err := bulkload.TypeOf(word)
		types[name] = t
		return err
	})
}

// eachTyped takes "a:string,concat(b,c):string" apart: commas in brackets or quotes part nothing.
func eachTyped(text string, visit func(name, word string) error) error {
	depth, quoted, from := 0, false, 0
	for i := 0; i <= len(text); i++ {
		switch {
		case i < len(text) && text[i] == '\'':
			quoted = !quoted
		case i < len(text) && !quoted && text[i] == '(':
			depth++
		case i < len(text) && !quoted && text[i] == ')':
			depth--
		case i == len(text), text[i] == ',' && depth == 0 && !quoted:
			one := text[from:i]
			at := strings.LastIndexByte(one, ':')
			if at <= 0 {
				return fmt.Errorf("%q is no COLUMN:TYPE", one)
			}
			if err := visit(strings.TrimSpace(one[:at]), strings.TrimSpace(one[at+1:])); err != nil {
				return err
			}
			from = i + 1
		}
	}
	return nil
}
