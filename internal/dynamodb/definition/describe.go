// SPDX-License-Identifier: Apache-2.0

package definition

import (
	"encoding/json"

	"github.com/weftdb/weft"
	"github.com/weftdb/weft/internal/schema"
)

// States of tables and indexes.
const (
	creating = "CREATING"
	active   = "ACTIVE"
	updating = "UPDATING"
	deleting = "DELETING"
)

// Sizes is how much a table and its indexes, by name, hold. Indexes may lack any.
type Sizes struct {
	Table   weft.Estimate
	Indexes map[string]weft.Estimate
}

// Description is a table as DescribeTable shows it.
type Description struct {
	AttributeDefinitions      []Attribute `json:",omitempty"`
	TableName                 string
	KeySchema                 []Key `json:",omitempty"`
	TableStatus               string
	CreationDateTime          seconds
	ProvisionedThroughput     *throughputDescription
	TableSizeBytes            int64
	ItemCount                 int64
	TableArn                  string
	TableID                   string              `json:"TableId"`
	BillingModeSummary        *billingDescription `json:",omitempty"`
	LocalSecondaryIndexes     []*indexDescription `json:",omitempty"`
	GlobalSecondaryIndexes    []*indexDescription `json:",omitempty"`
	SSEDescription            *sseDescription     `json:",omitempty"`
	TableClassSummary         *classDescription   `json:",omitempty"`
	DeletionProtectionEnabled bool
	OnDemandThroughput        json.RawMessage `json:",omitempty"`
	WarmThroughput            *Warm           `json:",omitempty"`
}

type throughputDescription struct {
	NumberOfDecreasesToday, ReadCapacityUnits, WriteCapacityUnits int64
}

type billingDescription struct {
	BillingMode                       string
	LastUpdateToPayPerRequestDateTime seconds `json:",omitempty"`
}

type sseDescription struct {
	Status, SSEType string
	KMSMasterKeyArn string `json:",omitempty"`
}

type classDescription struct{ TableClass string }

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
	OnDemandThroughput    json.RawMessage `json:",omitempty"`
	WarmThroughput        *Warm           `json:",omitempty"`
}

// seconds is a time in Unix milliseconds, shown in seconds.
type seconds int64

// MarshalJSON writes seconds with a fraction.
func (s seconds) MarshalJSON() ([]byte, error) { return json.Marshal(float64(s) / 1000) }

// Describe describes a table. arn is the table's.
func Describe(table *weft.Descriptor, arn string, sizes Sizes) (*Description, error) {
	s, err := SettingsOf(table)
	if err != nil {
		return nil, err
	}
	d := &Description{
		AttributeDefinitions: attributesOf(table), TableName: table.Name, KeySchema: keysOf(&table.Primary), TableStatus: active,
		CreationDateTime: seconds(table.CreatedAtMS), ProvisionedThroughput: describeThroughput(s.Throughput),
		TableSizeBytes: sizes.Table.Bytes, ItemCount: sizes.Table.Rows, TableArn: arn, TableID: table.UUID,
		DeletionProtectionEnabled: s.DeletionRefused, OnDemandThroughput: s.OnDemand, WarmThroughput: s.Warm.described(),
	}
	if isChanging(table) {
		d.TableStatus = updating
	}
	d.describeSettings(&s, table.CreatedAtMS)
	for i := range table.Indexes {
		x := &table.Indexes[i]
		described, err := describeIndex(x, arn, sizes.Indexes[x.Name])
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
		if since == 0 {
			since = createdAtMS
		}
		d.BillingModeSummary = &billingDescription{payPerRequest, seconds(since)}
	} else if s.OnDemandSinceMS != 0 {
		d.BillingModeSummary = &billingDescription{provisioned, seconds(s.OnDemandSinceMS)}
	}
	if s.Encryption != nil && s.Encryption.Enabled {
		d.SSEDescription = &sseDescription{"ENABLED", "KMS", s.Encryption.KMSMasterKeyID}
	}
	if s.TableClass != "" {
		d.TableClassSummary = &classDescription{s.TableClass}
	}
}

// Created makes it the description of a table that was made a moment ago.
func (d *Description) Created() {
	d.TableStatus = creating
	for _, x := range d.GlobalSecondaryIndexes {
		x.IndexStatus = creating
	}
}

// Begun makes it the description of a table on whose indexes work has begun.
func (d *Description) Begun(change *Change) {
	for _, x := range d.GlobalSecondaryIndexes {
		switch {
		case change.AddIndex != nil && x.IndexName == change.AddIndex.Name:
			x.IndexStatus, x.Backfilling, d.TableStatus = creating, new(bool), updating
		case change.DropIndex != "" && x.IndexName == change.DropIndex:
			x.IndexStatus, x.Backfilling, d.TableStatus = deleting, nil, updating
		}
	}
}

// Deleted makes it the description of a table that is gone, which has no keys and indexes any more.
func (d *Description) Deleted() {
	d.TableStatus = deleting
	d.AttributeDefinitions, d.KeySchema, d.LocalSecondaryIndexes, d.GlobalSecondaryIndexes = nil, nil, nil, nil
}

func describeIndex(x *weft.Index, tableARN string, size weft.Estimate) (*indexDescription, error) {
	var s indexSettings
	if kept := x.Dialect[dialect]; kept != nil {
		if err := json.Unmarshal(kept, &s); err != nil {
			return nil, err
		}
	}
	d := &indexDescription{
		IndexName: x.Name, KeySchema: keysOf(x), Projection: projectionOf(x), IndexSizeBytes: size.Bytes, ItemCount: size.Rows,
		IndexArn: tableARN + "/index/" + x.Name, OnDemandThroughput: s.OnDemand, WarmThroughput: s.Warm.described(),
	}
	if x.Local {
		return d, nil
	}
	d.ProvisionedThroughput = describeThroughput(s.Throughput)
	d.IndexStatus = stateOf(x)
	if d.IndexStatus == creating {
		backfilling := x.State == schema.Backfill
		d.Backfilling = &backfilling
	}
	return d, nil
}

// stateOf is an index's state in DynamoDB's words.
func stateOf(x *weft.Index) string {
	switch {
	case x.State.Readable():
		return active
	case x.State == schema.Retiring || x.State == schema.Dropping:
		return deleting
	}
	return creating
}

func keysOf(x *weft.Index) []Key {
	visible := x.Visible()
	keys := make([]Key, len(visible))
	for i := range visible {
		keys[i] = Key{visible[i].Name, "RANGE"}
		if i < x.PartitionParts {
			keys[i].KeyType = "HASH"
		}
	}
	return keys
}

func projectionOf(x *weft.Index) Projection {
	switch x.Projection {
	case weft.ProjectKeys:
		return Projection{ProjectionType: "KEYS_ONLY"}
	case weft.ProjectInclude:
		return Projection{ProjectionType: "INCLUDE", NonKeyAttributes: x.Include}
	}
	return Projection{ProjectionType: "ALL"}
}

// describeThroughput shows zeros for PAY_PER_REQUEST.
func describeThroughput(t *Throughput) *throughputDescription {
	if t == nil {
		return &throughputDescription{}
	}
	return &throughputDescription{ReadCapacityUnits: *t.ReadCapacityUnits, WriteCapacityUnits: *t.WriteCapacityUnits}
}

func (w *Warm) described() *Warm {
	if w == nil {
		return nil
	}
	return &Warm{w.ReadUnitsPerSecond, w.WriteUnitsPerSecond, active}
}
