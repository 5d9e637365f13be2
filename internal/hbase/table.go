// SPDX-License-Identifier: Apache-2.0

package hbase

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/weftdb/weft/internal/background/region"
	"github.com/weftdb/weft/internal/data/cell"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/database"
)

// RowColumn is the name of the key's column.
const RowColumn = "ROW"

// Dialect is the name under which a table's descriptor holds its families.
const Dialect = "hbase"

// markersMS is the time marks of deletions are kept: what has an earlier time and is written later is hidden for so
// long.
const markersMS = 20 * 24 * 3_600_000

// Family is a column family.
type Family struct {
	Name        string `json:"name"`
	Versions    int    `json:"versions"` // at least 1
	VersionsMin int    `json:"versionsMin,omitempty"`
	LifeMS      int64  `json:"lifeMS,omitempty"` // 0: for ever
	// such as COMPRESSION, which are kept and change nothing
	Attributes map[string]string `json:"attributes,omitempty"`
	// Configuration is kept, too, and changes nothing.
	Configuration map[string]string `json:"configuration,omitempty"`
}

// Table describes a table.
type Table struct {
	TableName `json:"-"`
	Families  []Family `json:"families"` // by name
	Disabled  bool     `json:"disabled,omitempty"`
	// families whose cells may still be in rows, where nobody sees them
	Dropped    []string          `json:"dropped,omitempty"`
	Attributes map[string]string `json:"attributes,omitempty"`
}

// TableOf reads the description that a descriptor holds; ok is false for a table of another dialect.
func TableOf(d *schema.Table) (t *Table, ok bool, err error) {
	text, ok := d.Dialect[Dialect]
	if !ok {
		return nil, false, nil
	}
	t = &Table{TableName: TableName{d.Database, d.Name}}
	return t, true, json.Unmarshal(text, t)
}

// RowJudge returns a check of rows that are loaded into a table: their columns must be of its families, and hold bytes.
func RowJudge(d *schema.Table) (func(names value.Names, row value.Row) error, error) {
	t, ok, err := TableOf(d)
	if err != nil || !ok {
		return nil, err
	}
	return func(names value.Names, row value.Row) error {
		attributes := row.Attributes(names)
		for attributes.Next() {
			name := attributes.Name()
			family, _, ok := cutName(name)
			if string(name) == RowColumn {
				continue
			}
			if _, known := t.family(family); !ok || !known {
				return fmt.Errorf("column %s: columns of this table are FAMILY:QUALIFIER, with a family that the table has", name)
			}
			if attributes.Value().Kind() != value.Binary {
				return fmt.Errorf("column %s: columns of this table hold bytes: give it the type binary, in base64",
					name)
			}
		}
		return attributes.Err()
	}, nil
}

func (t *Table) family(name []byte) (*Family, bool) {
	for i := range t.Families {
		if t.Families[i].Name == string(name) {
			return &t.Families[i], true
		}
	}
	return nil, false
}

// hasFamilies refuses columns of families that the table has not got.
func (t *Table) hasFamilies(columns ...Column) error {
	for _, c := range columns {
		if _, ok := t.family(c.Family); !ok {
			return failure("regionserver.NoSuchColumnFamilyException", "Column family %s does not exist in table %s",
				c.Family, t.TableName)
		}
	}
	return nil
}

// rules are the rules of cells that the families make.
func (t *Table) rules() *cell.Rules {
	r := &cell.Rules{MarkersMS: markersMS, Uncovers: true}
	for _, f := range t.Families {
		r.Groups = append(r.Groups, cell.Group{Prefix: f.Name + ":", Versions: f.Versions, LifeMS: f.LifeMS,
			VersionsMin: f.VersionsMin})
	}
	for _, name := range t.Dropped {
		r.Groups = append(r.Groups, cell.Group{Prefix: name + ":", Versions: -1, LifeMS: 1})
	}
	return r
}

