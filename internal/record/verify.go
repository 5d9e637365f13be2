// SPDX-License-Identifier: Apache-2.0

package record

import (
	"bytes"
	"context"
	"fmt"

	"github.com/weftdb/weft/internal/indexkey"
	"github.com/weftdb/weft/internal/keyspace"
	"github.com/weftdb/weft/internal/schema"
	"github.com/weftdb/weft/internal/value"
	"github.com/weftdb/weft/kv"
)

// Report is what Verify found.
type Report struct {
	Rows    int64
	Entries int64    // of all readable indexes
	Faults  []string // at most faultsMax, for people
	More    int64    // faults beyond those listed
}

const faultsMax = 100

// Verify checks a whole table at one snapshot: every row is well formed and stands under its own key, every row has exactly the entries that it
// should have in each readable index, with the right bytes, and no index holds any other entry. It reads everything once
// and looks up one entry for each row and index.
func (t *Table) Verify(ctx context.Context, from kv.Snapshot) (Report, error) {
	v := verifier{table: t, from: from, expected: map[uint32]int64{}}
	if err := v.rows(ctx); err != nil {
		return v.report, err
	}
	for _, x := range t.Indexes {
		if x.State != schema.Active {
			continue
		}
		if err := v.entries(ctx, x); err != nil {
			return v.report, err
		}
	}
	return v.report, nil
}

type verifier struct {
	table    *Table
	from     kv.Snapshot
	writer   Writer
	expected map[uint32]int64 // entries by index id
	scratch  []byte
	report   Report
}

func (v *verifier) rows(ctx context.Context) error {
	cursor := v.from.Scan(ctx, v.table.Primary.Range(), false)
	defer cursor.Close()
	for cursor.Next() {
		v.report.Rows++
		if err := v.row(ctx, cursor.Key(), cursor.Value()); err != nil {
			return err
		}
	}
	return cursor.Close()
}

func (v *verifier) row(ctx context.Context, key []byte, row value.Row) error {
	if err := row.Validate(v.table.Names); err != nil {
		v.fault("row %s: %v", keyspace.Print(key), err)
		return nil
	}
	own, err := v.table.AppendKey(v.scratch[:0], row)
	v.scratch = own
	if err != nil || !bytes.Equal(own, key) {
		v.fault("row %s holds the attributes of key %s (%v)", keyspace.Print(key), keyspace.Print(own), err)
	}
	for _, x := range v.table.Indexes {
		if x.State != schema.Active {
			continue
		}
		if err := v.entryOf(ctx, x, key, row); err != nil {
			return err
		}
	}
	return nil
}

func (v *verifier) entryOf(ctx context.Context, x *Index, key []byte, row value.Row) error {
	entries, err := v.table.entryKeys(x, key, row)
	if err != nil {
		return nil // a row that does not fit has no entry; entries() finds it if it has
	}
	for _, entry := range entries {
		if err := v.entry(ctx, x, entry, key, row); err != nil {
			return err
		}
	}
	return nil
}

func (v *verifier) entry(ctx context.Context, x *Index, entry, key []byte, row value.Row) error {
	v.expected[x.ID]++
	stored, ok, err := v.from.Get(ctx, entry, nil)
	switch {
	case err != nil:
		return err
	case !ok:
		v.fault("index %s lacks the entry of row %s", x.Name, keyspace.Print(key))
	case !bytes.Equal(stored, v.writer.project(v.table, x, row, &v.writer.newRow, true)):
		v.fault("index %s has other attributes than row %s", x.Name, keyspace.Print(key))
	}
	return nil
}

func (v *verifier) entries(ctx context.Context, x *Index) error {
	cursor := v.from.Scan(ctx, x.Range(), false)
	defer cursor.Close()
	var count int64
	for cursor.Next() {
		count++
		if _, err := indexkey.Skip(x.Index, cursor.Key()[len(x.Prefix):]); err != nil {
			v.fault("index %s: entry %s: %v", x.Name, keyspace.Print(cursor.Key()), err)
		}
	}
	v.report.Entries += count
	if expected := v.expected[x.ID]; count != expected {
		v.fault("index %s holds %d entries, its rows make %d", x.Name, count, expected)
	}
	return cursor.Close()
}

func (v *verifier) fault(format string, args ...any) {
	if len(v.report.Faults) == faultsMax {
		v.report.More++
		return
	}
	v.report.Faults = append(v.report.Faults, fmt.Sprintf(format, args...))
}
