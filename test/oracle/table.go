// SPDX-License-Identifier: Apache-2.0

package oracle

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// Part is an attribute of a key.
type Part struct{ Name, Type string }

// Index is a secondary index.
type Index struct {
	Name        string
	Local       bool
	Hash, Range []Part
	Projection  string // ALL, KEYS_ONLY or INCLUDE
	Include     []string
}

// Table is a table with its items, by the JSON of their keys.
type Table struct {
	Name        string
	Hash, Range []Part
	Indexes     []*Index
	items       map[string]Item
}

func (t *Table) key() []Part { return slices.Concat(t.Hash, t.Range) }

func (x *Index) key() []Part { return slices.Concat(x.Hash, x.Range) }

// index finds an index. The table itself, by the name "", is one that projects everything.
func (t *Table) index(name string) *Index {
	if name == "" {
		return &Index{Hash: t.Hash, Range: t.Range, Projection: "ALL"}
	}
	for _, x := range t.Indexes {
		if x.Name == name {
			return x
		}
	}
	return nil
}

func (t *Table) hasLocal() bool {
	return slices.ContainsFunc(t.Indexes, func(x *Index) bool { return x.Local })
}

// only keeps the named attributes.
func (item Item) only(names []string) Item {
	kept := Item{}
	for _, name := range names {
		if v := item[name]; v != nil {
			kept[name] = v
		}
	}
	return kept
}

func namesOf(parts []Part) (names []string) {
	for _, part := range parts {
		names = append(names, part.Name)
	}
	return names
}

// keyOf is the key of an item, as an item.
func (t *Table) keyOf(item Item) Item { return item.only(namesOf(t.key())) }

// projected lists the attributes that entries of an index have; all is true if that is every one.
func (t *Table) projected(x *Index) (names []string, all bool) {
	names = slices.Concat(namesOf(t.key()), namesOf(x.key()), x.Include)
	return names, x.Projection == "ALL"
}

// view is an item as an index holds it, nil if the index has no entry of it.
func (t *Table) view(x *Index, item Item) Item {
	for _, part := range x.key() {
		if item[part.Name] == nil {
			return nil
		}
	}
	if names, all := t.projected(x); !all {
		return item.only(names)
	}
	return item
}

// sortedBy compares items by the key of an index and then that of the table.
func (t *Table) compare(x *Index, a, b Item) int {
	for _, part := range slices.Concat(x.key(), t.key()) {
		if c := order(a[part.Name], b[part.Name]); c != 0 {
			return c
		}
	}
	return 0
}

// Lengths of keys in bytes.
const (
	hashBytesMax  = 2048
	rangeBytesMax = 1024
)

const (
	textInvalid    = "One or more parameter values were invalid: "
	textNotValid   = "One or more parameter values are not valid. "
	textKeySchema  = "The provided key element does not match the schema"
	textHashLong   = textInvalid + "Size of hashkey has exceeded the maximum size limit of2048 bytes"
	textRangeLong  = textInvalid + "Aggregated size of all range keys has exceeded the size limit of 1024 bytes"
	textStartKey   = "The provided starting key is invalid"
	textNoResource = "Requested resource not found"
)

func emptyText(v *Value) string {
	if v.Type == "B" {
		return "cannot contain an empty binary value."
	}
	return "cannot contain an empty string value."
}

// lengthFaults judges a key value of the right type. Key names the key in the text about an empty one.
func lengthFaults(v *Value, isRange bool, key string) []string {
	switch {
	case v.Type == "N":
	case v.Text == "":
		return []string{textNotValid + key}
	case isRange && len(v.Text) > rangeBytesMax:
		return []string{textRangeLong}
	case !isRange && len(v.Text) > hashBytesMax:
		return []string{textHashLong}
	}
	return nil
}

// keyFaults judges a Key of a request.
func (t *Table) keyFaults(key Item) (texts []string) {
	if len(key) != len(t.key()) {
		return []string{textKeySchema}
	}
	for i, part := range t.key() {
		v := key[part.Name]
		if typeOf(v) != part.Type {
			texts = append(texts, textKeySchema)
			continue
		}
		texts = append(texts, lengthFaults(v, i > 0,
			"The AttributeValue for a key attribute "+emptyText(v)+" Key: "+part.Name)...)
	}
	return texts
}

// itemFaults judges the keys of an item that is put.
func (t *Table) itemFaults(item Item) (texts []string) {
	for i, part := range t.key() {
		v := item[part.Name]
		switch {
		case v == nil:
			texts = append(texts, textInvalid+"Missing the key "+part.Name+" in the item")
		case v.Type != part.Type:
			texts = append(texts, textInvalid+"Type mismatch for key "+part.Name+" expected: "+part.Type+" actual: "+
				v.Type)
		default:
			texts = append(texts, lengthFaults(v, i > 0,
				"The AttributeValue for a key attribute "+emptyText(v)+" Key: "+part.Name)...)
		}
	}
	return texts
}

// firstWith is the first index by name that has a key attribute.
func (t *Table) firstWith(part Part) string {
	first := ""
	for _, x := range t.Indexes {
		if slices.Contains(x.key(), part) && (first == "" || x.Name < first) {
			first = x.Name
		}
	}
	return first
}

