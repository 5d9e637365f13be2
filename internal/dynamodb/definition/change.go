// SPDX-License-Identifier: Apache-2.0

package definition

import (
	"encoding/json"

	"github.com/weftdb/weft"
	"github.com/weftdb/weft/internal/dynamodb/exception"
)

// Change is what an UpdateTable comes to.
type Change struct {
	// Settings is whether Apply has something to do.
	Settings bool
	AddIndex *weft.IndexSpec
	// DropIndex names the index to be removed; "" is none.
	DropIndex string

	update *Update
	nowMS  int64
}

// Check judges the parts of a request that can be judged without the table.
func (u *Update) Check() error {
	if err := TableNameError(u.TableName); err != nil {
		return err
	}
	if err := u.members(); err != nil {
		return err
	}
	if err := u.Elsewhere.check(); err != nil {
		return err
	}
	if !u.changesSettings() && len(u.GlobalSecondaryIndexUpdates) == 0 && u.StreamSpecification == nil {
		return exception.Validationf("At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, GlobalSecondaryIndexUpdates or SSESpecification or ReplicaUpdates is required")
	}
	if u.BillingMode == payPerRequest && u.ProvisionedThroughput != nil {
		return checkBilling(payPerRequest, u.ProvisionedThroughput)
	}
	seen := map[string]bool{}
	for i := range u.GlobalSecondaryIndexUpdates {
		change := &u.GlobalSecondaryIndexUpdates[i]
		if change.Create == nil && change.Delete == nil && change.Update == nil {
			return exception.InvalidValue("One of GlobalSecondaryIndexUpdate's Update, Create and Delete is required")
		}
		name := change.name()
		if seen[name] {
			return exception.InvalidValue("Only one global secondary index update per index is allowed simultaneously. Index: %s", name)
		}
		seen[name] = true
	}
	return u.ProvisionedThroughput.check("")
}

func (u *Update) changesSettings() bool {
	return u.BillingMode != "" || u.ProvisionedThroughput != nil || u.OnDemandThroughput != nil || u.WarmThroughput != nil ||
		u.SSESpecification != nil || u.TableClass != "" || u.DeletionProtectionEnabled != nil
}

// Against judges a request that Check has passed against the table.
func (u *Update) Against(table *weft.Descriptor, limits Limits, nowMS int64) (*Change, error) {
	settings, err := SettingsOf(table)
	if err != nil {
		return nil, err
	}
	change := &Change{Settings: u.changesSettings(), update: u, nowMS: nowMS}
	billing := u.BillingMode
	if billing == "" {
		billing = settings.billing()
	}
	if err := u.checkThroughput(&settings, billing); err != nil {
		return nil, err
	}
	online := 0
	for i := range u.GlobalSecondaryIndexUpdates {
		err := u.indexAgainst(&u.GlobalSecondaryIndexUpdates[i], table, billing, limits, change)
		if err != nil {
			return nil, err
		}
		if u.GlobalSecondaryIndexUpdates[i].Update == nil {
			online++
		}
	}
	if online > 1 {
		return nil, exception.Modelled("LimitExceededException", "Subscriber limit exceeded: Only 1 online index can be created or deleted simultaneously per table")
	}
	if change.AddIndex != nil && isChanging(table) {
		return nil, exception.Modelled("ResourceInUseException", "Attempt to change a resource which is still in use: Table is being updated: "+table.Name)
	}
	return change, nil
}

// checkThroughput wants new throughput where there was none, and another one where there was.
func (u *Update) checkThroughput(settings *Settings, billing string) error {
	given, had := u.ProvisionedThroughput, settings.Throughput
	switch {
	case billing == provisioned && had == nil && given == nil, billing == payPerRequest && given != nil:
		return checkBilling(billing, given)
	case given != nil && had != nil && *given.ReadCapacityUnits == *had.ReadCapacityUnits && *given.WriteCapacityUnits == *had.WriteCapacityUnits && u.BillingMode == "":
		return exception.Validationf("The provisioned throughput for the table will not change. The requested value equals the current value. "+
			"Current ReadCapacityUnits provisioned for the table: %d. Requested ReadCapacityUnits: %d. "+
			"Current WriteCapacityUnits provisioned for the table: %d. Requested WriteCapacityUnits: %d. "+
			"Refer to the Amazon DynamoDB Developer Guide for current limits and how to request higher limits.",
			*had.ReadCapacityUnits, *given.ReadCapacityUnits, *had.WriteCapacityUnits, *given.WriteCapacityUnits)
	}
	return nil
}

