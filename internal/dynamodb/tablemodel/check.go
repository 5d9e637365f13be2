// SPDX-License-Identifier: Apache-2.0

package tablemodel

import (
	"slices"
	"strings"

	"github.com/weftdb/weft/internal/dynamodb/exception"
	"github.com/weftdb/weft/internal/security/permission"
)

// TableNameError judges the name of a table in a request about a table that is to be there.
func TableNameError(name *string) error {
	if name != nil && (len(*name) < nameLengthMin || len(*name) > nameLengthMax) {
		return exception.Validationf("TableName must be at least %d characters long and at most %d characters long",
			nameLengthMin, nameLengthMax)
	}
	return newNameError(name)
}

// newNameError judges the name of a table that is to be made, by itself. Of one that is too short or too long the
// letters are not looked at.
func newNameError(name *string) error {
	const member = "tableName"
	var faults constraints
	switch {
	case name == nil:
		return exception.Validationf("The parameter 'TableName' is required but was not present in the request")
	case len(*name) < nameLengthMin:
		faults.short(*name, member, nameLengthMin)
	case len(*name) > nameLengthMax:
		faults.long(*name, member, nameLengthMax)
	default:
		faults.name(name, member)
	}
	return faults.Err()
}

// check judges a request as a whole.
func (c *Create) check(limits Limits) error {
	billing := billingOr(c.BillingMode, provisioned)
	for _, judge := range []func() error{
		c.checkName,
		c.members,
		c.Elsewhere.check,
		func() error { return checkBilling(billing, c.ProvisionedThroughput) },
		func() error { return checkOnDemand(c.OnDemandThroughput, billing, "table") },
		func() error { return c.checkDefinitions(limits, billing) },
		c.StreamSpecification.check,
		func() error { return c.SSESpecification.Check(c.Within+"SSESpecification", limits.Encryption) },
		func() error { return checkTags(c.Tags, nil) },
		c.checkPolicy,
		func() error { return c.checkWarm() },
	} {
		if err := judge(); err != nil {
			return err
		}
	}
	return nil
}

// checkName judges the table's name before all else, unless the request holds it in another member.
func (c *Create) checkName() error {
	if c.Within != "" {
		return nil
	}
	return newNameError(c.TableName)
}

// billingOr is a billing mode that was given, or another.
func billingOr(given *string, otherwise string) string {
	if given == nil {
		return otherwise
	}
	return *given
}

// checkDefinitions checks keys, indexes and attribute definitions against each other.
func (c *Create) checkDefinitions(limits Limits, billing string) error {
	types, err := typesOf(c.attributes)
	if err != nil {
		return err
	}
	if err := c.checkTableKeys(types); err != nil {
		return err
	}
	if err := c.checkIndexes(limits, types, billing); err != nil {
		return err
	}
	return c.checkUsed()
}

func (c *Create) checkPolicy() error {
	if c.ResourcePolicy == nil {
		return nil
	}
	if _, err := permission.SetPolicy(nil, &permission.TablePolicy{Document: *c.ResourcePolicy}); err != nil {
		return InvalidPolicy(err)
	}
	return nil
}

func (c *Create) checkWarm() error {
	read, write := warmOf(nil, c.ProvisionedThroughput)
	if err := checkWarm(c.WarmThroughput, read, write, "table"); err != nil {
		return err
	}
	for i := range c.GlobalSecondaryIndexes {
		if err := c.GlobalSecondaryIndexes[i].checkWarm(); err != nil {
			return err
		}
	}
	return nil
}

func (x *IndexMember) checkWarm() error {
	read, write := warmOf(nil, x.ProvisionedThroughput)
	return checkWarm(x.WarmThroughput, read, write, "index "+x.name())
}

func (c *Create) checkIndexes(limits Limits, types map[string]string, billing string) error {
	if err := c.checkIndexCounts(limits); err != nil {
		return err
	}
	seen, included := map[string]bool{}, 0
	for i := range c.LocalSecondaryIndexes {
		x := &c.LocalSecondaryIndexes[i]
		if err := x.check(types, seen, c.keys[0].AttributeName); err != nil {
			return err
		}
		included += len(x.Projection.NonKeyAttributes)
	}
	for i := range c.GlobalSecondaryIndexes {
		x := &c.GlobalSecondaryIndexes[i]
		if err := x.check(types, seen, ""); err != nil {
			return err
		}
		if err := x.checkThroughput(billing); err != nil {
			return err
		}
		included += len(x.Projection.NonKeyAttributes)
	}
	return checkIncluded(included, limits)
}