// indexFaults judges the attributes of an item that are keys of indexes. updated says that an update has made it.
func (t *Table) indexFaults(item Item, updated bool) (texts []string) {
	for _, x := range t.Indexes {
		for i, part := range x.key() {
			v := item[part.Name]
			switch {
			case v == nil:
			case slices.Contains(t.key(), part): // type and emptiness are judged with the table's key
				if i >= len(x.Hash) && v.Type == part.Type && len(v.Text) > rangeBytesMax {
					texts = append(texts, textRangeLong)
				}
			case v.Type != part.Type:
				texts = append(texts, textInvalid+"Type mismatch for Index Key "+part.Name+" Expected: "+part.Type+
					" Actual: "+v.Type+" IndexName: "+t.firstWith(part))
			case updated:
				texts = append(texts, lengthFaults(v, i >= len(x.Hash),
					"The update expression attempted to update a secondary index key to a value that is "+
						"not supported. The AttributeValue for a key attribute "+emptyText(v))...)
			default:
				texts = append(texts, lengthFaults(v, i >= len(x.Hash),
					"A value specified for a secondary index key is not supported. "+
						"The AttributeValue for a key attribute "+emptyText(v)+" IndexName: "+t.firstWith(part)+
						", IndexKey: "+part.Name)...)
			}
		}
	}
	return texts
}

// cost is capacity units in halves.
type cost struct {
	table   int
	indexes map[string]int // by name
}

func (c *cost) add(index string, units int) {
	if c.indexes == nil {
		c.indexes = map[string]int{}
	}
	c.indexes[index] += units
}

func (c *cost) addAll(other cost) {
	c.table += other.table
	for name, units := range other.indexes {
		c.add(name, units)
	}
}

// readCost and writeCost are in halves of units.
func readCost(bytes int, consistent bool) int {
	units := max(1, (bytes+4095)/4096)
	if consistent {
		return 2 * units
	}
	return units
}

func writeCost(bytes int) int { return 2 * max(1, (bytes+1023)/1024) }

// put replaces one item by another, either of which may be nil, and returns what that costs.
func (t *Table) put(old, item Item) (c cost) {
	if old != nil {
		delete(t.items, t.keyOf(old).String())
	}
	if item != nil {
		t.items[t.keyOf(item).String()] = item
	}
	c.table = writeCost(max(old.Size(), item.Size()))
	for _, x := range t.Indexes {
		before, after := t.view(x, old), t.view(x, item)
		switch {
		case before == nil && after == nil, maps.EqualFunc(before, after, equal):
		case before != nil && after != nil && t.compare(x, before, after) != 0:
			c.add(x.Name, writeCost(before.Size())+writeCost(after.Size()))
		default:
			c.add(x.Name, writeCost(max(before.Size(), after.Size())))
		}
	}
	return c
}

// sorted lists the items of an index in its order.
func (t *Table) sorted(x *Index) (items []Item) {
	for _, item := range t.items {
		if t.view(x, item) != nil {
			items = append(items, item)
		}
	}
	slices.SortFunc(items, func(a, b Item) int { return t.compare(x, a, b) })
	return items
}

// unprojected lists the attributes of paths that an index does not hold.
func (t *Table) unprojected(x *Index, paths []Path) (missing []string) {
	names, all := t.projected(x)
	for _, path := range paths {
		if !all && !slices.Contains(names, path.Name) && !slices.Contains(missing, path.Name) {
			missing = append(missing, path.Name)
		}
	}
	return missing
}

// describe is the table's CreateTable request.
func (t *Table) describe() string {
	types := map[string]string{}
	var local, global []string
	for _, part := range t.key() {
		types[part.Name] = part.Type
	}
	for _, x := range t.Indexes {
		for _, part := range x.key() {
			types[part.Name] = part.Type
		}
		projection := `{"ProjectionType":"` + x.Projection + `"}`
		if x.Projection == "INCLUDE" {
			projection = `{"ProjectionType":"INCLUDE","NonKeyAttributes":["` + strings.Join(x.Include, `","`) + `"]}`
		}
		text := `{"IndexName":"` + x.Name + `","KeySchema":` + schemaJSON(x.Hash, x.Range) + `,"Projection":` +
			projection + `}`
		if x.Local {
			local = append(local, text)
		} else {
			global = append(global, text)
		}
	}
	var definitions []string
	for _, name := range slices.SortedFunc(maps.Keys(types), cmp.Compare) {
		definitions = append(definitions, `{"AttributeName":"`+name+`","AttributeType":"`+types[name]+`"}`)
	}
	body := `{"TableName":"` + t.Name + `","BillingMode":"PAY_PER_REQUEST","AttributeDefinitions":[` +
		strings.Join(definitions, ",") +
		`],"KeySchema":` + schemaJSON(t.Hash, t.Range)
	if local != nil {
		body += `,"LocalSecondaryIndexes":[` + strings.Join(local, ",") + `]`
	}
	if global != nil {
		body += `,"GlobalSecondaryIndexes":[` + strings.Join(global, ",") + `]`
	}
	return body + "}"
}

func schemaJSON(hash, sorted []Part) string {
	var elements []string
	for i, part := range slices.Concat(hash, sorted) {
		kind := "HASH"
		if i >= len(hash) {
			kind = "RANGE"
		}
		elements = append(elements, `{"AttributeName":"`+part.Name+`","KeyType":"`+kind+`"}`)
	}
	return "[" + strings.Join(elements, ",") + "]"
}