func (t *Table) check() error {
	if len(t.Families) == 0 {
		return failure("DoNotRetryIOException", "Table %s should have at least one column family.", t.TableName)
	}
	slices.SortFunc(t.Families, func(a, b Family) int { return strings.Compare(a.Name, b.Name) })
	for i, f := range t.Families {
		switch {
		case f.Name == "" || f.Name[0] == '.' ||
			strings.ContainsFunc(f.Name,
				func(r rune) bool { return r < ' ' || r == ':' || r == '/' || r == '\\' || r == 0x7f }):
			return Illegal("Illegal family name %q: it must not be empty, begin with '.', or have ':', '/', '\\' or control characters", f.Name)
		case i > 0 && t.Families[i-1].Name == f.Name:
			return Illegal("Family '%s' already exists so cannot be added", f.Name)
		case f.Versions < 1 || f.VersionsMin < 0 || f.VersionsMin > f.Versions:
			return Illegal("Family %s: VERSIONS must be at least 1 and at least MIN_VERSIONS", f.Name)
		case f.LifeMS < 0:
			return Illegal("Family %s: TTL must be positive", f.Name)
		}
	}
	return nil
}

func (t *Table) text() map[string]json.RawMessage {
	text, _ := json.Marshal(t) // strings and numbers can't fail
	return map[string]json.RawMessage{Dialect: text}
}

// pin opens a table for an operation. The description is shared: it must not be changed.
func (a *API) pin(name TableName) (p database.Pinned, t *Table, err error) {
	if p, err = a.DB.PinIn(name.Namespace, name.Name); err != nil {
		if database.KindOf(err) == database.KindNotFound {
			return p, nil, failure(tableNotFound, "%s", name)
		}
		return p, nil, faultOf(err)
	}
	t, ok, err := a.describe(p.Descriptor())
	if err == nil && !ok {
		err = failure("DoNotRetryIOException", "table %s was not made through the HBase API: use %s", name,
			makers(p.Descriptor()))
	}
	if err != nil {
		p.Release()
	}
	return p, t, err
}

// describe is TableOf, which is asked once for each version of a descriptor.
func (a *API) describe(d *schema.Table) (t *Table, ok bool, err error) {
	if known, found := a.known.Load(d.ID); found && known.(*description).of == d {
		return known.(*description).table, true, nil
	}
	if t, ok, err = TableOf(d); err == nil && ok {
		a.known.Store(d.ID, &description{d, t})
	}
	return t, ok, err
}

// makers names the interface that a table of another dialect is for.
func makers(d *schema.Table) string {
	if _, ok := d.Dialect["sql"]; ok {
		return "SQL, in which it was made"
	}
	return "DynamoDB's API, in which it was made, or SQL"
}

// pinEnabled is pin for operations on rows.
func (a *API) pinEnabled(name TableName) (database.Pinned, *Table, error) {
	p, t, err := a.pin(name)
	if err == nil && t.Disabled {
		p.Release()
		err = failure("TableNotEnabledException", "%s is disabled.", name)
	}
	return p, t, err
}

// pinFor is pinEnabled for an operation of a user. Whoever may not do it learns that, and not whether there is such a
// table.
func (a *API) pinFor(ctx context.Context, operation string, name TableName) (database.Pinned, *Table, error) {
	p, t, err := a.pinEnabled(name)
	if err != nil {
		if denied := a.authorizeTable(ctx, operation, name); denied != nil {
			err = denied
		}
	}
	return p, t, err
}

// CreateTable makes a table whose regions begin at splits.
func (a *API) CreateTable(ctx context.Context, t *Table, splits [][]byte) error {
	if err := t.check(); err != nil {
		return err
	}
	if err := a.authorizeTable(ctx, "CreateTable", t.TableName); err != nil {
		return err
	}
	spec := database.TableSpec{
		Database: t.Namespace, Name: t.Name, Key: database.Columns(RowColumn, schema.Binary), PartitionParts: 1,
		Cells: t.rules(), Dialect: t.text(),
		Rules: schema.Rules{Dialect: "HBase", Puts: true, Deletes: true, Exclusive: true},
	}
	if len(splits) > 0 {
		splits = slices.Clone(splits)
		slices.SortFunc(splits, bytes.Compare)
		spec.Regions = &region.Spec{}
		for i, key := range splits {
			if len(key) == 0 || i > 0 && bytes.Equal(key, splits[i-1]) {
				return Illegal("Split keys must not be empty, and none may come twice")
			}
			spec.Regions.Keys = append(spec.Regions.Keys, value.AppendBinary(nil, key))
		}
	}
	_, err := a.DB.CreateTable(ctx, spec)
	if database.KindOf(err) == database.KindNotFound && err != nil {
		return failure("NamespaceNotFoundException", "%s", t.Namespace)
	}
	if database.KindOf(err) == database.KindExists && err != nil {
		return failure(tableExists, "%s", t.TableName)
	}
	return faultOf(err)
}

