// SPDX-License-Identifier: Apache-2.0

package definition

import "encoding/json"

// Create is the body of CreateTable.
type Create struct {
	TableName                 *string
	AttributeDefinitions      []Attribute
	KeySchema                 []Key
	LocalSecondaryIndexes     []Index
	GlobalSecondaryIndexes    []Index
	BillingMode               string
	ProvisionedThroughput     *Throughput
	OnDemandThroughput        json.RawMessage
	WarmThroughput            *Warm
	SSESpecification          *Encryption
	TableClass                string
	DeletionProtectionEnabled bool
	Tags                      []Tag
	Elsewhere
}

// Update is the body of UpdateTable.
type Update struct {
	TableName                   *string
	AttributeDefinitions        []Attribute
	BillingMode                 string
	ProvisionedThroughput       *Throughput
	OnDemandThroughput          json.RawMessage
	WarmThroughput              *Warm
	SSESpecification            *Encryption
	TableClass                  string
	DeletionProtectionEnabled   *bool
	GlobalSecondaryIndexUpdates []IndexUpdate
	Elsewhere
}

// Elsewhere are members whose work this server does not do. A request that asks for it is refused rather than half done.
type Elsewhere struct {
	StreamSpecification *struct{ StreamEnabled bool }
	ResourcePolicy      json.RawMessage
	ReplicaUpdates      []json.RawMessage
	VectorIndexes       []json.RawMessage
}

// Attribute is one of AttributeDefinitions. The name may be an expression: see weft.Part.
type Attribute struct{ AttributeName, AttributeType string }

// Key is one element of a KeySchema.
type Key struct{ AttributeName, KeyType string }

// Index is a local or global secondary index to be made.
type Index struct {
	IndexName             string
	KeySchema             []Key
	Projection            *Projection
	ProvisionedThroughput *Throughput
	OnDemandThroughput    json.RawMessage
	WarmThroughput        *Warm
}

// Projection says which attributes an index carries.
type Projection struct {
	ProjectionType   string   `json:",omitempty"`
	NonKeyAttributes []string `json:",omitempty"`
}

// Throughput is provisioned throughput. It is kept and described, and limits nothing.
type Throughput struct{ ReadCapacityUnits, WriteCapacityUnits *int64 }

// Warm is warm throughput: kept and described, too.
type Warm struct {
	ReadUnitsPerSecond, WriteUnitsPerSecond int64
	Status                                  string `json:",omitempty"`
}

// Encryption is the specification of encryption at rest as it was given.
type Encryption struct {
	Enabled        bool
	SSEType        string `json:",omitempty"`
	KMSMasterKeyID string `json:"KMSMasterKeyId,omitempty"`
}

// Tag is a name and a text that go with a table.
type Tag struct{ Key, Value string }

// IndexUpdate is one of GlobalSecondaryIndexUpdates: exactly one of its fields is set.
type IndexUpdate struct {
	Create *Index
	Delete *struct{ IndexName string }
	Update *struct {
		IndexName             string
		ProvisionedThroughput *Throughput
		OnDemandThroughput    json.RawMessage
		WarmThroughput        *Warm
	}
}

// name returns the index that the update is about.
func (u *IndexUpdate) name() string {
	switch {
	case u.Create != nil:
		return u.Create.IndexName
	case u.Delete != nil:
		return u.Delete.IndexName
	case u.Update != nil:
		return u.Update.IndexName
	}
	return ""
}

// Limits bound what a table may have, and how many names one answer of ListTables.
type Limits struct{ GlobalIndexes, LocalIndexes, IncludedNames, TableList int }
