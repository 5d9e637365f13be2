// SPDX-License-Identifier: Apache-2.0

package tablemodel

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/weftdb/weft/internal/dynamodb/exception"
)

// Distribution is the tag by which a table is spread by a hash of its partition key; its value is then
// DistributionHash. It is decided when the table is made, and stays.
const (
	Distribution     = "weft:distribution"
	DistributionHash = "hash"
)

const (
	tagsMax           = 50
	tagKeyLengthMax   = 128 // in characters
	tagValueLengthMax = 256 // in characters
)

// Tag is a name and a text that go with a table.
type Tag struct{ Key, Value *string }

// tags judges tags one by one.
func (c *constraints) tags(list []Tag) {
	for i, tag := range list {
		at := fmt.Sprintf("tags.%d.member.", i+1)
		c.tagKey(tag.Key, at+"key")
		switch {
		case tag.Value == nil:
			c.Null(at + "value")
		case utf8.RuneCountInString(*tag.Value) > tagValueLengthMax:
			c.long(*tag.Value, at+"value", tagValueLengthMax)
		}
	}
}

func (c *constraints) tagKey(key *string, at string) {
	switch {
	case key == nil:
		c.Null(at)
	case *key == "":
		c.short("", at, 1)
	case utf8.RuneCountInString(*key) > tagKeyLengthMax:
		c.long(*key, at, tagKeyLengthMax)
	}
}

// checkTags judges tags as a whole; had are the table's present tags. The texts are from memory.
func checkTags(given, had []Tag) error {
	for i, tag := range given {
		for _, text := range []string{*tag.Key, *tag.Value} {
			if strings.IndexFunc(text, foreignToTags) >= 0 {
				return exception.InvalidValue(
					"A tag can have letters, digits, spaces and + - = . _ : / @ in its key and its value, unlike: %s",
					text)
			}
		}
		if strings.HasPrefix(strings.ToLower(*tag.Key), "aws:") {
			return exception.InvalidValue("Tag keys can't start with 'aws:', which is reserved: %s", *tag.Key)
		}
		if slices.ContainsFunc(given[:i], func(other Tag) bool { return *other.Key == *tag.Key }) {
			return exception.InvalidValue("Two tags have the same key: %s", *tag.Key)
		}
	}
	if len(mergeTags(had, given)) > tagsMax {
		return exception.InvalidValue("A table has at most %d tags", tagsMax)
	}
	return nil
}

// foreignToTags reports whether a letter can't stand in a tag's key or value.
func foreignToTags(r rune) bool {
	return !unicode.In(r, unicode.L, unicode.N, unicode.Z) && !strings.ContainsRune("+-=._:/@", r)
}

// mergeTags returns the tags with others added or replaced, in the order of their keys.
func mergeTags(had, given []Tag) []Tag {
	all := slices.Clone(given)
	for _, tag := range had {
		if tag.Key != nil && !slices.ContainsFunc(given, func(other Tag) bool { return *other.Key == *tag.Key }) {
			all = append(all, tag)
		}
	}
	slices.SortFunc(all, func(a, b Tag) int { return strings.Compare(*a.Key, *b.Key) })
	return all
}

// CheckTags judges the tags of a TagResource one by one and together.
func CheckTags(list []Tag) error {
	var faults constraints
	if list == nil {
		faults.Null("tags")
	}
	faults.tags(list)
	if err := faults.Err(); err != nil {
		return err
	}
	if len(list) == 0 {
		return exception.Validation("Atleast one Tag needs to be provided as Input.")
	}
	return checkTags(list, nil)
}

// CheckTagKeys judges the keys of an UntagResource.
func CheckTagKeys(keys []*string) error {
	var faults constraints
	if keys == nil {
		faults.Null("tagKeys")
	}
	for i, key := range keys {
		faults.tagKey(key, fmt.Sprintf("tagKeys.%d.member", i+1))
	}
	if err := faults.Err(); err != nil {
		return err
	}
	if len(keys) == 0 {
		return exception.Validation("Atleast one Tag Key needs to be provided as Input.")
	}
	return nil
}

// AddTags adds or replaces tags. It refuses more than a table can have, and another distribution than the table's.
func (s *Settings) AddTags(given []Tag) error {
	for _, tag := range given {
		if *tag.Key == Distribution && *tag.Value != s.tag(Distribution) {
			return distributionFault()
		}
	}
	if err := checkTags(given, s.Tags); err != nil {
		return err
	}
	s.Tags = mergeTags(s.Tags, given)
	return nil
}

// RemoveTags removes tags; those that are not there are no error.
func (s *Settings) RemoveTags(keys []*string) error {
	gone := func(tag Tag) bool {
		return tag.Key != nil && slices.ContainsFunc(keys, func(key *string) bool { return *key == *tag.Key })
	}
	if slices.ContainsFunc(keys, func(key *string) bool { return *key == Distribution }) && s.tag(Distribution) != "" {
		return distributionFault()
	}
	s.Tags = slices.DeleteFunc(s.Tags, gone)
	return nil
}

// tag returns a tag's value; "" is none.
func (s *Settings) tag(key string) string {
	for _, tag := range s.Tags {
		if tag.Key != nil && tag.Value != nil && *tag.Key == key {
			return *tag.Value
		}
	}
	return ""
}

func distributionFault() error {
	return exception.Validation("The tag " + Distribution +
		" says how a table's items are spread, which is decided when the table is made: " +
		"make another table to change it")
}
