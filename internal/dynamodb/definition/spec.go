// SPDX-License-Identifier: Apache-2.0

package definition

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/weftdb/weft"
	"github.com/weftdb/weft/internal/dynamodb/exception"
)

// Distribution is the tag by which a table is spread by a hash of its partition key; its value is then DistributionHash.
const (
	Distribution     = "weft:distribution"
	DistributionHash = "hash"
)

// Spec judges a request and makes the table's schema of it.
func (c *Create) Spec(limits Limits) (weft.TableSpec, error) {
	if err := c.check(limits); err != nil {
		return weft.TableSpec{}, err
	}
	types, err := typesOf(c.AttributeDefinitions)
	if err != nil {
		return weft.TableSpec{}, err
	}
	spec := weft.TableSpec{Name: *c.TableName, PartitionParts: hashCount(c.KeySchema)}
	if spec.Key, err = parts(c.KeySchema, types); err != nil {
		return weft.TableSpec{}, err
	}
	for _, tag := range c.Tags {
		if tag.Key != Distribution {
			continue
		}
		if tag.Value != DistributionHash {
			return weft.TableSpec{}, exception.Validationf("The tag %s has the value %s; it can be %s, or be left out for a table in the order of its keys", tag.Key, tag.Value, DistributionHash)
		}
		spec.HashDistributed = true
	}
	for i, list := range [][]Index{c.LocalSecondaryIndexes, c.GlobalSecondaryIndexes} {
		for j := range list {
			index, err := list[j].spec(types)
			if err != nil {
				return weft.TableSpec{}, err
			}
			index.Local = i == 0
			spec.Indexes = append(spec.Indexes, index)
		}
	}
	spec.Dialect = c.settings().keep(nil)
	return spec, nil
}

// spec makes the index's schema. The request was judged before.
func (x *Index) spec(types map[string]string) (spec weft.IndexSpec, err error) {
	spec = weft.IndexSpec{Name: x.IndexName, PartitionParts: hashCount(x.KeySchema)}
	if spec.Key, err = parts(x.KeySchema, types); err != nil {
		return spec, err
	}
	switch x.Projection.ProjectionType {
	case "KEYS_ONLY":
		spec.Projection = weft.ProjectKeys
	case "INCLUDE":
		spec.Projection, spec.Include = weft.ProjectInclude, x.Projection.NonKeyAttributes
	default:
		spec.Projection = weft.ProjectAll
	}
	kept := indexSettings{x.ProvisionedThroughput, x.OnDemandThroughput, x.WarmThroughput}
	spec.Dialect = kept.keep(nil)
	return spec, nil
}

// parts makes key parts of a schema. The name of a key attribute may be an expression.
func parts(schema []Key, types map[string]string) ([]weft.KeyPart, error) {
	made := make([]weft.KeyPart, len(schema))
	for i, k := range schema {
		t := weft.String
		switch types[k.AttributeName] {
		case "N":
			t = weft.Number
		case "B":
			t = weft.Binary
		}
		part, err := weft.Part(k.AttributeName, t)
		if err != nil {
			if cause := errors.Unwrap(err); cause != nil {
				err = cause
			}
			return nil, exception.InvalidValue("%s", strings.TrimPrefix(err.Error(), "indexkey: "))
		}
		made[i] = part
	}
	return made, nil
}

// addedIndex makes the schema of an index that an UpdateTable adds to a table.
func (u *Update) addedIndex(x *Index, table *weft.Descriptor, billing string, limits Limits) (weft.IndexSpec, error) {
	types, err := typesOf(u.AttributeDefinitions)
	if err != nil {
		return weft.IndexSpec{}, err
	}
	globals, included := 0, len(x.Projection.NonKeyAttributes)
	for i := range table.Indexes {
		if !table.Indexes[i].Local {
			globals++
		}
		included += len(table.Indexes[i].Include)
	}
	for _, known := range attributesOf(table) {
		if given, ok := types[known.AttributeName]; ok && given != known.AttributeType {
			return weft.IndexSpec{}, exception.InvalidValue("Attribute %s is defined as %s already and can't be %s", known.AttributeName, known.AttributeType, given)
		}
		types[known.AttributeName] = known.AttributeType
	}
	if err := x.check(types, map[string]bool{}, true); err != nil {
		return weft.IndexSpec{}, err
	}
	if err := x.checkThroughput(billing); err != nil {
		return weft.IndexSpec{}, err
	}
	if globals >= limits.GlobalIndexes {
		return weft.IndexSpec{}, exception.InvalidValue("GlobalSecondaryIndex count exceeds the per-table limit of %d", limits.GlobalIndexes)
	}
	if included > limits.IncludedNames {
		return weft.IndexSpec{}, exception.InvalidValue("Number of attributes projected by all INCLUDE projections, %d, exceeds the limit of %d", included, limits.IncludedNames)
	}
	return x.spec(types)
}

// attributesOf lists the attributes in the keys of a table and its indexes.
func attributesOf(table *weft.Descriptor) []Attribute {
	var list []Attribute
	seen := map[string]bool{}
	add := func(x *weft.Index) {
		visible := x.Visible()
		for i := range visible {
			if p := &visible[i]; !seen[p.Name] {
				seen[p.Name] = true
				list = append(list, Attribute{p.Name, typeName(p.Type)})
			}
		}
	}
	add(&table.Primary)
	for i := range table.Indexes {
		add(&table.Indexes[i])
	}
	return list
}

// typeName is a key part's type in DynamoDB's letters. The types of other doors are shown as what their values are shown as.
func typeName(t weft.Type) string {
	switch t {
	case weft.String:
		return "S"
	case weft.Binary:
		return "B"
	}
	return "N"
}

// dialect is the name under which settings stand in a schema.
const dialect = "dynamodb"

// keep puts settings into what a schema keeps for dialects.
func keep(kept map[string]json.RawMessage, settings any) map[string]json.RawMessage {
	if kept == nil {
		kept = map[string]json.RawMessage{}
	}
	text, err := json.Marshal(settings)
	if err != nil {
		panic(err) // lint:invariant raw members come from a body that was read as JSON
	}
	kept[dialect] = text
	return kept
}
