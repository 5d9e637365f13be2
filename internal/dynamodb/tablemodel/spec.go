// SPDX-License-Identifier: Apache-2.0

package tablemodel

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/dynamodb/exception"
	"github.com/weftdb/weft/internal/security/permission"
)

// Spec judges a request and makes the table's schema of it.
func (c *Create) Spec(limits Limits, nowMS int64) (database.TableSpec, error) {
	if err := c.check(limits); err != nil {
		return database.TableSpec{}, err
	}
	types, err := typesOf(c.attributes)
	if err != nil {
		return database.TableSpec{}, err
	}
	spec := database.TableSpec{Name: *c.TableName, PartitionParts: hashCount(c.keys)}
	if spec.Key, err = parts(c.keys, types); err != nil {
		return database.TableSpec{}, err
	}
	settings := c.settings()
	if spec.HashDistributed, err = distributionOf(settings.Tags); err != nil {
		return database.TableSpec{}, err
	}
	count, err := regionsOf(settings.Tags)
	if err != nil {
		return database.TableSpec{}, err
	}
	spec.Regions = beginning(count, c.WarmThroughput)
	for i, list := range [][]IndexMember{c.LocalSecondaryIndexes, c.GlobalSecondaryIndexes} {
		for j := range list {
			index, err := list[j].spec(types)
			if err != nil {
				return database.TableSpec{}, err
			}
			index.Local, index.Regions = i == 0, beginning(count, list[j].WarmThroughput)
			spec.Indexes = append(spec.Indexes, index)
		}
	}
	tagged, err := TaggedIndexes(settings.Tags, limits)
	if err != nil {
		return database.TableSpec{}, err
	}
	for _, x := range tagged {
		x.Spec.Regions = beginning(count, nil)
		spec.Indexes = append(spec.Indexes, x.Spec)
	}
	spec.Stream = c.StreamSpecification.images()
	spec.Dialect = keep(nil, settings)
	if c.ResourcePolicy != nil {
		spec.Dialect, err = permission.SetPolicy(spec.Dialect,
			&permission.TablePolicy{Document: *c.ResourcePolicy, Revision: strconv.FormatInt(nowMS, 10)})
	}
	return spec, err
}

// distributionOf reports whether tags ask for a table that is spread by a hash.
func distributionOf(tags []Tag) (hash bool, err error) {
	for _, tag := range tags {
		if *tag.Key != Distribution {
			continue
		}
		if *tag.Value != DistributionHash {
			return false, exception.Validationf(
				"The tag %s has the value %s; it can be %s, or be left out for a table in the order of its keys",
				*tag.Key, *tag.Value, DistributionHash)
		}
		hash = true
	}
	return hash, nil
}

// spec makes the index's schema. The request was judged before.
func (x *IndexMember) spec(types map[string]string) (spec database.IndexSpec, err error) {
	spec = database.IndexSpec{Name: x.name(), PartitionParts: hashCount(x.keys)}
	if spec.Key, err = parts(x.keys, types); err != nil {
		return spec, err
	}
	switch *x.Projection.ProjectionType {
	case "KEYS_ONLY":
		spec.Projection = schema.ProjectKeys
	case "INCLUDE":
		spec.Projection, spec.Include = schema.ProjectInclude, x.Projection.includedNames()
	default:
		spec.Projection = schema.ProjectAll
	}
	spec.Dialect = keep(nil, &indexSettings{
		Throughput: x.ProvisionedThroughput, OnDemand: (*storedOnDemand)(nil).with(x.OnDemandThroughput),
		Warm: x.WarmThroughput,
	})
	return spec, nil
}

// parts makes key parts of a schema. The name of a key attribute may be an expression.
func parts(keys []Key, types map[string]string) ([]schema.KeyPart, error) {
	made := make([]schema.KeyPart, len(keys))
	for i, k := range keys {
		t := schema.String
		switch types[k.AttributeName] {
		case "N":
			t = schema.Number
		case "B":
			t = schema.Binary
		}
		part, err := database.Part(k.AttributeName, t)
		if err != nil {
			if cause := errors.Unwrap(err); cause != nil {
				err = cause
			}
			return nil, exception.InvalidValue("%s", strings.TrimPrefix(err.Error(), "keytext: "))
		}
		made[i] = part
	}
	return made, nil
}

