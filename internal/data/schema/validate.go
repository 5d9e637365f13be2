// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"fmt"
	"slices"
	"strings"

	"github.com/weftdb/weft/internal/data/value"
)

// KeyPartsMax is the number of visible parts a key may have.
const KeyPartsMax = 32

// FieldsMax is the number of fields a search index may have.
const FieldsMax = 256

// cellTimeMax is the longest life of a cell, in milliseconds: some thousand years, so that times can be added.
const cellTimeMax = int64(1) << 46

// Fault is one thing wrong with a table.
type Fault struct {
	Index string // the index's name; "" for the table itself
	Part  string // the key part's name; "" for the index as a whole
	Text  string // what is wrong
}

func (f Fault) String() string {
	where := "table"
	if f.Index != "" {
		where = "index " + f.Index
	}
	if f.Part != "" {
		where += ", key part " + f.Part
	}
	return where + ": " + f.Text
}

// InvalidError lists all faults of a table.
type InvalidError struct{ Faults []Fault }

func (e *InvalidError) Error() string {
	texts := make([]string, len(e.Faults))
	for i, f := range e.Faults {
		texts[i] = f.String()
	}
	return "schema: " + strings.Join(texts, "; ")
}

// Validate checks that the descriptor makes sense by itself: names, types, key parts and their arguments, ids,
// projections. The error is an *InvalidError with all faults found.
func (t *Table) Validate() error {
	v := validator{table: t}
	v.tableItself()
	v.index(&t.Primary)
	names, ids := map[string]bool{}, map[uint32]bool{t.Primary.ID: true}
	for i := range t.Indexes {
		x := &t.Indexes[i]
		v.at(x, nil)
		v.check(x.Name != "", "it has no name")
		v.check(x.Internal == strings.HasPrefix(x.Name, InternalPrefix),
			"names that begin with %s are the database's own", InternalPrefix)
		v.check(!names[x.Name], "another index has the same name")
		v.check(!ids[x.ID], "another index has the same id")
		v.check(x.ID < t.NextIndexID, "its id is not below NextIndexID")
		names[x.Name], ids[x.ID] = true, true
		v.index(x)
		v.against(x)
	}
	if len(v.faults) > 0 {
		return &InvalidError{v.faults}
	}
	return nil
}

// validator collects faults. index and part name the place that is checked.
type validator struct {
	table       *Table
	indexName   string
	part        string
	faults      []Fault
	columnTypes map[string]Type // of the declared columns
}

func (v *validator) at(x *Index, p *KeyPart) {
	v.indexName, v.part = "", ""
	if x != nil && x != &v.table.Primary {
		if v.indexName = x.Name; x.Name == "" {
			v.indexName = fmt.Sprintf("%d", x.ID)
		}
	}
	if p != nil {
		v.part = p.Name
	}
}

func (v *validator) check(ok bool, format string, args ...any) {
	if !ok {
		v.faults = append(v.faults, Fault{v.indexName, v.part, fmt.Sprintf(format, args...)})
	}
}

func (v *validator) tableItself() {
	t := v.table
	v.at(nil, nil)
	v.check(t.Name != "", "it has no name")
	v.check(isKnown(t.State), "its state %s is unknown", t.State)
	v.check(t.Primary.ID == 0, "the primary index must have id 0")
	v.check(!t.Primary.KeepNulls, "a primary key keeps no nulls")
	v.check(t.Primary.Projection == ProjectAll && len(t.Primary.Include) == 0, "the primary index has all attributes")
	c := t.Cells
	v.check(c == nil || c.LifeMS >= 0 && c.MarkersMS >= 0 && c.SinceMS >= 0 &&
		max(c.LifeMS, c.MarkersMS) <= cellTimeMax,
		"lives and times of cells are from 0 to %d milliseconds", cellTimeMax)
	if c != nil {
		for _, g := range c.Groups {
			v.check(g.Prefix != "" && g.LifeMS >= 0 && g.LifeMS <= cellTimeMax && g.VersionsMin >= 0,
				"a group of cells needs a prefix, and a life of 0 to %d milliseconds", cellTimeMax)
		}
	}
	v.columnTypes = map[string]Type{}
	for _, p := range t.Primary.Visible() {
		if column := p.Column(); column != "" {
			v.columnTypes[column] = p.Type
		}
	}
	for _, c := range t.Columns {
		_, twice := v.columnTypes[c.Name]
		v.check(c.Name != "", "a column has no name")
		v.check(!twice, "column %s is declared twice or is in the primary key", c.Name)
		v.check(c.Type <= Timestamp, "column %s has the unknown type %s", c.Name, c.Type)
		v.columnTypes[c.Name] = c.Type
	}
}

