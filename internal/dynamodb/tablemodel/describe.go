// SPDX-License-Identifier: Apache-2.0

package tablemodel

import (
	"cmp"
	"encoding/json"
	"slices"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
)

// States of tables and indexes.
const (
	creating = "CREATING"
	active   = "ACTIVE"
	updating = "UPDATING"
	deleting = "DELETING"
)

// Sizes holds the sizes of a table and of its indexes, by name. Indexes may lack any.
type Sizes struct {
	Table   database.Estimate
	Indexes map[string]database.Estimate
}

// Description is a table as DescribeTable shows it.
type Description struct {
	AttributeDefinitions      []Attribute `json:",omitempty"`
	TableName                 string
	KeySchema                 []Key `json:",omitempty"`
	TableStatus               string
	CreationDateTime          seconds `json:",omitempty"`
	ProvisionedThroughput     *throughputDescription
	TableSizeBytes            int64
	ItemCount                 int64
	TableArn                  string
	TableID                   string              `json:"TableId"`
	BillingModeSummary        *billingDescription `json:",omitempty"`
	LocalSecondaryIndexes     []*indexDescription `json:",omitempty"`
	GlobalSecondaryIndexes    []*indexDescription `json:",omitempty"`
	TableClassSummary         *classDescription   `json:",omitempty"`
	DeletionProtectionEnabled bool
	OnDemandThroughput        *OnDemand              `json:",omitempty"`
	WarmThroughput            *warmDescription       `json:",omitempty"`
	RestoreSummary            *restoreSummary        `json:",omitempty"`
	SSEDescription            *encryptionDescription `json:",omitempty"`
	// The stream that is on, and the last one there was.
	StreamSpecification *StreamDescription `json:",omitempty"`
	LatestStreamLabel   string             `json:",omitempty"`
	LatestStreamArn     string             `json:",omitempty"`
}

type throughputDescription struct {
	LastIncreaseDateTime   seconds `json:",omitempty"`
	LastDecreaseDateTime   seconds `json:",omitempty"`
	NumberOfDecreasesToday int64
	ReadCapacityUnits      int64
	WriteCapacityUnits     int64
}

type billingDescription struct {
	BillingMode                       string
	LastUpdateToPayPerRequestDateTime seconds `json:",omitempty"`
}

type classDescription struct{ TableClass string }

type warmDescription struct {
	ReadUnitsPerSecond, WriteUnitsPerSecond int64
	Status                                  string
}

type indexDescription struct {
	IndexName             string
	KeySchema             []Key
	Projection            Projection
	IndexStatus           string                 `json:",omitempty"` // of global indexes
	Backfilling           *bool                  `json:",omitempty"`
	ProvisionedThroughput *throughputDescription `json:",omitempty"`
	IndexSizeBytes        int64
	ItemCount             int64
	IndexArn              string
	OnDemandThroughput    *OnDemand        `json:",omitempty"`
	WarmThroughput        *warmDescription `json:",omitempty"`
}

// seconds is a time in Unix milliseconds, shown in seconds.
type seconds int64

// MarshalJSON writes seconds with a fraction.
func (s seconds) MarshalJSON() ([]byte, error) { return json.Marshal(float64(s) / 1000) }

// Describe describes a table of an account at a time.
func Describe(table *schema.Table, account Account, sizes Sizes, nowMS int64) (*Description, error) {
	s, err := SettingsOf(table)
	if err != nil {
		return nil, err
	}
	d := &Description{
		AttributeDefinitions: attributesOf(table), TableName: table.Name, KeySchema: keysOf(&table.Primary),
		TableStatus:           active,
		CreationDateTime:      seconds(table.CreatedAtMS),
		ProvisionedThroughput: describeThroughput(s.Throughput, &s.History, nowMS),
		TableSizeBytes:        sizes.Table.Bytes, ItemCount: sizes.Table.Rows, TableArn: account.TableARN(table.Name),
		TableID: table.UUID,
	}
	if IsChanging(table) {
		d.TableStatus = updating
	}
	d.describeSettings(&s, table.CreatedAtMS)
	d.describeStream(table)
	for _, x := range indexesOf(table) {
		described, err := describeIndex(x, d.TableArn, sizes.Indexes[x.Name], nowMS)
		if err != nil {
			return nil, err
		}
		if x.Local {
			d.LocalSecondaryIndexes = append(d.LocalSecondaryIndexes, described)
		} else {
			d.GlobalSecondaryIndexes = append(d.GlobalSecondaryIndexes, described)
		}
	}
	return d, nil
}

func (d *Description) describeSettings(s *Settings, createdAtMS int64) {
	if s.Throughput == nil {
		since := s.OnDemandSinceMS
		since = cmp.Or(since, createdAtMS)
		d.BillingModeSummary = &billingDescription{payPerRequest, seconds(since)}
	} else if s.OnDemandSinceMS != 0 {
		d.BillingModeSummary = &billingDescription{provisioned, seconds(s.OnDemandSinceMS)}
	}
	if s.TableClass != "" {
		d.TableClassSummary = &classDescription{s.TableClass}
	}
	d.DeletionProtectionEnabled = s.DeletionRefused
	if r := s.Restored; r != nil {
		d.RestoreSummary = &restoreSummary{SourceBackupArn: r.BackupArn, SourceTableArn: r.TableArn,
			RestoreDateTime: seconds(r.AtMS)}
	}
	d.OnDemandThroughput, d.SSEDescription = s.OnDemand.describe(), s.Encryption.describe()
	d.WarmThroughput = describeWarm(s.Warm, s.Throughput, active)
}

