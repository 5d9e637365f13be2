// SPDX-License-Identifier: Apache-2.0

package definition

import (
	"encoding/json"
	"slices"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/sql/tree"
)

// Like says what table has the columns, the key, the options and the indexes of another, under another name. Codes that
// a Z-order has learned from the other's rows are not taken over.
func Like(t *Table, dbName, name string) (database.TableSpec, error) {
	d := t.Descriptor
	if t.Families != nil {
		return database.TableSpec{}, refusal(
			"table '%s' was made over HBase, and SQL can't make another like it: write CREATE TABLE with the columns that SHOW CREATE TABLE %s lists", t.Name, tree.Quote(t.Name))
	}
	hashed := len(d.Primary.Visible()) < len(d.Primary.Key)
	spec := database.TableSpec{Database: dbName, Name: name, PartitionParts: d.Primary.PartitionParts,
		HashDistributed: hashed, Columns: slices.Clone(d.Columns), Cells: d.Cells}
	var err error
	if spec.Key, err = fresh(&d.Primary); err != nil {
		return spec, err
	}
	if spec.Regions, err = t.regionsOf(firstPart(d.Primary.Key), t.Options); err != nil {
		return spec, err
	}
	if d.Dialect[Dialect] != nil {
		stored := t.toStored()
		stored.Deleting, stored.ForeignKeys, stored.Referrers = nil, nil, nil // as in MySQL
		spec.Rules = stored.rules(dbName, name)
		raw, err := json.Marshal(stored)
		if err != nil {
			return spec, err
		}
		spec.Dialect = map[string]json.RawMessage{Dialect: raw}
	}
	for i := range t.Indexes {
		index, err := likeIndex(t.Indexes[i].Schema)
		if err != nil {
			return spec, err
		}
		if index.Search {
			spec.Indexes = append(spec.Indexes, index)
			continue
		}
		if index.Regions, err = t.regionsOf(firstPart(index.Key), t.Indexes[i].Options); err != nil {
			return spec, err
		}
		spec.Indexes = append(spec.Indexes, index)
	}
	return spec, nil
}

func likeIndex(x *schema.Index) (database.IndexSpec, error) {
	key, err := fresh(x)
	spec := database.IndexSpec{
		Name: x.Name, Key: key, PartitionParts: x.PartitionParts, Local: x.Local, KeepNulls: x.KeepNulls,
		Unique: x.Unique, Search: x.Search, Async: x.Async, Projection: x.Projection, Include: slices.Clone(x.Include),
	}
	if raw, ok := x.Dialect[Dialect]; ok {
		spec.Dialect = map[string]json.RawMessage{Dialect: raw}
	}
	return spec, err
}

// fresh copies the visible parts of a key; a Z-order is made anew from its name.
func fresh(x *schema.Index) ([]schema.KeyPart, error) {
	parts := slices.Clone(x.Visible())
	for i := range parts {
		if parts[i].Function != schema.ZOrder {
			continue
		}
		var err error
		if parts[i], err = database.Part(parts[i].Name, schema.Binary); err != nil {
			return nil, err
		}
	}
	return parts, nil
}
