// SPDX-License-Identifier: Apache-2.0

package tablemodel

import (
	"fmt"
	"strings"

	"github.com/weftdb/weft/internal/dynamodb/exception"
)

const (
	nameLengthMin = 3
	nameLengthMax = 255
	keysMax       = 8  // of a global index: four HASH and four RANGE
	includedMax   = 20 // names in one index's projection
)

// members judges the members of a request one by one.
func (c *Create) members() error {
	var faults constraints
	faults.At = c.Within
	if c.Within != "" {
		faults.name(c.TableName, "tableName")
	}
	if c.AttributeDefinitions == nil {
		faults.Null("attributeDefinitions")
	}
	faults.attributes(c.AttributeDefinitions)
	faults.keys(c.KeySchema, "keySchema", 2)
	faults.indexes(c.GlobalSecondaryIndexes, "globalSecondaryIndexes", keysMax)
	faults.indexes(c.LocalSecondaryIndexes, "localSecondaryIndexes", 2)
	faults.settings(c.BillingMode, c.TableClass, c.StreamSpecification, c.SSESpecification)
	faults.throughput(c.ProvisionedThroughput, "provisionedThroughput")
	faults.warm(c.WarmThroughput, "warmThroughput")
	faults.tags(c.Tags)
	c.attributes, c.keys = givenAttributes(c.AttributeDefinitions), givenKeys(c.KeySchema)
	return faults.Err()
}

func (u *Update) members() error {
	var faults constraints
	faults.attributes(u.AttributeDefinitions)
	faults.settings(u.BillingMode, u.TableClass, u.StreamSpecification, u.SSESpecification)
	faults.throughput(u.ProvisionedThroughput, "provisionedThroughput")
	faults.warm(u.WarmThroughput, "warmThroughput")
	for i := range u.GlobalSecondaryIndexUpdates {
		change := &u.GlobalSecondaryIndexUpdates[i]
		at := fmt.Sprintf("globalSecondaryIndexUpdates.%d.member.", i+1)
		if change.Create != nil {
			faults.index(change.Create, at+"create", keysMax)
		}
		if change.Delete != nil {
			faults.name(change.Delete.IndexName, at+"delete.indexName")
		}
		if change.Update != nil {
			faults.name(change.Update.IndexName, at+"update.indexName")
			faults.throughput(change.Update.ProvisionedThroughput, at+"update.provisionedThroughput")
			faults.warm(change.Update.WarmThroughput, at+"update.warmThroughput")
		}
	}
	u.attributes = givenAttributes(u.AttributeDefinitions)
	return faults.Err()
}

// settings judges what tables are made and changed with alike.
func (c *constraints) settings(billing, class *string, stream *StreamSpecification, encryption *EncryptionMember) {
	c.Maybe(billing, "billingMode", provisioned, payPerRequest)
	c.Maybe(class, "tableClass", standardClass, "STANDARD_INFREQUENT_ACCESS")
	if stream != nil {
		if stream.StreamEnabled == nil {
			c.Null("streamSpecification.streamEnabled")
		}
		c.Maybe(stream.StreamViewType, "streamSpecification.streamViewType", "NEW_IMAGE", "OLD_IMAGE",
			"NEW_AND_OLD_IMAGES", "KEYS_ONLY")
	}
	c.encryption(encryption, "sSESpecification")
}

func (c *constraints) encryption(e *EncryptionMember, at string) {
	if e != nil {
		c.Maybe(e.SSEType, at+".sSEType", "AES256", "KMS")
	}
}

func (c *constraints) attributes(definitions []AttributeMember) {
	for i, d := range definitions {
		at := fmt.Sprintf("attributeDefinitions.%d.member.", i+1)
		c.attributeName(d.AttributeName, at+"attributeName")
		c.Must(d.AttributeType, at+"attributeType", "B", "N", "S")
	}
}

func (c *constraints) keys(schema []KeyMember, at string, most int) {
	switch {
	case schema == nil:
		c.Null(at)
	case len(schema) == 0:
		c.short("[]", at, 1)
	case len(schema) > most:
		c.long(shownKeys(schema), at, most)
	}
	for i, k := range schema {
		member := fmt.Sprintf("%s.%d.member.", at, i+1)
		c.attributeName(k.AttributeName, member+"attributeName")
		c.Must(k.KeyType, member+"keyType", "HASH", "RANGE")
	}
}

