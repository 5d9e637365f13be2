// SPDX-License-Identifier: Apache-2.0

package design

import "time"

// Design is all that the advisor judges. Only Table is required; each rule is silent where it lacks the figures that it
// needs.
type Design struct {
	Table      Table
	Writes     float64              // items written per second; 0 is unknown
	Shapes     []Shape              // what is asked, with rates
	Sample     []Row                // items, taken evenly from the table
	Written    bool                 // the sample is in the order in which the items were written
	Attributes map[string]Attribute // what is known of attributes beyond the sample; it wins over the sample
	Heat       []Heat               // counts per partition key value
	Sizes      Sizes                // of the items
	Complete   bool                 // Shapes hold all that is asked, so that an index which none of them uses is unused
	Observed   time.Duration        // how long Queries of the table and its indexes were counted; 0: they were not
}

// Table describes a table as DescribeTable does.
type Table struct {
	Name    string
	Types   map[string]string // the key attributes' types (S, N, B), by name, computed ones included
	Key     Key
	Hashed  bool // spread by a hash of the partition key; false is Weft's default, the order of the keys
	Indexes []Index
	// Searches are the search indexes, each with its fields as key: a for the values of a, trigrams(a) for parts of
	// them, words(a,b).
	Searches []Index
	// made in SQL: keys have any number of columns, indexes hold rows without a value, too, and requests are statements
	// of SQL
	SQL     bool
	Items   float64 // 0: as many as there are in the sample
	Bytes   float64 // 0: items × their mean size in the sample
	Queries float64 // queries of the table itself in the last Design.Observed
	// IndexesMax is the number of indexes the table may have that are neither local nor search indexes, and SearchesMax
	// how many of these; 0: any number.
	IndexesMax, SearchesMax int
}

// Index is a secondary index.
type Index struct {
	Name       string
	Key        Key
	Local      bool
	Nulls      bool          // items that lack a key attribute have an entry, too
	Projection string        // ALL, KEYS_ONLY or INCLUDE; "" is ALL
	Items      float64       // 0 is unknown
	Bytes      float64       // 0 is unknown
	Queries    float64       // queries through it in the last Design.Observed
	Age        time.Duration // since it was made; 0 is unknown
}

// Key names the key attributes: the partition key, then the sort key if there is one. Names may be computed:
// concat(a,'#',b).
type Key []string

// Operator is how a query binds an attribute.
type Operator string

// The operators. A query that doesn't name an attribute leaves it unbound.
const (
	Equal  Operator = "="
	Range  Operator = "range"  // <, <=, >, >=, BETWEEN
	Prefix Operator = "prefix" // begins_with
	Exists Operator = "exists" // attribute_exists, or any condition that only tells present from absent
	// Contains is contains: a part of a text, a member of a set or list. No key narrows it.
	Contains Operator = "contains"
)

// Bound is a query's condition on one attribute.
type Bound struct {
	Attribute string
	Operator  Operator
	Keeps     float64 // share of the items that pass, 0 to 1; 0 is unknown
	Low, High Value   // = and prefix: Low; range: either may be absent; both absent: the values are unknown
}

// Narrows reports whether a key can make use of the bound.
func (b Bound) Narrows() bool {
	return b.Operator == Equal || b.Operator == Range || b.Operator == Prefix
}

// Shape is a query with its literals removed or kept as samples: what it binds, how often it is asked, what it found.
type Shape struct {
	Name       string  // for people; "" is made up from the bounds
	Bounds     []Bound // no attribute twice
	Any        []Bound // of two attributes at least, some twice: an item of the result passes at least one of them
	Index      string  // the index that was used; "" is the table
	Rate       float64 // queries per second
	Returned   float64 // items returned per query; 0 is unknown
	Read       float64 // entries read per query; 0 is unknown
	OrderBy    string  // attribute that orders the result; "" is any order
	Descending bool
	Limit      float64  // items that the program takes per query; 0 is all
	Wanted     []string // the attributes that the program takes of each item; nil is all of them
}

// Attribute holds facts about an attribute beyond the sample. Zero fields are unknown.
type Attribute struct {
	Type     string  // S, N, B, BOOL ...
	Distinct float64 // number of different values
	Present  float64 // share of the items that have it, 0 to 1
	Low      float64 // smallest number, for Type N
	High     float64 // largest number
	Grows    bool    // new items get ever larger values: times, sequences
}

// Heat is a count for one value of a partition key.
type Heat struct {
	Index string // "" is the table
	Key   string // the value, printed
	Rate  float64
	Total float64 // rate of all keys together; 0: the sum of the listed ones
}

// Sizes are sizes of items in bytes. Zero fields are taken from the sample.
type Sizes struct {
	Mean float64
	Max  float64
}
