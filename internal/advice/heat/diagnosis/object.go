// SPDX-License-Identifier: Apache-2.0

package diagnosis

import (
	"fmt"
	"slices"
)

// Object is a table or an index and what was asked of it.
type Object struct {
	Table, Index string   // Index is empty for the table itself
	Key          []Column // the parts of the key, but for a hidden hash
	Partition    int      // how many of them are DynamoDB's partition key; 0: one
	Columns      []Column // that the table declares besides its key
	Hashed       bool     // spread by a hash of the partition key
	Moments      []Moment // oldest first, one for each minute or so; the last may not be over yet
	Borders      []Key    // where regions begin, ascending
	Preset       int      // how many of them were there before the rows
}

// Column is a column of a table, or a computed part of a key.
type Column struct {
	Name string
	Type string // as SQL spells it
	Call string // of a computed part, how it is written, such as hash8(id); else empty
}

// Key is a key twice: as bytes that compare as it does, and as its columns' values for people.
type Key struct {
	Bytes string
	Parts []string
}

// Moment is a stretch of time. Tops and the samples may be missing from moments that are long gone.
type Moment struct {
	From, To      int64 // Unix milliseconds
	Reads, Writes float64
	Tops          [4][]Top   // keys most read, written, fought over and throttled
	Counted       [4]float64 // requests among which those were counted
	Read, Written []Key      // a sample, in the order of the requests
}

// Top is a key and how often it was asked for: from Count-Over to Count times.
type Top struct {
	Key         Key
	Count, Over float64
}

// Finding is one diagnosis.
type Finding struct {
	Kind       string      `json:"kind"`
	Table      string      `json:"table"`
	Index      string      `json:"index,omitempty"`
	Keys       []string    `json:"keys"`
	Times      [2]int64    `json:"times"`    // Unix milliseconds
	Strength   float64     `json:"strength"` // 0 to 1: how plain it is
	Warning    bool        `json:"warning"`  // it costs already, or will soon
	Text       string      `json:"text"`     // what is so
	Cure       string      `json:"cure,omitempty"`
	Evidence   []Figure    `json:"evidence"`
	Statements []Statement `json:"statements,omitempty"` // ready-made, for each dialect
	// values of the first column, ascending, at which a split helps
	SplitKeys []string `json:"splitKeys,omitempty"`
}

// The kinds of findings.
const (
	HotRow             = "hot-row"
	HotRange           = "hot-range"
	Increasing         = "increasing-key"
	IncreasingPrefixes = "increasing-prefixes"
	SuffixSharding     = "suffix-sharding"
	IdleRegions        = "idle-regions"
	Periodic           = "periodic"
	Even               = "even"
)

// Figure is a number that a finding rests on.
type Figure struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
	Unit  string  `json:"unit,omitempty"` // "%" prints a share of 1 as per cent
}

// Statement brings a cure about.
type Statement struct {
	Dialect string `json:"dialect"` // "SQL" or "DynamoDB"
	Text    string `json:"text"`
}

// subject returns the object's name in texts.
func (o *Object) subject() string {
	if o.Index == "" {
		return "table " + o.Table
	}
	return "index " + o.Index + " of table " + o.Table
}

// recent returns the moments that have samples.
func (o *Object) recent() []Moment {
	first := slices.IndexFunc(o.Moments, func(m Moment) bool {
		return len(m.Read)+len(m.Written) > 0 || m.Counted != [4]float64{}
	})
	if first < 0 {
		return nil
	}
	return o.Moments[first:]
}

// column names part i of the key.
func (o *Object) column(i int) string {
	if i < len(o.Key) {
		return o.Key[i].Name
	}
	return "the key"
}

// String is the figure for people.
func (f Figure) String() string {
	switch f.Unit {
	case "%":
		return fmt.Sprintf("%s: %.0f %%", f.Name, 100*f.Value)
	case "/s":
		return fmt.Sprintf("%s: %s/s", f.Name, amount(f.Value))
	case "":
		return fmt.Sprintf("%s: %.3g", f.Name, f.Value)
	}
	return fmt.Sprintf("%s: %s %s", f.Name, amount(f.Value), f.Unit)
}

// amount prints a number to about three digits, never with an exponent.
func amount(v float64) string {
	if v >= 100 {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.3g", v)
}