// addedIndex makes the schema of an index that an UpdateTable adds to a table, beside others. Definitions of attributes
// that are no keys are dropped.
func (u *Update) addedIndex(x *IndexMember, table *schema.Table, billing string,
	limits Limits, beside []database.IndexSpec) (spec database.IndexSpec, err error) {
	types, err := typesOf(u.attributes)
	if err != nil {
		return spec, err
	}
	if err := x.check(types, map[string]bool{}, ""); err != nil {
		return spec, err
	}
	if err := checkTypes(x, types, table); err != nil {
		return spec, err
	}
	if err := x.checkThroughput(billing); err != nil {
		return spec, err
	}
	if err := x.checkWarm(); err != nil {
		return spec, err
	}
	globals, included := 1+len(beside), len(x.Projection.NonKeyAttributes)
	for i := range beside {
		included += len(beside[i].Include)
	}
	for _, had := range indexesOf(table) {
		if !had.Local {
			globals++
		}
		included += len(had.Include)
	}
	if err := checkGlobalCount(globals, limits); err != nil {
		return spec, err
	}
	if err := checkIncluded(included, limits); err != nil {
		return spec, err
	}
	if spec, err = x.spec(types); err == nil {
		spec.Regions = beginning(0, x.WarmThroughput)
	}
	return spec, err
}

// checkTypes wants the attributes of a new index that a table defines already to have the types that they have there.
// The table's key is looked at first, then its indexes by their names. Attributes that the new index does not use keep
// their types, whatever the request says.
func checkTypes(x *IndexMember, types map[string]string, table *schema.Table) error {
	indexes := indexesOf(table)
	slices.SortFunc(indexes, func(a, b *schema.Index) int { return strings.Compare(a.Name, b.Name) })
	for _, had := range append([]*schema.Index{&table.Primary}, indexes...) {
		known := map[string]string{}
		for _, part := range had.Visible() {
			known[part.Name] = typeName(part.Type)
		}
		for name, as := range known {
			if given := types[name]; given != as && usesAttribute(x.keys, name) {
				return exception.InvalidValue(
					"Attributes cannot be redefined. Please check that your attribute has the same type as previously defined. "+
						"Existing schema: %s New schema: %s",
					keysText(keysOf(had), func(name string) string { return known[name] }),
					keysText(x.keys, func(name string) string { return types[name] }))
			}
		}
	}
	return nil
}

// usesAttribute reports whether an attribute is part of a key.
func usesAttribute(keys []Key, name string) bool {
	return slices.ContainsFunc(keys, func(k Key) bool { return k.AttributeName == name })
}

// indexesOf lists the indexes that DynamoDB knows of: those that the database keeps for itself, and search indexes, are
// not among them.
func indexesOf(table *schema.Table) []*schema.Index {
	list := make([]*schema.Index, 0, len(table.Indexes))
	for i := range table.Indexes {
		if x := &table.Indexes[i]; !x.Internal && !x.Search {
			list = append(list, x)
		}
	}
	return list
}

// Indexes lists the names of the indexes that answer queries.
func Indexes(table *schema.Table) []string {
	var names []string
	for _, x := range indexesOf(table) {
		if x.State.Readable() {
			names = append(names, x.Name)
		}
	}
	return names
}

// indexOf returns an index by its name.
func indexOf(table *schema.Table, name string) (*schema.Index, bool) {
	for _, x := range indexesOf(table) {
		if x.Name == name {
			return x, true
		}
	}
	return nil, false
}

// HasIndex reports whether a table has a global or local index of that name.
func HasIndex(table *schema.Table, name string) bool {
	_, ok := indexOf(table, name)
	return ok
}

// attributesOf lists the attributes in the keys of a table and its indexes.
func attributesOf(table *schema.Table) []Attribute {
	var list []Attribute
	seen := map[string]bool{}
	for _, x := range append([]*schema.Index{&table.Primary}, indexesOf(table)...) {
		visible := x.Stated()
		for i := range visible {
			if p := &visible[i]; !seen[p.Name] {
				seen[p.Name] = true
				list = append(list, Attribute{p.Name, typeName(p.Type)})
			}
		}
	}
	return list
}

// typeName is a key part's type in DynamoDB's letters. Types that only SQL and the Go API know are shown as their
// values are.
func typeName(t schema.Type) string {
	switch t {
	case schema.String:
		return "S"
	case schema.Binary:
		return "B"
	}
	return "N"
}