func (c *Create) checkIndexCounts(limits Limits) error {
	switch locals, globals := c.LocalSecondaryIndexes, c.GlobalSecondaryIndexes; {
	case locals != nil && len(locals) == 0:
		return exception.InvalidValue("List of LocalSecondaryIndexes is empty")
	case globals != nil && len(globals) == 0:
		return exception.InvalidValue("List of GlobalSecondaryIndexes is empty")
	case len(locals) > 0 && len(c.keys) < 2:
		return exception.InvalidValue("Table KeySchema does not have a range key, which is required when specifying a LocalSecondaryIndex")
	case len(locals) > limits.LocalIndexes:
		return exception.InvalidValue("Number of LocalSecondaryIndexes exceeds per-table limit of %d",
			limits.LocalIndexes)
	}
	return checkGlobalCount(len(c.GlobalSecondaryIndexes), limits)
}

func checkGlobalCount(count int, limits Limits) error {
	if count > limits.GlobalIndexes {
		return exception.InvalidValue("GlobalSecondaryIndex count exceeds the per-table limit of %d",
			limits.GlobalIndexes)
	}
	return nil
}

// checkIncluded bounds the attributes that all projections of a table name. The text is from memory.
func checkIncluded(count int, limits Limits) error {
	if count > limits.IncludedNames {
		return exception.InvalidValue("Number of attributes projected by all INCLUDE projections, %d, exceeds the limit of %d", count, limits.IncludedNames)
	}
	return nil
}

// check judges what all indexes have: first the keys. localTo is the table's partition key for a local index, "" for a
// global one.
func (x *IndexMember) check(types map[string]string, seen map[string]bool, localTo string) error {
	if err := checkDefined(x.keys, types); err != nil {
		return err
	}
	if err := checkKeys(x.keys, localTo == ""); err != nil {
		return err
	}
	if localTo != "" {
		if err := x.checkLocal(localTo); err != nil {
			return err
		}
	}
	if seen[x.name()] {
		return exception.InvalidValue("Duplicate index name: %s", x.name())
	}
	seen[x.name()] = true
	return x.Projection.check()
}

func (p *ProjectionMember) check() error {
	switch {
	case p.ProjectionType == nil:
		return exception.InvalidValue("Unknown ProjectionType: null")
	case *p.ProjectionType != "INCLUDE" && p.NonKeyAttributes != nil:
		return exception.InvalidValue("ProjectionType is %s, but NonKeyAttributes is specified", *p.ProjectionType)
	case *p.ProjectionType == "INCLUDE" && p.NonKeyAttributes == nil:
		return exception.InvalidValue("ProjectionType is INCLUDE, but NonKeyAttributes is not specified")
	}
	names := p.includedNames()
	for i, name := range names {
		if slices.Contains(names[:i], name) { // the text is from memory
			return exception.InvalidValue("Duplicate attribute name in NonKeyAttributes: %s", name)
		}
	}
	return nil
}

func (x *IndexMember) checkLocal(tableHash string) error {
	if len(x.keys) < 2 {
		return exception.InvalidValue("Index KeySchema does not have a range key for index: %s", x.name())
	}
	if own := x.keys[0].AttributeName; own != tableHash {
		return exception.InvalidValue("Index KeySchema does not have the same leading hash key as table KeySchema for index: %s. index hash key: %s, table hash key: %s", x.name(), own, tableHash)
	}
	return nil
}

func (x *IndexMember) checkThroughput(billing string) error {
	switch {
	case billing == payPerRequest && x.ProvisionedThroughput != nil:
		return throughputOnDemand(x.name())
	case billing != payPerRequest && x.ProvisionedThroughput == nil:
		return exception.InvalidValue("ProvisionedThroughput is not specified for index: %s", x.name())
	}
	if err := x.ProvisionedThroughput.check(x.name()); err != nil {
		return err
	}
	return checkOnDemand(x.OnDemandThroughput, billing, "index "+x.name())
}

func throughputOnDemand(index string) error {
	return exception.InvalidValue("ProvisionedThroughput should not be specified for index: %s when BillingMode is PAY_PER_REQUEST", index)
}

// CheckStartName judges the table's name after which a list begins. One that is too short to be made through this API
// may have been made elsewhere and stand at the end of a page; it is taken.
func CheckStartName(faults *exception.Constraints, name string) {
	own := constraints{*faults}
	if name == "" || len(name) >= nameLengthMin || strings.IndexFunc(name, foreign) >= 0 {
		own.name(&name, "exclusiveStartTableName")
	}
	*faults = own.Constraints
}