// Describe returns the description of a table.
func (a *API) Describe(ctx context.Context, name TableName) (*Table, error) {
	if err := a.authorizeTable(ctx, "Describe", name); err != nil {
		return nil, err
	}
	p, t, err := a.pin(name)
	if err != nil {
		return nil, err
	}
	p.Release()
	return t, nil
}

// Exists reports whether there is an HBase table of that name.
func (a *API) Exists(ctx context.Context, name TableName) (bool, error) {
	if err := a.authorizeTable(ctx, "Describe", name); err != nil {
		return false, err
	}
	p, err := a.DB.PinIn(name.Namespace, name.Name)
	if err != nil {
		if database.KindOf(err) == database.KindNotFound {
			return false, nil
		}
		return false, err
	}
	defer p.Release()
	_, ok, err := TableOf(p.Descriptor())
	return ok, err
}

// Tables returns the descriptions of a namespace's tables, in the order of their names; "" are all namespaces.
func (a *API) Tables(ctx context.Context, namespace string) ([]*Table, error) {
	if err := a.authorizeAll(ctx, "Tables"); err != nil {
		return nil, err
	}
	names := []string{namespace}
	if namespace == "" {
		names = a.DB.Databases()
	}
	var tables []*Table
	for _, one := range names {
		for _, name := range a.DB.Tables(one, "", allTables) {
			p, t, err := a.pin(TableName{one, name})
			if err != nil {
				continue // of another dialect, or gone
			}
			p.Release()
			tables = append(tables, t)
		}
	}
	return tables, nil
}

const allTables = 1 << 30

// change edits a table's description, and its rules of cells with it.
func (a *API) change(ctx context.Context, operation string, name TableName, edit func(t *Table) error) error {
	if err := a.authorizeTable(ctx, operation, name); err != nil {
		return err
	}
	p, _, err := a.pin(name)
	if err != nil {
		return err
	}
	busy := p.IsCompacting()
	p.Release()
	table, err := a.DB.TableIn(name.Namespace, name.Name)
	if err != nil {
		return faultOf(err)
	}
	return faultOf(table.Edit(ctx, func(d *schema.Table) error {
		t, ok, err := TableOf(d)
		if err != nil || !ok {
			return err
		}
		before := slices.Clone(t.Families)
		if err := edit(t); err != nil {
			return err
		}
		if err := t.check(); err != nil {
			return err
		}
		if err := t.replace(before, busy); err != nil {
			return err
		}
		d.Dialect[Dialect] = t.text()[Dialect]
		rules := t.rules()
		rules.SinceMS = d.Cells.SinceMS
		d.Cells = rules
		return nil
	}))
}

// replace notes which of the families before are gone. busy says that cells of dropped families are still being
// removed.
func (t *Table) replace(before []Family, busy bool) error {
	for _, f := range before {
		if _, ok := t.family([]byte(f.Name)); !ok {
			t.Dropped = append(t.Dropped, f.Name)
		}
	}
	for _, f := range t.Families {
		i := slices.Index(t.Dropped, f.Name)
		if i >= 0 && busy {
			return failure("DoNotRetryIOException",
				"the cells of a dropped family %s are still being removed from table %s: try again in a while", f.Name,
				t.TableName)
		}
		if i >= 0 {
			t.Dropped = slices.Delete(t.Dropped, i, i+1)
		}
	}
	return nil
}

// DropFamily removes a family with its cells.
func (a *API) DropFamily(ctx context.Context, name TableName, family string) error {
	return a.change(ctx, "DropFamily", name, func(t *Table) error {
		i := slices.IndexFunc(t.Families, func(f Family) bool { return f.Name == family })
		switch {
		case i < 0:
			return failure("InvalidFamilyOperationException", "Family '%s' does not exist, so it cannot be deleted",
				family)
		case len(t.Families) == 1:
			return failure("InvalidFamilyOperationException",
				"Family '%s' is the only column family in the table, so it cannot be deleted", family)
		}
		t.Families = slices.Delete(t.Families, i, i+1)
		return nil
	})
}

