// SPDX-License-Identifier: Apache-2.0

package tablemodel

import (
	"encoding/json"

	"github.com/weftdb/weft/internal/dynamodb/exception"
)

// Create is the body of CreateTable. A nil member was not there; members of lists may be nil, too, until they were
// judged.
type Create struct {
	TableName                 *string
	AttributeDefinitions      []AttributeMember
	KeySchema                 []KeyMember
	LocalSecondaryIndexes     []IndexMember
	GlobalSecondaryIndexes    []IndexMember
	BillingMode               *string
	ProvisionedThroughput     *Throughput
	OnDemandThroughput        *OnDemand
	WarmThroughput            *Warm
	SSESpecification          *EncryptionMember
	StreamSpecification       *StreamSpecification
	TableClass                *string
	DeletionProtectionEnabled *bool
	ResourcePolicy            *string
	Tags                      []Tag
	Elsewhere

	// Within is the member of the request that holds these, with a dot behind it; "" for the request itself.
	Within string `json:"-"`

	attributes []Attribute // AttributeDefinitions once they were judged
	keys       []Key       // KeySchema once it was judged
}

// Update is the body of UpdateTable.
type Update struct {
	TableName                   *string
	AttributeDefinitions        []AttributeMember
	BillingMode                 *string
	ProvisionedThroughput       *Throughput
	OnDemandThroughput          *OnDemand
	WarmThroughput              *Warm
	SSESpecification            *EncryptionMember
	StreamSpecification         *StreamSpecification
	TableClass                  *string
	DeletionProtectionEnabled   *bool
	GlobalSecondaryIndexUpdates []IndexUpdate
	Elsewhere

	attributes []Attribute // AttributeDefinitions once they were judged
}

// Elsewhere are members whose work this server does not do. A request that asks for it is refused rather than half
// done.
type Elsewhere struct {
	ReplicaUpdates                     []json.RawMessage
	VectorIndexes                      []json.RawMessage
	VectorIndexUpdates                 []json.RawMessage
	GlobalTableWitnessUpdates          []json.RawMessage
	MultiRegionConsistency             *string
	GlobalTableSettingsReplicationMode *string
	GlobalTableSourceArn               *string
	DisassociationProtectionEnabled    *bool
}

// check refuses what this server does not do.
func (e *Elsewhere) check() error {
	const globalTables = "global tables"
	for _, one := range []struct {
		given      bool
		name, what string
	}{
		{len(e.ReplicaUpdates) > 0, "ReplicaUpdates", globalTables},
		{len(e.GlobalTableWitnessUpdates) > 0, "GlobalTableWitnessUpdates", globalTables},
		{e.MultiRegionConsistency != nil, "MultiRegionConsistency", globalTables},
		{e.GlobalTableSettingsReplicationMode != nil, "GlobalTableSettingsReplicationMode", globalTables},
		{e.GlobalTableSourceArn != nil, "GlobalTableSourceArn", globalTables},
		{valueOf(e.DisassociationProtectionEnabled), "DisassociationProtectionEnabled", globalTables},
		{len(e.VectorIndexes) > 0, "VectorIndexes", "vector indexes"},
		{len(e.VectorIndexUpdates) > 0, "VectorIndexUpdates", "vector indexes"},
	} {
		if one.given {
			return missing(one.name, one.what, "leave it out")
		}
	}
	return nil
}

// missing is the answer to a request for a feature that this server does not have; advice says what to do.
func missing(member, what, advice string) error {
	return exception.Validationf("%s: this server has no %s; %s", member, what, advice)
}

// AttributeMember is one of AttributeDefinitions as it was given.
type AttributeMember struct{ AttributeName, AttributeType *string }

// Attribute is one of AttributeDefinitions. The name may be an expression: see weft.Part.
type Attribute struct{ AttributeName, AttributeType string }

// KeyMember is one element of a KeySchema as it was given.
type KeyMember struct{ AttributeName, KeyType *string }

// Key is one element of a KeySchema.
type Key struct{ AttributeName, KeyType string }

// IndexMember is a local or global secondary index to be made.
type IndexMember struct {
	IndexName             *string
	KeySchema             []KeyMember
	Projection            *ProjectionMember
	ProvisionedThroughput *Throughput
	OnDemandThroughput    *OnDemand
	WarmThroughput        *Warm

	keys []Key // KeySchema once it was judged
}

// name is the index's name; "" if it has none.
func (x *IndexMember) name() string { return valueOf(x.IndexName) }

// ProjectionMember says which attributes an index carries, as it was given.
type ProjectionMember struct {
	ProjectionType   *string
	NonKeyAttributes []*string
}

// includedNames lists the attributes that are to be projected by name.
func (p *ProjectionMember) includedNames() []string {
	if p == nil {
		return nil
	}
	names := make([]string, len(p.NonKeyAttributes))
	for i, name := range p.NonKeyAttributes {
		names[i] = valueOf(name)
	}
	return names
}

// Projection says which attributes an index carries.
type Projection struct {
	ProjectionType   string
	NonKeyAttributes []string `json:",omitempty"`
}

// IndexUpdate is one of GlobalSecondaryIndexUpdates: one of its fields is to be set.
type IndexUpdate struct {
	Create *IndexMember
	Delete *struct{ IndexName *string }
	Update *IndexThroughput
}

// IndexThroughput is another throughput for an index that there is.
type IndexThroughput struct {
	IndexName             *string
	ProvisionedThroughput *Throughput
	OnDemandThroughput    *OnDemand
	WarmThroughput        *Warm
}

// name returns the index that the update is about.
func (u *IndexUpdate) name() string {
	switch {
	case u.Create != nil:
		return u.Create.name()
	case u.Delete != nil:
		return valueOf(u.Delete.IndexName)
	case u.Update != nil:
		return valueOf(u.Update.IndexName)
	}
	return ""
}

// Limits bound what a table may have, and how many names one answer of ListTables.
type Limits struct {
	GlobalIndexes, LocalIndexes, IncludedNames, TableList int
	// IndexChanges is the number of indexes that one UpdateTable may make and remove.
	IndexChanges int
	// TaggedIndexes says that tags may ask for indexes which AWS does not have.
	TaggedIndexes bool
	// Encryption says that requests for encryption are accepted, although nothing is encrypted.
	Encryption bool
}

// valueOf returns the value behind a pointer, the zero value for nil.
func valueOf[T any](p *T) (value T) {
	if p != nil {
		value = *p
	}
	return value
}

func givenAttributes(list []AttributeMember) []Attribute {
	attributes := make([]Attribute, len(list))
	for i, one := range list {
		attributes[i] = Attribute{valueOf(one.AttributeName), valueOf(one.AttributeType)}
	}
	return attributes
}

func givenKeys(list []KeyMember) []Key {
	keys := make([]Key, len(list))
	for i, one := range list {
		keys[i] = Key{valueOf(one.AttributeName), valueOf(one.KeyType)}
	}
	return keys
}