// MarkCreating makes it the description of a table that was made a moment ago.
func (d *Description) MarkCreating() {
	d.TableStatus, d.WarmThroughput.Status = creating, creating
	if d.BillingModeSummary != nil {
		d.BillingModeSummary.LastUpdateToPayPerRequestDateTime = 0
	}
	for _, x := range d.GlobalSecondaryIndexes {
		x.IndexStatus, x.WarmThroughput.Status = creating, creating
	}
}

// MarkChanging makes a description of the table in between, with indexes that were added and still with those which are
// removed, that of a table on which the work has just begun: with the settings that it will have, but the throughput
// that it has. after is the table's schema after the change.
func (d *Description) MarkChanging(change *Change, after *schema.Table) error {
	s, err := SettingsOf(after)
	if err != nil {
		return err
	}
	d.describeSettings(&s, after.CreatedAtMS)
	d.describeStream(after)
	if change.update.takesTime() || len(change.update.GlobalSecondaryIndexUpdates) > 0 {
		d.TableStatus = updating
	}
	if change.update.WarmThroughput != nil {
		d.WarmThroughput.Status = updating
	}
	for _, x := range d.GlobalSecondaryIndexes {
		switch {
		case change.adds(x.IndexName):
			x.IndexStatus, x.Backfilling, x.WarmThroughput.Status = creating, new(bool), creating
			x.IndexSizeBytes, x.ItemCount = 0, 0 // a small one may be there already
		case slices.Contains(change.DropIndexes, x.IndexName):
			x.IndexStatus, x.Backfilling = deleting, nil
		case change.update.throughputOf(x.IndexName) != nil:
			x.IndexStatus = updating
		}
	}
	return nil
}

// MarkDeleting makes it the description of a table that is gone, which has no keys and indexes any more.
func (d *Description) MarkDeleting() {
	d.TableStatus, d.CreationDateTime, d.WarmThroughput = deleting, 0, nil
	d.AttributeDefinitions, d.KeySchema, d.LocalSecondaryIndexes, d.GlobalSecondaryIndexes = nil, nil, nil, nil
}

func describeIndex(x *schema.Index, tableARN string, size database.Estimate, nowMS int64) (*indexDescription, error) {
	s, err := settingsOfIndex(x)
	if err != nil {
		return nil, err
	}
	d := &indexDescription{
		IndexName: x.Name, KeySchema: keysOf(x), Projection: projectionOf(x), IndexSizeBytes: size.Bytes,
		ItemCount: size.Rows,
		IndexArn:  tableARN + "/index/" + x.Name,
	}
	if x.Local {
		return d, nil
	}
	d.ProvisionedThroughput = describeThroughput(s.Throughput, &s.History, nowMS)
	d.OnDemandThroughput = s.OnDemand.describe()
	d.IndexStatus = stateOf(x)
	d.WarmThroughput = describeWarm(s.Warm, s.Throughput, d.IndexStatus)
	if d.IndexStatus == creating {
		backfilling := x.State == schema.Backfill
		d.Backfilling = &backfilling
		d.IndexSizeBytes, d.ItemCount = 0, 0 // AWS counts an index once it is there
	}
	return d, nil
}

// KeySchema is the key of a table.
func KeySchema(table *schema.Table) []Key { return keysOf(&table.Primary) }

func keysOf(x *schema.Index) []Key {
	visible := x.Stated()
	keys := make([]Key, len(visible))
	for i := range visible {
		keys[i] = Key{visible[i].Name, "RANGE"}
		if i < x.PartitionParts {
			keys[i].KeyType = "HASH"
		}
	}
	return keys
}

func projectionOf(x *schema.Index) Projection {
	switch x.Projection {
	case schema.ProjectKeys:
		return Projection{ProjectionType: "KEYS_ONLY"}
	case schema.ProjectInclude:
		return Projection{ProjectionType: "INCLUDE", NonKeyAttributes: x.Include}
	}
	return Projection{ProjectionType: "ALL"}
}

// describeThroughput shows zeros for PAY_PER_REQUEST.
func describeThroughput(t *Throughput, h *history, nowMS int64) *throughputDescription {
	d := &throughputDescription{
		LastIncreaseDateTime: seconds(h.IncreasedAtMS), LastDecreaseDateTime: seconds(h.DecreasedAtMS),
		NumberOfDecreasesToday: h.decreasesOn(nowMS),
	}
	if t != nil {
		d.ReadCapacityUnits, d.WriteCapacityUnits = *t.ReadCapacityUnits, *t.WriteCapacityUnits
	}
	return d
}

func describeWarm(kept *Warm, t *Throughput, status string) *warmDescription {
	read, write := warmOf(kept, t)
	return &warmDescription{read, write, status}
}