// Enable and Disable let operations on rows in, or refuse them. Errors say that it is so already.
func (a *API) Enable(ctx context.Context, name TableName) error {
	return a.setDisabled(ctx, "Enable", name, false)
}

// Disable refuses operations on the rows of a table until it is enabled again.
func (a *API) Disable(ctx context.Context, name TableName) error {
	return a.setDisabled(ctx, "Disable", name, true)
}

func (a *API) setDisabled(ctx context.Context, operation string, name TableName, disabled bool) error {
	return a.change(ctx, operation, name, func(t *Table) error {
		switch {
		case t.Disabled == disabled && disabled:
			return failure("TableNotEnabledException", "%s", name)
		case t.Disabled == disabled:
			return failure("TableNotDisabledException", "%s", name)
		}
		t.Disabled = disabled
		return nil
	})
}

// ModifyTable replaces a table's description; what it leaves out is dropped, with the cells of families that it leaves
// out.
func (a *API) ModifyTable(ctx context.Context, next *Table) error {
	return a.change(ctx, "ModifyTable", next.TableName, func(t *Table) error {
		t.Families, t.Attributes = next.Families, next.Attributes
		return nil
	})
}

// AddFamily adds a family.
func (a *API) AddFamily(ctx context.Context, name TableName, f Family) error {
	return a.change(ctx, "AddFamily", name, func(t *Table) error {
		if _, ok := t.family([]byte(f.Name)); ok {
			return failure("InvalidFamilyOperationException",
				"Column family '%s' in table '%s' already exists so cannot be added", f.Name, name)
		}
		t.Families = append(t.Families, f)
		return nil
	})
}

// ModifyFamily replaces the description of a family.
func (a *API) ModifyFamily(ctx context.Context, name TableName, f Family) error {
	return a.change(ctx, "ModifyFamily", name, func(t *Table) error {
		old, ok := t.family([]byte(f.Name))
		if !ok {
			return failure("InvalidFamilyOperationException", "Family '%s' does not exist, so it cannot be modified",
				f.Name)
		}
		*old = f
		return nil
	})
}

// DropTable removes a disabled table.
func (a *API) DropTable(ctx context.Context, name TableName) error {
	if err := a.wantDisabled(ctx, "DropTable", name); err != nil {
		return err
	}
	return faultOf(a.DB.DropTable(ctx, name.Namespace, name.Name))
}

// TruncateTable removes all rows of a disabled table, and enables it.
func (a *API) TruncateTable(ctx context.Context, name TableName) error {
	if err := a.wantDisabled(ctx, "TruncateTable", name); err != nil {
		return err
	}
	enable := func(d *schema.Table) error { // in the same commit, so that no crash leaves it disabled
		t, ok, err := TableOf(d)
		if err != nil || !ok {
			return err
		}
		t.Disabled = false
		d.Dialect[Dialect] = t.text()[Dialect]
		return nil
	}
	return faultOf(a.DB.TruncateTable(ctx, name.Namespace, name.Name, enable))
}

func (a *API) wantDisabled(ctx context.Context, operation string, name TableName) error {
	if err := a.authorizeTable(ctx, operation, name); err != nil {
		return err
	}
	p, t, err := a.pin(name)
	if err != nil {
		return err
	}
	defer p.Release()
	if !t.Disabled {
		return failure("TableNotDisabledException", "%s", name)
	}
	return nil
}

// Compact rewrites the rows of a table without their invisible cells, in the background.
func (a *API) Compact(ctx context.Context, name TableName) error {
	if err := a.authorizeTable(ctx, "Compact", name); err != nil {
		return err
	}
	p, _, err := a.pin(name)
	if err != nil {
		return err
	}
	p.Release()
	table, err := a.DB.TableIn(name.Namespace, name.Name)
	if err != nil {
		return faultOf(err)
	}
	return faultOf(table.Compact(ctx))
}
