// SPDX-License-Identifier: Apache-2.0

package definition

import (
	"github.com/weftdb/weft/internal/dynamodb/exception"
	"slices"
	"strings"
)

// capacityUnitsMax is more than anybody has.
const capacityUnitsMax = 1_000_000_000_000

// TableNameError judges the name of a table in a request about tables.
func TableNameError(name *string) error {
	switch {
	case name == nil:
		return exception.Validationf("The parameter 'TableName' is required but was not present in the request")
	case len(*name) < nameLengthMin || len(*name) > nameLengthMax:
		return exception.Validationf("TableName must be at least %d characters long and at most %d characters long", nameLengthMin, nameLengthMax)
	case strings.IndexFunc(*name, foreign) >= 0:
		var faults constraints
		faults.name(*name, "tableName", nameLengthMin)
		return faults.Err()
	}
	return nil
}

// check judges a request as a whole.
func (c *Create) check(limits Limits) error {
	if err := TableNameError(c.TableName); err != nil {
		return err
	}
	if err := c.members(); err != nil {
		return err
	}
	if err := c.Elsewhere.check(); err != nil {
		return err
	}
	if err := checkBilling(c.BillingMode, c.ProvisionedThroughput); err != nil {
		return err
	}
	if err := checkKeys(c.KeySchema, false); err != nil {
		return err
	}
	types, err := typesOf(c.AttributeDefinitions)
	if err != nil {
		return err
	}
	if err := checkDefined(c.KeySchema, types); err != nil {
		return err
	}
	if err := c.checkIndexes(limits, types); err != nil {
		return err
	}
	return c.checkUsed()
}

// check refuses what this server does not do.
func (e *Elsewhere) check() error {
	switch {
	case e.StreamSpecification != nil && e.StreamSpecification.StreamEnabled:
		return exception.Validationf("StreamSpecification: this server has no streams; leave it out or set StreamEnabled to false")
	case e.ResourcePolicy != nil && string(e.ResourcePolicy) != "null":
		return exception.Validationf("ResourcePolicy: this server has no resource policies; leave it out")
	case len(e.ReplicaUpdates) > 0:
		return exception.Validationf("ReplicaUpdates: this server has no global tables; leave it out")
	case len(e.VectorIndexes) > 0:
		return exception.Validationf("VectorIndexes: this server has no vector indexes; leave it out")
	}
	return nil
}

func checkBilling(mode string, t *Throughput) error {
	switch {
	case mode == payPerRequest && t != nil:
		return exception.InvalidValue("Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST")
	case mode != payPerRequest && t == nil:
		return exception.InvalidValue("ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is PROVISIONED")
	}
	return t.check("")
}

// check judges the numbers of throughput that is there; index is "" for the table's.
func (t *Throughput) check(index string) error {
	where := ""
	if index != "" {
		where = " for index " + index
	}
	switch {
	case t == nil:
	case *t.ReadCapacityUnits > capacityUnitsMax:
		return exception.Validationf("Given value %d for ReadCapacityUnits is out of bounds%s", *t.ReadCapacityUnits, where)
	case *t.WriteCapacityUnits > capacityUnitsMax:
		return exception.Validationf("Given value %d for WriteCapacityUnits is out of bounds%s", *t.WriteCapacityUnits, where)
	}
	return nil
}

// checkKeys judges the shape of a key schema. A global index may have up to four attributes of either type.
func checkKeys(schema []Key, global bool) error {
	if schema[0].KeyType != "HASH" {
		return exception.Validationf("Invalid KeySchema: The first KeySchemaElement is not a HASH key type")
	}
	if !global && len(schema) > 1 && schema[1].AttributeName == schema[0].AttributeName {
		return exception.Validationf("Both the Hash Key and the Range Key element in the KeySchema have the same name")
	}
	if !global && len(schema) > 1 && schema[1].KeyType != "RANGE" {
		return exception.Validationf("Invalid KeySchema: The second KeySchemaElement is not a RANGE key type")
	}
	hashes := hashCount(schema)
	for i, k := range schema {
		if i >= hashes && k.KeyType == "HASH" {
			return exception.Validationf("Invalid KeySchema: HASH key attributes must stand before RANGE key attributes")
		}
		if slices.ContainsFunc(schema[:i], func(other Key) bool { return other.AttributeName == k.AttributeName }) {
			return exception.InvalidValue("Two elements of the KeySchema have the same name: %s", k.AttributeName)
		}
	}
	if hashes > keysMax/2 || len(schema)-hashes > keysMax/2 {
		return exception.InvalidValue("An index has at most %d HASH and %d RANGE key attributes", keysMax/2, keysMax/2)
	}
	return nil
}

// hashCount returns how many elements at the beginning are of the type HASH.
func hashCount(schema []Key) int {
	n := slices.IndexFunc(schema, func(k Key) bool { return k.KeyType != "HASH" })
	if n < 0 {
		return len(schema)
	}
	return n
}

// typesOf maps the defined attributes to their types.
func typesOf(definitions []Attribute) (map[string]string, error) {
	types := make(map[string]string, len(definitions))
	for _, d := range definitions {
		if _, twice := types[d.AttributeName]; twice {
			return nil, exception.InvalidValue("Duplicate AttributeName in AttributeDefinitions: %s", d.AttributeName)
		}
		types[d.AttributeName] = d.AttributeType
	}
	return types, nil
}

func checkDefined(schema []Key, types map[string]string) error {
	for _, k := range schema {
		if _, ok := types[k.AttributeName]; !ok {
			defined := make([]string, 0, len(types))
			for name := range types {
				defined = append(defined, name)
			}
			slices.Sort(defined)
			return exception.InvalidValue("Some index key attributes are not defined in AttributeDefinitions. Keys: %s, AttributeDefinitions: %s", listed(namesOf(schema)), listed(defined))
		}
	}
	return nil
}

