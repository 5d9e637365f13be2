// SPDX-License-Identifier: Apache-2.0

package definition

import (
	"encoding/json"
	"fmt"
)

const (
	nameLengthMin = 3
	nameLengthMax = 255
	keysMax       = 8 // of a global index: four HASH and four RANGE
)

// members judges the members of a request one by one.
func (c *Create) members() error {
	var faults constraints
	if c.AttributeDefinitions == nil {
		faults.Add("null", "attributeDefinitions", "Member must not be null")
	}
	faults.attributes(c.AttributeDefinitions)
	faults.keys(c.KeySchema, "keySchema", 2)
	faults.indexes(c.LocalSecondaryIndexes, "localSecondaryIndexes", 2)
	faults.indexes(c.GlobalSecondaryIndexes, "globalSecondaryIndexes", keysMax)
	faults.maybeOneOf(c.BillingMode, "billingMode", "PROVISIONED", "PAY_PER_REQUEST")
	faults.maybeOneOf(c.TableClass, "tableClass", "STANDARD", "STANDARD_INFREQUENT_ACCESS")
	faults.throughput(c.ProvisionedThroughput, "provisionedThroughput")
	faults.name(*c.TableName, "tableName", nameLengthMin)
	for i, tag := range c.Tags {
		if tag.Key == "" || len(tag.Key) > 128 || len(tag.Value) > 256 {
			faults.Add("'"+tag.Key+"'", fmt.Sprintf("tags.%d.member.key", i+1), "Member must have length between 1 and 128, its value at most 256")
		}
	}
	return faults.Err()
}

func (u *Update) members() error {
	var faults constraints
	faults.attributes(u.AttributeDefinitions)
	faults.maybeOneOf(u.BillingMode, "billingMode", "PROVISIONED", "PAY_PER_REQUEST")
	faults.maybeOneOf(u.TableClass, "tableClass", "STANDARD", "STANDARD_INFREQUENT_ACCESS")
	faults.throughput(u.ProvisionedThroughput, "provisionedThroughput")
	for i := range u.GlobalSecondaryIndexUpdates {
		change := &u.GlobalSecondaryIndexUpdates[i]
		at := fmt.Sprintf("globalSecondaryIndexUpdates.%d.member.", i+1)
		switch {
		case change.Create != nil:
			faults.index(change.Create, at+"create", keysMax)
		case change.Delete != nil:
			faults.name(change.Delete.IndexName, at+"delete.indexName", nameLengthMin)
		case change.Update != nil:
			faults.name(change.Update.IndexName, at+"update.indexName", nameLengthMin)
			faults.throughput(change.Update.ProvisionedThroughput, at+"update.provisionedThroughput")
		}
	}
	return faults.Err()
}

func (c *constraints) attributes(definitions []Attribute) {
	for i, d := range definitions {
		at := fmt.Sprintf("attributeDefinitions.%d.member.", i+1)
		c.attributeName(d.AttributeName, at+"attributeName")
		c.oneOf(d.AttributeType, at+"attributeType", "B", "N", "S")
	}
}

func (c *constraints) attributeName(name, at string) {
	if name == "" {
		c.Add("null", at, "Member must not be null")
	} else if len(name) > nameLengthMax {
		c.Add("'"+name+"'", at, "Member must have length less than or equal to 255")
	}
}

func (c *constraints) keys(schema []Key, at string, most int) {
	switch {
	case schema == nil:
		c.Add("null", at, "Member must not be null")
	case len(schema) == 0:
		c.Add("'[]'", at, "Member must have length greater than or equal to 1")
	case len(schema) > most:
		text, _ := json.Marshal(schema) // plain strings
		c.Add("'"+string(text)+"'", at, fmt.Sprintf("Member must have length less than or equal to %d", most))
	}
	for i, k := range schema {
		member := fmt.Sprintf("%s.%d.member.", at, i+1)
		c.attributeName(k.AttributeName, member+"attributeName")
		c.oneOf(k.KeyType, member+"keyType", "HASH", "RANGE")
	}
}

func (c *constraints) indexes(list []Index, at string, keysMost int) {
	for i := range list {
		c.index(&list[i], fmt.Sprintf("%s.%d.member", at, i+1), keysMost)
	}
}

func (c *constraints) index(x *Index, at string, keysMost int) {
	c.name(x.IndexName, at+".indexName", nameLengthMin)
	c.keys(x.KeySchema, at+".keySchema", keysMost)
	if x.Projection == nil {
		c.Add("null", at+".projection", "Member must not be null")
	} else {
		c.maybeOneOf(x.Projection.ProjectionType, at+".projection.projectionType", "ALL", "INCLUDE", "KEYS_ONLY")
		if x.Projection.NonKeyAttributes != nil && len(x.Projection.NonKeyAttributes) == 0 {
			c.Add("'[]'", at+".projection.nonKeyAttributes", "Member must have length greater than or equal to 1")
		}
	}
	c.throughput(x.ProvisionedThroughput, at+".provisionedThroughput")
}

func (c *constraints) throughput(t *Throughput, at string) {
	if t == nil {
		return
	}
	for _, part := range []struct {
		units  *int64
		member string
	}{{t.ReadCapacityUnits, "readCapacityUnits"}, {t.WriteCapacityUnits, "writeCapacityUnits"}} {
		switch {
		case part.units == nil:
			c.Add("null", at+"."+part.member, "Member must not be null")
		case *part.units < 1:
			c.Add(fmt.Sprintf("'%d'", *part.units), at+"."+part.member, "Member must have value greater than or equal to 1")
		}
	}
}
