// SPDX-License-Identifier: Apache-2.0

package check

import "math"

// Outcome is a client's knowledge of how its transaction ended.
type Outcome uint8

// The outcomes. A transaction without an answer is Unknown: it may take effect at any time after its call, or never.
const (
	Committed Outcome = iota
	Aborted
	Unknown
)

// Never is the time of return of a transaction that had no answer.
const Never = math.MaxInt64

// History holds the observations of all clients, in any order.
type History []Txn

// Txn is one transaction. Operations that had no answer are appends only: what an unanswered read would have shown is
// not known.
type Txn struct {
	Call, Return int64 // of the request and of its answer, on one clock for all clients; any unit
	Outcome      Outcome
	Ops          []Op // in the order in which they take effect
}

// Op is one operation on one list.
type Op struct {
	Key     int32
	Append  bool
	Element int32   // what is appended; no element is appended twice in a history, whatever the key
	List    []int32 // what was read
}

// Class names a kind of anomaly.
type Class string

// The classes, in the order in which they are looked for.
const (
	Internal          Class = "internal inconsistency" // a transaction does not see what it has done or seen itself
	FutureRead        Class = "future read"            // a transaction sees what it appends only later
	Unwritten         Class = "unwritten element"      // an element that nobody has appended to that list
	Duplicate         Class = "duplicate element"      // an append took effect twice
	IncompatibleOrder Class = "incompatible order"     // two lists of one key, neither of which begins with the other
	AbortedRead       Class = "G1a aborted read"       // an element of an aborted transaction
	IntermediateRead  Class = "G1b intermediate read"  // a list between two appends of one transaction
	DirtyUpdate       Class = "dirty update"           // a committed append after one of an aborted transaction
	LostElement       Class = "lost element"           // a committed append that no later read shows
	WriteCycle        Class = "G0 write cycle"         // ww
	CircularFlow      Class = "G1c circular flow"      // ww and wr
	LostUpdate        Class = "lost update"            // ww, wr and one rw (G-single), all on one key
	ReadSkew          Class = "G-single read skew"     // ww, wr and one rw
	WriteSkew         Class = "G2 write skew"          // two transactions with two rw
	AntiDependency    Class = "G2 anti-dependency"     // ww, wr and several rw
	RealTime          Class = "real-time violation"    // any of these, and rt
)

// Anomaly is one fault of a history.
type Anomaly struct {
	Class Class
	Txns  []int  // their places in the history
	Text  string // what was seen
}

// Verdict is the result of a check.
type Verdict struct {
	Anomalies []Anomaly     // up to examplesMax of each class
	Counts    map[Class]int // how many were found before the search was given up
	Committed int           // transactions that took effect, as far as is known
	Edges     int           // of the graph
	Truncated bool          // the search for cycles was given up: there are more than were counted
}

// examplesMax is the number of anomalies of one class that are described.
const examplesMax = 4

// Valid reports whether the history is strictly serializable, as far as its reads show.
func (v *Verdict) Valid() bool { return len(v.Anomalies) == 0 }

// Has reports whether an anomaly of the class was found.
func (v *Verdict) Has(class Class) bool { return v.Counts[class] > 0 }

func (v *Verdict) add(class Class, text string, txns ...int) {
	if v.Counts == nil {
		v.Counts = map[Class]int{}
	}
	v.Counts[class]++
	if v.Counts[class] <= examplesMax {
		v.Anomalies = append(v.Anomalies, Anomaly{class, txns, text})
	}
}
