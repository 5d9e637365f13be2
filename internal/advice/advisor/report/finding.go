// SPDX-License-Identifier: Apache-2.0

package report

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Severity says how much a finding matters.
type Severity int

// The severities, least first.
const (
	Advice   Severity = iota + 1 // would pay
	Warning                      // costs, or will when the load grows
	Critical                     // requests fail, or soon will
)

// String is the severity's name in lower case.
func (s Severity) String() string {
	switch s {
	case Critical:
		return "critical"
	case Warning:
		return "warning"
	}
	return "advice"
}

// MarshalText writes the severity's name.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Finding is one thing that is wrong or would pay.
type Finding struct {
	Severity   Severity
	Rule       string        // the rule's name, such as "growing-key"
	Subject    string        // what it is about: "table", "index by-time", "attribute note"
	Problem    string        // one sentence: what is wrong
	Remedy     string        // one sentence: what to do about it
	Evidence   []Figure      `json:",omitempty"` // what it rests on
	Before     *Cost         `json:",omitempty"` // as things are; nil where it can't be told
	After      *Cost         `json:",omitempty"` // as they will be
	Patterns   []PatternCost `json:",omitempty"` // entries read per query, for each pattern that changes
	Statements []Statement   `json:",omitempty"` // requests that bring it about, in order
}

// Figure is one measured, declared or assumed number, or a short text in its place.
type Figure struct {
	Name  string
	Value float64
	Text  string `json:",omitempty"` // printed instead of Value
	Unit  string `json:",omitempty"` // "%" prints a share of 1 as per cent
}

// Cost is the total cost of the query patterns of a finding. Bytes is the size of the indexes that it adds or drops.
type Cost struct {
	Reads  float64 // entries read per second
	Writes float64 // entries written per second
	Bytes  float64 // stored
}

// PatternCost is one line of the table of patterns: entries read per query.
type PatternCost struct {
	Name   string
	Rate   float64 // queries per second
	Before float64
	After  float64
}

// Statement is a request of DynamoDB's API, or a statement of SQL.
type Statement struct {
	Operation string          `json:",omitempty"` // CreateTable or UpdateTable
	Input     json.RawMessage `json:",omitempty"` // its body, indented by two spaces
	SQL       string          `json:",omitempty"` // the statement; the others are empty then
}

// Report holds the findings of Advise, worst first.
type Report struct {
	Table    string
	Findings []Finding
	Served   int // patterns that the keys serve well as they are
	Patterns int // patterns looked at
	// Unserved are the patterns that are not served well and that no finding is about: Before is what a query reads,
	// After what it has use for.
	Unserved []PatternCost `json:",omitempty"`
}

// Candidate is a design that was weighed: the table as it is, with one more index, or with several.
type Candidate struct {
	Name       string        // of the index; "" is the table as it is, or Together
	Together   []string      `json:",omitempty"` // the names of several indexes
	Rule       string        `json:",omitempty"` // the kind of index
	Key        []string      `json:",omitempty"`
	Chosen     bool          // it is proposed
	Score      float64       // the share of the whole cost that it saves; below 0 it costs more
	Total      float64       // the cost: entries read a second, jumps and writes of indexes included
	Cost       Cost          // Writes and Bytes are those of the indexes that it adds
	Patterns   []PatternCost `json:",omitempty"` // entries read per query now and then
	Heat       *Heat         `json:",omitempty"` // nil: nothing is known of the values
	Statements []Statement   `json:",omitempty"`
}

// Heat is a simulated load by time and place in the order of a key: counts by minute, and within it by band.
type Heat struct {
	Minutes, Bands int
	Written, Read  []int
	// HottestWritten and HottestRead are the share of a minute's requests that go to its busiest band, on average;
	// 1/Bands is even.
	HottestWritten, HottestRead float64
}

// Together adds patterns of one name up: their rates, and what they read on average.
func Together(patterns []PatternCost) []PatternCost {
	var list []PatternCost
	places := map[string]int{}
	for _, p := range patterns {
		at, ok := places[p.Name]
		if !ok {
			places[p.Name] = len(list)
			list = append(list, p)
			continue
		}
		sum := &list[at]
		rate := sum.Rate + p.Rate
		sum.Before = (sum.Before*sum.Rate + p.Before*p.Rate) / rate
		sum.After = (sum.After*sum.Rate + p.After*p.Rate) / rate
		sum.Rate = rate
	}
	return list
}

// Names lists the first patterns in quotes, and how many more there are.
func Names(patterns []PatternCost) string {
	const namesMax = 4
	var names []string
	for i, p := range patterns {
		if i == namesMax {
			names = append(names, fmt.Sprintf("%d more", len(patterns)-i))
			break
		}
		names = append(names, `"`+p.Name+`"`)
	}
	return strings.Join(names, ", ")
}
