// SPDX-License-Identifier: Apache-2.0

package definition

import (
	"encoding/json"

	"github.com/weftdb/weft"
)

const (
	payPerRequest = "PAY_PER_REQUEST"
	provisioned   = "PROVISIONED"
)

// Settings are what is kept of a table for DynamoDB alone.
type Settings struct {
	// Throughput is nil for PAY_PER_REQUEST.
	Throughput *Throughput `json:"throughput,omitempty"`
	// OnDemandSinceMS is when the table became PAY_PER_REQUEST last, in Unix milliseconds; 0: never, or with its creation.
	OnDemandSinceMS int64           `json:"onDemandSinceMS,omitempty"`
	OnDemand        json.RawMessage `json:"onDemandThroughput,omitempty"`
	Warm            *Warm           `json:"warmThroughput,omitempty"`
	Encryption      *Encryption     `json:"encryption,omitempty"`
	TableClass      string          `json:"tableClass,omitempty"`
	DeletionRefused bool            `json:"deletionProtection,omitempty"`
	Tags            []Tag           `json:"tags,omitempty"`
}

// indexSettings are what is kept of an index.
type indexSettings struct {
	Throughput *Throughput     `json:"throughput,omitempty"`
	OnDemand   json.RawMessage `json:"onDemandThroughput,omitempty"`
	Warm       *Warm           `json:"warmThroughput,omitempty"`
}

// SettingsOf reads a table's settings. A table made elsewhere has the zero Settings.
func SettingsOf(table *weft.Descriptor) (s Settings, err error) {
	if kept := table.Dialect[dialect]; kept != nil {
		err = json.Unmarshal(kept, &s)
	}
	return s, err
}

func (s *Settings) billing() string {
	if s.Throughput == nil {
		return payPerRequest
	}
	return provisioned
}

func (s *Settings) keep(kept map[string]json.RawMessage) map[string]json.RawMessage {
	return keep(kept, s)
}

func (s *indexSettings) keep(kept map[string]json.RawMessage) map[string]json.RawMessage {
	return keep(kept, s)
}

func (c *Create) settings() *Settings {
	return &Settings{
		Throughput: c.ProvisionedThroughput, OnDemand: c.OnDemandThroughput, Warm: c.WarmThroughput, Encryption: c.SSESpecification,
		TableClass: c.TableClass, DeletionRefused: c.DeletionProtectionEnabled, Tags: c.Tags,
	}
}
