// SPDX-License-Identifier: Apache-2.0

package tablemodel

import (
	"slices"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/dynamodb/exception"
)

// Change is the effect of an UpdateTable.
type Change struct {
	// Settings is whether Apply has something to do.
	Settings   bool
	AddIndexes []database.IndexSpec
	// DropIndexes names the indexes to be removed.
	DropIndexes []string

	update *Update
}

// adds reports whether an index of that name is added.
func (c *Change) adds(index string) bool {
	return slices.ContainsFunc(c.AddIndexes, func(x database.IndexSpec) bool { return x.Name == index })
}

// Check judges the parts of a request that can be judged without the table.
func (u *Update) Check(limits Limits) error {
	for _, judge := range []func() error{
		func() error { return TableNameError(u.TableName) },
		u.members,
		u.Elsewhere.check,
		u.checkSomething,
		u.checkIndexUpdates,
		func() error { return u.ProvisionedThroughput.check("") },
		u.StreamSpecification.check,
		func() error { return u.SSESpecification.Check("SSESpecification", limits.Encryption) },
	} {
		if err := judge(); err != nil {
			return err
		}
	}
	return nil
}

// checkSomething wants a request that changes something.
func (u *Update) checkSomething() error {
	if !u.changesSettings() && len(u.GlobalSecondaryIndexUpdates) == 0 {
		return exception.Validationf("At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, GlobalSecondaryIndexUpdates or SSESpecification or ReplicaUpdates is required")
	}
	switch valueOf(u.BillingMode) {
	case payPerRequest:
		return checkBilling(payPerRequest, u.ProvisionedThroughput)
	case provisioned:
		if u.ProvisionedThroughput == nil {
			return exception.InvalidValue("ProvisionedThroughput must be specified when BillingMode is PROVISIONED")
		}
	}
	return nil
}

func (u *Update) checkIndexUpdates() error {
	seen := map[string]bool{}
	for i := range u.GlobalSecondaryIndexUpdates {
		change := &u.GlobalSecondaryIndexUpdates[i]
		if err := change.check(); err != nil {
			return err
		}
		name := change.name()
		if seen[name] {
			return exception.InvalidValue(
				"Only one global secondary index update per index is allowed simultaneously. Index: %s", name)
		}
		seen[name] = true
	}
	return nil
}

func (one *IndexUpdate) check() error {
	given := 0
	for _, is := range []bool{one.Create != nil, one.Delete != nil, one.Update != nil} {
		if is {
			given++
		}
	}
	switch {
	case given == 0:
		return exception.InvalidValue("One of GlobalSecondaryIndexUpdate.Update, GlobalSecondaryIndexUpdate.Create, GlobalSecondaryIndexUpdate.Delete must not be null")
	case given > 1: // the text is from memory
		return exception.InvalidValue("Only one of GlobalSecondaryIndexUpdate.Update, GlobalSecondaryIndexUpdate.Create, GlobalSecondaryIndexUpdate.Delete may be specified")
	// from memory
	case one.Update != nil && one.Update.ProvisionedThroughput == nil && one.Update.OnDemandThroughput == nil &&
		one.Update.WarmThroughput == nil:
		return exception.InvalidValue("ProvisionedThroughput, OnDemandThroughput or WarmThroughput must be specified for index: %s", one.name())
	}
	return nil
}

func (u *Update) changesSettings() bool {
	return u.DeletionProtectionEnabled != nil || u.takesTime()
}

// takesTime reports whether the table's settings change in a way that Amazon needs a while for.
func (u *Update) takesTime() bool {
	return u.BillingMode != nil || u.ProvisionedThroughput != nil || u.OnDemandThroughput != nil ||
		u.WarmThroughput != nil ||
		u.SSESpecification != nil || u.StreamSpecification != nil || u.TableClass != nil
}

// Against judges a request that Check has passed against the table.
func (u *Update) Against(table *schema.Table, limits Limits) (*Change, error) {
	online := u.online()
	most := max(1, limits.IndexChanges)
	if online > most {
		return nil, exception.New(exception.KindLimitExceeded,
			"Subscriber limit exceeded: Only 1 online index can be created or deleted simultaneously per table")
	}
	if err := u.settingsAgainst(table); err != nil {
		return nil, err
	}
	s, err := SettingsOf(table)
	if err != nil {
		return nil, err
	}
	change := &Change{Settings: u.changesSettings(), update: u}
	for i := range u.GlobalSecondaryIndexUpdates {
		one := &u.GlobalSecondaryIndexUpdates[i]
		if err := u.indexAgainst(one, table, billingOr(u.BillingMode, s.billing()), limits, change); err != nil {
			return nil, err
		}
	}
	if online == 1 && most == 1 && isChangingBeside(table, change.DropIndexes) {
		return nil, InUse(table.Name)
	}
	return change, nil
}

