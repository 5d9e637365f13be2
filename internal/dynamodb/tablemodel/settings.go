// SPDX-License-Identifier: Apache-2.0

package tablemodel

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/weftdb/weft/internal/data/schema"
)

const (
	payPerRequest = "PAY_PER_REQUEST"
	provisioned   = "PROVISIONED"
	standardClass = "STANDARD"
)

// Settings are the settings of a table that only DynamoDB has. Tables of all earlier versions must be read: members may
// be added, and none may change its name or meaning. Earlier versions kept encryption, stream, policies and
// pointInTimeRecovery, too, without doing what they ask for: these are passed over, and their names are taken.
type Settings struct {
	// Throughput is nil for PAY_PER_REQUEST.
	Throughput *Throughput `json:"throughput,omitempty"`
	History    history     `json:"throughputHistory,omitzero"`
	// OnDemandSinceMS is when the table became PAY_PER_REQUEST last, in Unix milliseconds; 0: never, or with its
	// creation.
	OnDemandSinceMS int64           `json:"onDemandSinceMS,omitempty"`
	OnDemand        *storedOnDemand `json:"onDemandThroughput,omitempty"`
	Warm            *Warm           `json:"warmThroughput,omitempty"`
	TableClass      string          `json:"tableClass,omitempty"`
	DeletionRefused bool            `json:"deletionProtection,omitempty"`
	Tags            []Tag           `json:"tags,omitempty"`
	Restored        *origin         `json:"restored,omitempty"` // nil: the table was made empty
	Encryption      *Encryption     `json:"acceptedEncryption,omitempty"`
	Insights        []Insight       `json:"contributorInsights,omitempty"`
}

// Insight is UpdateContributorInsights' setting of a table, or of one of its indexes.
type Insight struct {
	Index     string `json:"index,omitempty"` // "": the table
	On        bool   `json:"on,omitempty"`
	Mode      string `json:"mode"`
	ChangedMS int64  `json:"changedMS"`
}

// Status is the setting as descriptions show it.
func (i *Insight) Status() string {
	if i.On {
		return "ENABLED"
	}
	return "DISABLED"
}

// Insight returns the setting of the table or of an index, nil if it was never changed.
func (s *Settings) Insight(index string) *Insight {
	for i := range s.Insights {
		if s.Insights[i].Index == index {
			return &s.Insights[i]
		}
	}
	return nil
}

// SortedInsights are the settings in the order of the indexes' names, the table's first.
func (s *Settings) SortedInsights() []Insight {
	return slices.SortedFunc(slices.Values(s.Insights),
		func(x, y Insight) int { return strings.Compare(x.Index, y.Index) })
}

// SetInsight changes the setting of the table or of an index.
func (s *Settings) SetInsight(set Insight) {
	if before := s.Insight(set.Index); before != nil {
		*before = set
	} else {
		s.Insights = append(s.Insights, set)
	}
}

// indexSettings are the settings of an index.
type indexSettings struct {
	Throughput *Throughput     `json:"throughput,omitempty"`
	History    history         `json:"throughputHistory,omitzero"`
	OnDemand   *storedOnDemand `json:"onDemandThroughput,omitempty"`
	Warm       *Warm           `json:"warmThroughput,omitempty"`
}

// dialect is the name under which settings stand in a schema.
const dialect = "dynamodb"

// SettingsOf reads a table's settings. A table made elsewhere has the zero Settings.
func SettingsOf(table *schema.Table) (s Settings, err error) {
	err = read(table.Dialect, &s)
	return s, err
}

// EditSettings returns an edit of a table's schema, as weft's Table.Edit runs it in a transaction, that changes
// its settings. change may run more than once; its error ends the edit.
func EditSettings(change func(*Settings) error) func(*schema.Table) error {
	return func(table *schema.Table) error {
		s, err := SettingsOf(table)
		if err != nil {
			return err
		}
		if err := change(&s); err != nil {
			return err
		}
		table.Dialect = keep(table.Dialect, &s)
		return nil
	}
}

func settingsOfIndex(x *schema.Index) (s indexSettings, err error) {
	err = read(x.Dialect, &s)
	return s, err
}

func read(kept map[string]json.RawMessage, settings any) error {
	if text := kept[dialect]; text != nil {
		return json.Unmarshal(text, settings)
	}
	return nil
}

// keep puts settings into a schema's part for dialects.
func keep(kept map[string]json.RawMessage, settings any) map[string]json.RawMessage {
	if kept == nil {
		kept = map[string]json.RawMessage{}
	}
	text, err := json.Marshal(settings)
	if err != nil {
		panic(err) // lint:invariant settings are plain data
	}
	kept[dialect] = text
	return kept
}

func (s *Settings) billing() string {
	if s.Throughput == nil {
		return payPerRequest
	}
	return provisioned
}

// settings returns the settings of a new table.
func (c *Create) settings() *Settings {
	return &Settings{
		Throughput: c.ProvisionedThroughput, OnDemand: (*storedOnDemand)(nil).with(c.OnDemandThroughput),
		Warm:       c.WarmThroughput,
		TableClass: valueOf(c.TableClass), DeletionRefused: valueOf(c.DeletionProtectionEnabled),
		Tags:       mergeTags(nil, c.Tags),
		Encryption: c.SSESpecification.after(nil),
	}
}