func namesOf(schema []Key) []string {
	names := make([]string, len(schema))
	for i, k := range schema {
		names[i] = k.AttributeName
	}
	return names
}

func listed(names []string) string { return "[" + strings.Join(names, ", ") + "]" }

// checkUsed wants every definition to be a key of something.
func (c *Create) checkUsed() error {
	used := namesOf(c.KeySchema)
	for _, list := range [][]Index{c.LocalSecondaryIndexes, c.GlobalSecondaryIndexes} {
		for i := range list {
			used = append(used, namesOf(list[i].KeySchema)...)
		}
	}
	slices.Sort(used)
	used = slices.Compact(used)
	if len(used) == len(c.AttributeDefinitions) {
		return nil
	}
	if len(c.LocalSecondaryIndexes)+len(c.GlobalSecondaryIndexes) == 0 {
		return exception.InvalidValue("Number of attributes in KeySchema does not exactly match number of attributes defined in AttributeDefinitions")
	}
	defined := make([]string, len(c.AttributeDefinitions))
	for i, d := range c.AttributeDefinitions {
		defined[i] = d.AttributeName
	}
	return exception.InvalidValue("Some AttributeDefinitions are not used. AttributeDefinitions: %s, keys used: %s", listed(defined), listed(used))
}

func (c *Create) checkIndexes(limits Limits, types map[string]string) error {
	switch locals, globals := c.LocalSecondaryIndexes, c.GlobalSecondaryIndexes; {
	case locals != nil && len(locals) == 0:
		return exception.InvalidValue("List of LocalSecondaryIndexes is empty")
	case globals != nil && len(globals) == 0:
		return exception.InvalidValue("List of GlobalSecondaryIndexes is empty")
	case len(locals) > 0 && len(c.KeySchema) < 2:
		return exception.InvalidValue("Table KeySchema does not have a range key, which is required when specifying a LocalSecondaryIndex")
	case len(locals) > limits.LocalIndexes:
		return exception.InvalidValue("Number of LocalSecondaryIndexes exceeds per-table limit of %d", limits.LocalIndexes)
	case len(globals) > limits.GlobalIndexes:
		return exception.InvalidValue("GlobalSecondaryIndex count exceeds the per-table limit of %d", limits.GlobalIndexes)
	}
	seen, included := map[string]bool{}, 0
	for i := range c.LocalSecondaryIndexes {
		x := &c.LocalSecondaryIndexes[i]
		if err := x.check(types, seen, false); err != nil {
			return err
		}
		if err := x.checkLocal(c.KeySchema[0].AttributeName); err != nil {
			return err
		}
		included += len(x.Projection.NonKeyAttributes)
	}
	for i := range c.GlobalSecondaryIndexes {
		x := &c.GlobalSecondaryIndexes[i]
		if err := x.check(types, seen, true); err != nil {
			return err
		}
		if err := x.checkThroughput(c.BillingMode); err != nil {
			return err
		}
		included += len(x.Projection.NonKeyAttributes)
	}
	if included > limits.IncludedNames {
		return exception.InvalidValue("Number of attributes projected by all INCLUDE projections, %d, exceeds the limit of %d", included, limits.IncludedNames)
	}
	return nil
}

// check judges what all indexes have.
func (x *Index) check(types map[string]string, seen map[string]bool, global bool) error {
	if err := checkKeys(x.KeySchema, global); err != nil {
		return err
	}
	if err := checkDefined(x.KeySchema, types); err != nil {
		return err
	}
	if seen[x.IndexName] {
		return exception.InvalidValue("Duplicate index name: %s", x.IndexName)
	}
	seen[x.IndexName] = true
	return x.Projection.check()
}

func (p *Projection) check() error {
	switch {
	case p.ProjectionType == "":
		return exception.InvalidValue("Unknown ProjectionType: null")
	case p.ProjectionType != "INCLUDE" && p.NonKeyAttributes != nil:
		return exception.InvalidValue("ProjectionType is %s, but NonKeyAttributes is specified", p.ProjectionType)
	case p.ProjectionType == "INCLUDE" && p.NonKeyAttributes == nil:
		return exception.InvalidValue("ProjectionType is INCLUDE, but NonKeyAttributes is not specified")
	}
	for i, name := range p.NonKeyAttributes {
		if name == "" || len(name) > nameLengthMax || slices.Contains(p.NonKeyAttributes[:i], name) {
			return exception.InvalidValue("NonKeyAttributes has the name %q twice, or it is not 1 to %d characters long", name, nameLengthMax)
		}
	}
	return nil
}

func (x *Index) checkLocal(tableHash string) error {
	if len(x.KeySchema) < 2 {
		return exception.InvalidValue("Index KeySchema does not have a range key for index: %s", x.IndexName)
	}
	if own := x.KeySchema[0].AttributeName; own != tableHash {
		return exception.InvalidValue("Index KeySchema does not have the same leading hash key as table KeySchema for index: %s. index hash key: %s, table hash key: %s", x.IndexName, own, tableHash)
	}
	return nil
}

func (x *Index) checkThroughput(billing string) error {
	switch {
	case billing == payPerRequest && x.ProvisionedThroughput != nil:
		return exception.InvalidValue("ProvisionedThroughput should not be specified for index: %s when BillingMode is PAY_PER_REQUEST", x.IndexName)
	case billing != payPerRequest && x.ProvisionedThroughput == nil:
		return exception.InvalidValue("ProvisionedThroughput is not specified for index: %s", x.IndexName)
	}
	return x.ProvisionedThroughput.check(x.IndexName)
}