// shownKeys is a key schema as messages show it.
func shownKeys(schema []KeyMember) string {
	shown := make([]string, len(schema))
	for i, k := range givenKeys(schema) {
		shown[i] = "KeySchemaElement(attributeName=" + k.AttributeName + ", keyType=" + k.KeyType + ")"
	}
	return listText(shown)
}

func (c *constraints) indexes(list []IndexMember, at string, keysMost int) {
	for i := range list {
		c.index(&list[i], fmt.Sprintf("%s.%d.member", at, i+1), keysMost)
	}
}

func (c *constraints) index(x *IndexMember, at string, keysMost int) {
	c.name(x.IndexName, at+".indexName")
	c.keys(x.KeySchema, at+".keySchema", keysMost)
	if x.Projection == nil {
		c.Null(at + ".projection")
	} else {
		c.projection(x.Projection, at+".projection.")
	}
	c.throughput(x.ProvisionedThroughput, at+".provisionedThroughput")
	c.warm(x.WarmThroughput, at+".warmThroughput")
	x.keys = givenKeys(x.KeySchema)
}

func (c *constraints) projection(p *ProjectionMember, at string) {
	c.Maybe(p.ProjectionType, at+"projectionType", "ALL", "INCLUDE", "KEYS_ONLY")
	switch {
	case p.NonKeyAttributes != nil && len(p.NonKeyAttributes) == 0:
		c.short("[]", at+"nonKeyAttributes", 1)
	case len(p.NonKeyAttributes) > includedMax:
		c.long(listText(p.includedNames()), at+"nonKeyAttributes", includedMax)
	}
	for i, name := range p.NonKeyAttributes {
		c.attributeName(name, fmt.Sprintf("%snonKeyAttributes.%d.member", at, i+1))
	}
}

func (c *constraints) throughput(t *Throughput, at string) {
	if t == nil {
		return
	}
	for _, part := range []struct {
		units  *int64
		member string
	}{{t.WriteCapacityUnits, "writeCapacityUnits"}, {t.ReadCapacityUnits, "readCapacityUnits"}} {
		if part.units == nil {
			c.Null(at + "." + part.member)
		}
		c.maybeAtLeast(part.units, at+"."+part.member, 1)
	}
}

func (c *constraints) warm(w *Warm, at string) {
	if w != nil {
		c.maybeAtLeast(w.WriteUnitsPerSecond, at+".writeUnitsPerSecond", 1)
		c.maybeAtLeast(w.ReadUnitsPerSecond, at+".readUnitsPerSecond", 1)
	}
}

func listText(names []string) string { return "[" + strings.Join(names, ", ") + "]" }

// constraints are the constraints of requests about tables.
type constraints struct{ exception.Constraints }

func (c *constraints) short(text, member string, least int) {
	c.Add("'"+text+"'", member, fmt.Sprintf("Member must have length greater than or equal to %d", least))
}

func (c *constraints) long(text, member string, most int) {
	c.Add("'"+text+"'", member, fmt.Sprintf("Member must have length less than or equal to %d", most))
}

// maybeAtLeast wants a number that is no less, or nothing.
func (c *constraints) maybeAtLeast(n *int64, member string, least int64) {
	c.Between(n != nil, valueOf(n), member, least, -1)
}

// name checks the letters and length of an index's or a table's name.
func (c *constraints) name(text *string, member string) {
	if text == nil {
		c.Null(member)
		return
	}
	if *text == "" || strings.IndexFunc(*text, foreign) >= 0 {
		c.Add("'"+*text+"'", member, "Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+")
	}
	switch {
	case len(*text) > nameLengthMax:
		c.long(*text, member, nameLengthMax)
	case len(*text) < nameLengthMin:
		c.short(*text, member, nameLengthMin)
	}
}

// attributeName checks the name of an attribute in a key or a projection, whose length counts in bytes.
func (c *constraints) attributeName(name *string, at string) {
	switch {
	case name == nil:
		c.Null(at)
	case *name == "":
		c.short("", at, 1)
	case len(*name) > nameLengthMax:
		c.long(*name, at, nameLengthMax)
	}
}

// foreign reports whether a letter can't stand in the name of a table or index.
func foreign(r rune) bool { return exception.ForeignToNames(r) }