// online counts the indexes that a request makes or removes.
func (u *Update) online() (count int) {
	for i := range u.GlobalSecondaryIndexUpdates {
		if u.GlobalSecondaryIndexUpdates[i].Update == nil {
			count++
		}
	}
	return count
}

// InUse is the exception for a table on whose indexes work goes on.
func InUse(table string) error {
	return exception.New(exception.KindResourceInUse,
		"Attempt to change a resource which is still in use: Table is being updated: "+table)
}

// settingsAgainst judges what a request wants of the settings of the table and its indexes.
func (u *Update) settingsAgainst(table *schema.Table) error {
	s, err := SettingsOf(table)
	if err != nil {
		return err
	}
	billing := billingOr(u.BillingMode, s.billing())
	read, write := warmOf(s.Warm, s.Throughput)
	for _, judge := range []func() error{
		func() error { return u.checkThroughput(&s, billing) },
		func() error { return checkOnDemand(u.OnDemandThroughput, billing, "table") },
		func() error { return checkWarm(u.WarmThroughput, read, write, "table") },
		func() error { return u.StreamSpecification.against(table) },
		func() error { return u.indexSettingsAgainst(table, billing) },
	} {
		if err := judge(); err != nil {
			return err
		}
	}
	return nil
}

// checkThroughput wants no throughput on demand, and another one than there was.
func (u *Update) checkThroughput(s *Settings, billing string) error {
	if billing == payPerRequest && u.ProvisionedThroughput != nil {
		return checkBilling(billing, u.ProvisionedThroughput)
	}
	return u.ProvisionedThroughput.checkChange(s.Throughput, "table", "")
}

// indexSettingsAgainst judges the throughput of indexes: that of unknown ones by itself, since it is looked at before
// they are missed.
func (u *Update) indexSettingsAgainst(table *schema.Table, billing string) error {
	for i := range u.GlobalSecondaryIndexUpdates {
		if t := u.GlobalSecondaryIndexUpdates[i].Update; t != nil && !HasIndex(table, valueOf(t.IndexName)) {
			if err := t.ProvisionedThroughput.check(*t.IndexName); err != nil {
				return err
			}
		}
	}
	for _, x := range indexesOf(table) {
		s, err := settingsOfIndex(x)
		if err != nil {
			return err
		}
		if x.Local || u.drops(x.Name) {
			continue
		}
		given := u.throughputOf(x.Name)
		// the text is from memory
		if valueOf(u.BillingMode) == provisioned && s.Throughput == nil &&
			(given == nil || given.ProvisionedThroughput == nil) {
			return exception.InvalidValue("ProvisionedThroughput must be specified for index: %s", x.Name)
		}
		if given == nil {
			continue
		}
		if err := given.against(&s, billing); err != nil {
			return err
		}
	}
	return nil
}

func (t *IndexThroughput) against(s *indexSettings, billing string) error {
	name := *t.IndexName
	if billing == payPerRequest && t.ProvisionedThroughput != nil {
		return throughputOnDemand(name)
	}
	if err := t.ProvisionedThroughput.check(name); err != nil {
		return err
	}
	if err := t.ProvisionedThroughput.checkChange(s.Throughput, "index", name+" "); err != nil {
		return err
	}
	if err := checkOnDemand(t.OnDemandThroughput, billing, "index "+name); err != nil {
		return err
	}
	read, write := warmOf(s.Warm, s.Throughput)
	return checkWarm(t.WarmThroughput, read, write, "index "+name)
}

// throughputOf returns the index throughput that a request sets; nil is none.
func (u *Update) throughputOf(index string) *IndexThroughput {
	for i := range u.GlobalSecondaryIndexUpdates {
		if t := u.GlobalSecondaryIndexUpdates[i].Update; t != nil && valueOf(t.IndexName) == index {
			return t
		}
	}
	return nil
}

func (u *Update) drops(index string) bool {
	for i := range u.GlobalSecondaryIndexUpdates {
		if d := u.GlobalSecondaryIndexUpdates[i].Delete; d != nil && valueOf(d.IndexName) == index {
			return true
		}
	}
	return false
}