func isKnown(s State) bool { return s <= Dropping }

// index checks what holds for primary and other indexes.
func (v *validator) index(x *Index) {
	v.at(x, nil)
	visible := x.Visible()
	v.check(len(visible) > 0, "it has no key")
	most := KeyPartsMax
	if x.Search {
		most = FieldsMax
	}
	v.check(len(visible) <= most, "it has %d key parts; at most %d are possible", len(visible), most)
	v.check(x.PartitionParts >= 0 && (x.PartitionParts <= len(visible) || len(visible) == 0),
		"its partition key has %d parts of %d", x.PartitionParts, len(visible))
	v.check(x != &v.table.Primary || !x.Internal && !x.Lenient, "the primary index is neither internal nor lenient")
	v.check(x.Rebuild == nil || x.Internal, "an index that replaces another, or was replaced, is internal")
	v.check(!x.Lenient || !x.KeepNulls, "an index that keeps nulls is not lenient")
	v.check(!x.Unique || v.table.Cells == nil,
		"an index of a table with lives, versions or times of cells can't be unique: the row that has a value changes as time passes")
	v.check(!x.Unique || x != &v.table.Primary && !x.Internal && !x.Lenient,
		"the primary key, and an index that is internal or lenient, is not marked unique")
	v.check(x != &v.table.Primary || x.PartitionParts > 0, "the primary key has no partition key")
	v.check(x.Async == nil || x.Search && x.Async.EntriesMax >= 0,
		"only a search index is asynchronous, for changes of more than so many entries, not below 0")
	v.check(isKnown(x.State), "its state %s is unknown", x.State)
	v.projection(x)
	names, columns := map[string]bool{}, map[string]bool{}
	for i := range x.Key {
		p := &x.Key[i]
		v.at(x, p)
		v.check(p.Name != "", "it has no name")
		v.check(!names[p.Name], "another part has the same name")
		column := p.Column()
		v.field(x, i)
		v.check(column == "" || !columns[column], "another part is column %s, too", column)
		v.check(!p.Hidden || i == 0 && p.Function >= Hash8 && p.Function <= Hash64,
			"only a hash before all other parts can be hidden")
		v.check(!p.Identity || x == &v.table.Primary && column != "",
			"only a column behind the table's key can be there to tell items apart")
		names[p.Name], columns[column] = true, true
		v.check(!x.Unique || x.tells(p),
			"it can't be unique on its own: rows with different values have the same %s; add its columns to the index",
			p.Function)
		v.keyPart(p)
		if p.Hidden {
			v.hidden(x, p)
		}
	}
}

// field checks part i as a field of a search index, and that other indexes have none.
func (v *validator) field(x *Index, i int) {
	p := &x.Key[i]
	v.check(x.Search == (p.Field > 0), "a search index has fields, and no other index")
	v.check(!x.Search || !x.IsPrimary() && !x.Unique && x.KeepNulls && x.Projection == ProjectKeys,
		"a search index keeps nulls, and no other attributes than its fields")
	v.check(!x.Search || p.Function == Plain && !p.Descending ||
		p.Function == Words, "a field of a search index is a column, or the words of some")
	v.check(!p.Pattern || x.Search && p.Function == Plain && len(p.Args) == 1 && p.Args[0].Codec == value.AsIs,
		"a pattern is a plain field of a search index, and its values have no codec")
	v.check(!slices.ContainsFunc(x.Key[:i], func(q KeyPart) bool { return p.Field > 0 && q.Field == p.Field }),
		"another field has the same number")
}

// tells reports whether rows that differ in a part's columns differ in the key.
func (x *Index) tells(p *KeyPart) bool {
	if p.Function == Plain || p.Function == Reverse {
		return true
	}
	for _, a := range p.Args {
		if a.Column != "" && !slices.ContainsFunc(x.Key, func(q KeyPart) bool { return q.Column() == a.Column }) {
			return p.Hidden
		}
	}
	return true
}

func (v *validator) projection(x *Index) {
	v.check(x.Projection <= ProjectInclude, "its projection %s is unknown", x.Projection)
	v.check((x.Projection == ProjectInclude) == (len(x.Include) > 0),
		"attributes to include go with the projection %s, and only with it", ProjectInclude)
	seen := map[string]bool{}
	for _, name := range x.Include {
		v.check(name != "" && !seen[name], "the included attribute %q is empty or named twice", name)
		seen[name] = true
	}
}