func (u *Update) indexAgainst(one *IndexUpdate, table *weft.Descriptor, billing string, limits Limits, change *Change) error {
	index, exists := table.Index(one.name())
	switch {
	case one.Create != nil && exists:
		return exception.Validationf("Attempting to create an index which already exists")
	case one.Create != nil:
		spec, err := u.addedIndex(one.Create, table, billing, limits)
		change.AddIndex = &spec
		return err
	case !exists || index.Local:
		return exception.Modelled("ResourceNotFoundException", "Requested resource not found")
	case one.Delete != nil && stateOf(index) == deleting:
		return exception.Modelled("ResourceInUseException", "Attempt to change a resource which is still in use: Index is being deleted: "+index.Name)
	case one.Delete != nil:
		change.DropIndex = index.Name
		return nil
	}
	change.Settings = true
	if err := one.Update.ProvisionedThroughput.check(index.Name); err != nil {
		return err
	}
	if billing == payPerRequest && one.Update.ProvisionedThroughput != nil {
		return exception.InvalidValue("ProvisionedThroughput should not be specified for index: %s when BillingMode is PAY_PER_REQUEST", index.Name)
	}
	return nil
}

// isChanging says whether an index is being built or removed.
func isChanging(table *weft.Descriptor) bool {
	for i := range table.Indexes {
		if stateOf(&table.Indexes[i]) != active {
			return true
		}
	}
	return false
}

// Apply changes the settings kept in the table's schema and in those of its indexes.
func (c *Change) Apply(table *weft.Descriptor) error {
	s, err := SettingsOf(table)
	if err != nil {
		return err
	}
	u := c.update
	if u.BillingMode == payPerRequest && s.Throughput != nil {
		s.OnDemandSinceMS = c.nowMS
	}
	if u.BillingMode == payPerRequest {
		s.Throughput = nil
	}
	if u.ProvisionedThroughput != nil {
		s.Throughput, s.OnDemand = u.ProvisionedThroughput, nil
	}
	replace(&s.OnDemand, u.OnDemandThroughput, u.OnDemandThroughput != nil)
	replace(&s.Warm, u.WarmThroughput, u.WarmThroughput != nil)
	replace(&s.Encryption, u.SSESpecification, u.SSESpecification != nil)
	replace(&s.TableClass, u.TableClass, u.TableClass != "")
	if u.DeletionProtectionEnabled != nil {
		s.DeletionRefused = *u.DeletionProtectionEnabled
	}
	table.Dialect = s.keep(table.Dialect)
	return c.applyToIndexes(table)
}

func (c *Change) applyToIndexes(table *weft.Descriptor) error {
	for i := range table.Indexes {
		x := &table.Indexes[i]
		var s indexSettings
		if kept := x.Dialect[dialect]; kept != nil {
			if err := json.Unmarshal(kept, &s); err != nil {
				return err
			}
		}
		if c.update.BillingMode == payPerRequest {
			s.Throughput = nil
		}
		for j := range c.update.GlobalSecondaryIndexUpdates {
			u := c.update.GlobalSecondaryIndexUpdates[j].Update
			if u == nil || u.IndexName != x.Name {
				continue
			}
			replace(&s.Throughput, u.ProvisionedThroughput, u.ProvisionedThroughput != nil)
			replace(&s.OnDemand, u.OnDemandThroughput, u.OnDemandThroughput != nil)
			replace(&s.Warm, u.WarmThroughput, u.WarmThroughput != nil)
		}
		x.Dialect = s.keep(x.Dialect)
	}
	return nil
}

func replace[T any](setting *T, by T, given bool) {
	if given {
		*setting = by
	}
}