func (u *Update) indexAgainst(one *IndexUpdate, table *schema.Table, billing string, limits Limits,
	change *Change) error {
	index, exists := indexOf(table, one.name())
	switch {
	case one.Create != nil && exists:
		return exception.Validationf("Attempting to create an index which already exists")
	case one.Create != nil:
		spec, err := u.addedIndex(one.Create, table, billing, limits, change.AddIndexes)
		change.AddIndexes = append(change.AddIndexes, spec)
		return err
	case !exists || index.Local:
		return exception.New(exception.KindResourceNotFound, "Requested resource not found")
	case stateOf(index) == deleting:
		return exception.New(exception.KindResourceInUse,
			"Attempt to change a resource which is still in use: Index is being deleted: "+index.Name)
	case one.Delete != nil:
		change.DropIndexes = append(change.DropIndexes, index.Name)
		return nil
	}
	change.Settings = true
	return nil
}

// IsChanging reports whether an index is being built or removed.
func IsChanging(table *schema.Table) bool { return isChangingBeside(table, nil) }

// isChangingBeside is IsChanging but for some indexes.
func isChangingBeside(table *schema.Table, but []string) bool {
	return slices.ContainsFunc(indexesOf(table),
		func(x *schema.Index) bool { return !slices.Contains(but, x.Name) && stateOf(x) != active })
}

// stateOf is an index's state in DynamoDB's words.
func stateOf(x *schema.Index) string {
	switch {
	case x.State.Readable():
		return active
	case x.State == schema.Retiring || x.State == schema.Dropping:
		return deleting
	}
	return creating
}

// Edit returns an edit of a table's schema, as weft's Table.Edit runs it in a transaction. It judges the request
// once more, for another one may have come in between, and changes the settings kept in the table's schema and in those
// of its indexes.
func (c *Change) Edit(db *database.DB, nowMS int64) func(*schema.Table) error {
	return func(table *schema.Table) error {
		if err := c.update.settingsAgainst(table); err != nil {
			return err
		}
		edit := EditSettings(func(s *Settings) error {
			c.update.apply(s, nowMS)
			return nil
		})
		if err := edit(table); err != nil {
			return err
		}
		if err := c.update.StreamSpecification.edit(db, table); err != nil {
			return err
		}
		return c.update.applyToIndexes(table, nowMS)
	}
}

func (u *Update) apply(s *Settings, nowMS int64) {
	before := s.Throughput
	read, write := warmOf(s.Warm, before)
	if valueOf(u.BillingMode) == payPerRequest {
		if before != nil {
			s.OnDemandSinceMS = nowMS
		}
		s.Throughput = nil
	}
	if u.ProvisionedThroughput != nil {
		s.Throughput, s.OnDemand = u.ProvisionedThroughput, nil
	}
	s.History.note(before, s.Throughput, nowMS)
	s.Warm = warmAfter(u.WarmThroughput, read, write)
	s.OnDemand = s.OnDemand.with(u.OnDemandThroughput)
	s.Encryption = u.SSESpecification.after(s.Encryption)
	replace(&s.TableClass, valueOf(u.TableClass), u.TableClass != nil)
	replace(&s.DeletionRefused, valueOf(u.DeletionProtectionEnabled), u.DeletionProtectionEnabled != nil)
}

func (u *Update) applyToIndexes(table *schema.Table, nowMS int64) error {
	for _, x := range indexesOf(table) {
		given := u.throughputOf(x.Name)
		if x.Local || given == nil && u.BillingMode == nil {
			continue
		}
		s, err := settingsOfIndex(x)
		if err != nil {
			return err
		}
		u.applyToIndex(&s, given, nowMS)
		x.Dialect = keep(x.Dialect, &s)
	}
	return nil
}

func (u *Update) applyToIndex(s *indexSettings, given *IndexThroughput, nowMS int64) {
	before := s.Throughput
	read, write := warmOf(s.Warm, before)
	if valueOf(u.BillingMode) == payPerRequest {
		s.Throughput = nil
	}
	if valueOf(u.BillingMode) == provisioned {
		s.OnDemand = nil
	}
	if given == nil {
		given = &IndexThroughput{}
	}
	replace(&s.Throughput, given.ProvisionedThroughput, given.ProvisionedThroughput != nil)
	s.History.note(before, s.Throughput, nowMS)
	s.OnDemand = s.OnDemand.with(given.OnDemandThroughput)
	s.Warm = warmAfter(given.WarmThroughput, read, write)
}

func replace[T any](setting *T, by T, given bool) {
	if given {
		*setting = by
	}
}