// keyPart checks a part's type and arguments.
func (v *validator) keyPart(p *KeyPart) {
	v.check(p.Type <= Timestamp, "its type %s is unknown", p.Type)
	columns := 0
	for _, a := range p.Args {
		v.check((a.Column == "") != (a.Literal == ""), "an argument is a column or a literal, not both or neither")
		v.check(a.Type <= Timestamp, "the type %s of an argument is unknown", a.Type)
		v.check(a.Literal == "" || p.Function == Concat, "%s takes columns only, no literals", p.Function)
		if a.Column != "" {
			columns++
		}
	}
	v.check((p.Curve != nil) == (p.Function == ZOrder), "a curve goes with the function zorder, and only with it")
	switch p.Function {
	case Plain:
		v.check(len(p.Args) == 1 && columns == 1, "a plain part has one column")
		v.check(len(p.Args) != 1 || p.Args[0].Type == p.Type, "its type and its column's must be the same")
	case Hash8, Hash32, Hash64:
		v.check(columns > 0, "%s takes a column or more", p.Function)
		v.check(p.Type == Binary, "%s is of type %s", p.Function, Binary)
	case Reverse:
		v.check(len(p.Args) == 1 && columns == 1, "reverse takes one column")
		v.check(p.Type == String || p.Type == Number, "reverse is of type %s or %s", String, Number)
	case Concat:
		v.check(columns > 0, "concat takes a column or more")
		v.check(p.Type == String, "concat is of type %s", String)
	case ZOrder:
		v.curve(p, columns)
	case Words:
		v.check(columns > 0 && columns == len(p.Args) && p.Type == String,
			"words are those of a column or more, of type %s", String)
		v.check(p.Field > 0 && p.Analyzer != "", "words stand in a search index and need an analyzer")
	default:
		v.check(false, "its function %s is unknown", p.Function)
	}
}

// curve checks that every column of a Z-order has a codec, and its code a place.
func (v *validator) curve(p *KeyPart, columns int) {
	v.check(p.Type == Binary && !p.Descending, "zorder is of type %s and ascends", Binary)
	v.check(p.Curve != nil && p.Curve.Plan != nil, "zorder has no plan of its bits")
	if p.Curve == nil || p.Curve.Plan == nil {
		return
	}
	v.check(columns == len(p.Args) && columns == len(p.Curve.Codecs) && columns == p.Curve.Plan.Attributes(),
		"zorder has %d columns, %d codecs and a plan for %d", columns, len(p.Curve.Codecs), p.Curve.Plan.Attributes())
	for i, c := range p.Curve.Codecs {
		v.check(c != nil, "a codec is missing")
		v.check(c == nil || i >= p.Curve.Plan.Attributes() ||
			c.Bits() == p.Curve.Plan.Width(i), "the codec of column %d has other bits than the plan", i+1)
	}
}

// hidden checks that the hidden hash can be computed from the visible parts alone.
func (v *validator) hidden(x *Index, p *KeyPart) {
	visible := map[string]bool{}
	for _, q := range x.Visible() {
		if q.Computed() {
			visible[q.Name] = true
		}
		visible[q.Column()] = true
	}
	for _, a := range p.Args {
		v.check(visible[a.Column], "it is computed from %s, which is no part of the key", a.Column)
	}
}

// against checks an index against the table.
func (v *validator) against(x *Index) {
	for i := range x.Key {
		p := &x.Key[i]
		v.at(x, p)
		declared, ok := v.columnTypes[p.Column()]
		v.check(!ok || x.Lenient || fits(p.Type, declared), "it is of type %s, and column %s of type %s", p.Type,
			p.Column(), declared)
	}
	v.at(x, nil)
	if !x.Local {
		return
	}
	table, own := v.table.Primary.Visible(), x.Visible()
	same := x.PartitionParts == v.table.Primary.PartitionParts && x.PartitionParts <= len(own) &&
		x.PartitionParts <= len(table)
	for i := 0; same && i < x.PartitionParts; i++ {
		same = own[i].Name == table[i].Name && own[i].Type == table[i].Type
	}
	v.check(same, "a local index has the table's partition key")
}

// fits reports whether a key part of one type can hold some values of a column of another.
func fits(part, column Type) bool {
	return part == column || part == AnyType || column == AnyType || isNumber(part) && isNumber(column)
}

func isNumber(t Type) bool { return t == Number || t >= Int }
