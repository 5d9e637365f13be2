// SPDX-License-Identifier: Apache-2.0

package storecommand

import "time"

// outcome is the output of verify, import and export with --json.
type outcome struct {
	Tables  []tableOutcome `json:"tables"`
	Rows    int64          `json:"rows"`
	Entries int64          `json:"indexEntries"` // an export has none
	Faults  int64          `json:"faults"`       // that verify found, or records that an import refused
	Seconds float64        `json:"seconds"`

	begun time.Time
}

// tableOutcome is the result for one table.
type tableOutcome struct {
	Table    string   `json:"table"` // [DATABASE.]NAME
	Records  int64    `json:"records,omitzero"`
	Rows     int64    `json:"rows"`
	Entries  int64    `json:"indexEntries,omitzero"`
	Refused  int64    `json:"refused,omitzero"`  // records of an import
	Ingested bool     `json:"ingested,omitzero"` // an import made the rows visible in one step
	Faults   []string `json:"faults,omitempty"`
	More     int64    `json:"moreFaults,omitzero"` // that are not in the list
	Advice   string   `json:"advice,omitempty"`    // about the key
}

func newOutcome() *outcome { return &outcome{Tables: []tableOutcome{}, begun: time.Now()} }

// add counts a table.
func (o *outcome) add(t tableOutcome) {
	o.Tables = append(o.Tables, t)
	o.Rows += t.Rows
	o.Entries += t.Entries
	o.Faults += t.Refused + int64(len(t.Faults)) + t.More
	o.Seconds = time.Since(o.begun).Seconds()
}
