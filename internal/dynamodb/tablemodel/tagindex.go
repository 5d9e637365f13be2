// SPDX-License-Identifier: Apache-2.0

package tablemodel

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/dynamodb/exception"
)

// IndexTag begins the tags that are indexes which AWS does not have: the index's name follows, and the value says what
// it is, in the letters that tags may have:
//
//	unique email            no two items have the same email; attributes are texts, or numbers and bytes as age:N, id:B
//	zorder lat:f64 lon:f64  boxes of several attributes, each with its type
//	search:english a b      words of texts, by an analyzer; "search" alone takes the one that search indexes have by default
const IndexTag = "weft:index:"

// analyzerDefault is the analyzer of search indexes that name none.
const analyzerDefault = "standard"

// TaggedIndex is an index that a tag asks for.
type TaggedIndex struct {
	Spec  database.IndexSpec
	Value string // the tag's
}

// TaggedIndexes are the indexes that tags ask for. Errors: exceptions for tags that make no sense, and for all of them
// where they are not allowed.
func TaggedIndexes(tags []Tag, limits Limits) (list []TaggedIndex, err error) {
	for _, tag := range tags {
		name, ok := strings.CutPrefix(valueOf(tag.Key), IndexTag)
		if !ok {
			continue
		}
		if !limits.TaggedIndexes {
			return nil, exception.Validationf(
				"The tag %s asks for an index that AWS does not have: start the server with --beyond-aws", *tag.Key)
		}
		var faults constraints
		if faults.name(&name, "indexName"); faults.Err() != nil {
			return nil, faults.Err()
		}
		spec, err := taggedSpec(strings.Fields(valueOf(tag.Value)))
		if err != nil {
			return nil, exception.Validationf("The tag %s has the value %s: %s", *tag.Key, valueOf(tag.Value),
				strings.TrimPrefix(err.Error(), "keytext: "))
		}
		spec.Name = name
		list = append(list, TaggedIndex{spec, *tag.Value})
	}
	return list, nil
}

// taggedSpec reads the words of a tag's value.
func taggedSpec(words []string) (spec database.IndexSpec, err error) {
	if len(words) < 2 {
		return spec, errors.New("write unique, zorder or search and the attributes, with spaces between them")
	}
	kind, analyzer, _ := strings.Cut(words[0], ":")
	var part schema.KeyPart
	switch kind {
	case "unique":
		spec.Unique, spec.PartitionParts = true, len(words)-1
		spec.Key, err = uniqueParts(words[1:])
		return spec, err
	case "zorder":
		list := strings.ReplaceAll(strings.Join(words[1:], ", "), ":", " ")
		part, err = database.Part("zorder("+list+")", schema.Binary)
	case "search":
		analyzer = cmp.Or(analyzer, analyzerDefault)
		spec.Search = true
		part, err = database.Words(analyzer, words[1:]...)
	default:
		return spec, errors.New("an index is unique, zorder or search")
	}
	if cause := errors.Unwrap(err); cause != nil {
		err = cause
	}
	spec.Key = []schema.KeyPart{part}
	return spec, err
}

// uniqueParts are the attributes of a unique index, each with its type behind a colon unless it is a text.
func uniqueParts(words []string) (parts []schema.KeyPart, err error) {
	types := map[string]schema.Type{"": schema.String, "S": schema.String, "N": schema.Number, "B": schema.Binary}
	for _, word := range words {
		name, letter, _ := strings.Cut(word, ":")
		t, ok := types[letter]
		if !ok {
			return nil, errors.New("the type of an attribute is S, N or B")
		}
		part, err := database.Part(name, t)
		if err != nil {
			return nil, err
		}
		parts = append(parts, part)
	}
	return parts, nil
}

// NewIndexes are those indexes of tags that a table does not have. It refuses tags that the table can't get, and those
// which would change an index or take the name of one that no tag has made.
func NewIndexes(table *schema.Table, tags []Tag, limits Limits) ([]TaggedIndex, error) {
	list, err := TaggedIndexes(tags, limits)
	if err != nil {
		return nil, err
	}
	s, err := SettingsOf(table)
	if err != nil {
		return nil, err
	}
	before := s
	if err := s.AddTags(tags); err != nil {
		return nil, err
	}
	for _, x := range list {
		if hasAnyIndex(table, x.Spec.Name) && before.tag(IndexTag+x.Spec.Name) != x.Value {
			return nil, exception.InvalidValue(
				"The table has another index %s. Remove it first: an index that a tag has made goes with its tag",
				x.Spec.Name)
		}
	}
	return slices.DeleteFunc(list, func(x TaggedIndex) bool { return hasAnyIndex(table, x.Spec.Name) }), nil
}

// hasAnyIndex reports whether a table has an index of that name, of whatever kind, that is not being removed.
func hasAnyIndex(table *schema.Table, name string) bool {
	x, ok := table.Index(name)
	return ok && !x.IsPrimary() && !x.Internal && x.State != schema.Retiring && x.State != schema.Dropping
}

// UntaggedIndexes are the names of a table's indexes that go with tags of these keys.
func UntaggedIndexes(table *schema.Table, keys []*string) (names []string, err error) {
	s, err := SettingsOf(table)
	for _, key := range keys {
		if name, ok := strings.CutPrefix(*key, IndexTag); ok && s.tag(*key) != "" && hasAnyIndex(table, name) {
			names = append(names, name)
		}
	}
	return names, err
}

// TagsOf are a table's tags in the order of their keys, without those of indexes that are gone; they are never nil.
// Errors: settings that can't be read.
func TagsOf(table *schema.Table) ([]Tag, error) {
	s, err := SettingsOf(table)
	return slices.DeleteFunc(mergeTags(s.Tags, []Tag{}), func(tag Tag) bool {
		name, ok := strings.CutPrefix(valueOf(tag.Key), IndexTag)
		return ok && !isTagged(table, name, *tag.Value)
	}), err
}

// isTagged reports whether a table has the index that a tag has made, rather than one that took its name later.
func isTagged(table *schema.Table, name, text string) bool {
	x, _ := table.Index(name)
	kind, _, _ := strings.Cut(strings.TrimSpace(text), " ")
	return hasAnyIndex(table, name) && x.Unique == (kind == "unique") && x.Curved() == (kind == "zorder") &&
		x.Search == strings.HasPrefix(kind, "search")
}
