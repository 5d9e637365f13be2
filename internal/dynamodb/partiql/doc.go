// SPDX-License-Identifier: Apache-2.0

// Package partiql reads statements of PartiQL, as far as DynamoDB has that language: one SELECT, INSERT, UPDATE or
// DELETE on one table. What a statement means is made of the conditions, updates and paths that DynamoDB's expressions
// are made of, too, by the same rules.
//
// Knows: PartiQL's grammar, its literals, DynamoDB's texts about faulty statements.
// Never: tables, keys, requests, how a condition is evaluated.
package partiql

import (
	"github.com/weftdb/weft/internal/data/expr"
	"github.com/weftdb/weft/internal/data/value"
)

// Verb is the kind of a statement.
type Verb uint8

// The verbs. Exists is a SELECT in EXISTS(..): the check of a transaction.
const (
	Select Verb = iota
	Insert
	Update
	Delete
	Exists
)

// String is the verb as it begins a statement, in small letters but for the first.
func (v Verb) String() string {
	return [...]string{"Select", "Insert", "Update", "Delete", "Exists"}[v]
}

// Writes reports whether the verb belongs to the statements that write; the check of a transaction does.
func (v Verb) Writes() bool { return v != Select }

// Column is one column of a SELECT: what a path leads to, under a name.
type Column struct {
	Path expr.Path
	Name string
}

// Attribute is one attribute of an item to insert.
type Attribute struct {
	Name  string
	Value value.Value
}

// Order is a name of ORDER BY.
type Order struct {
	Name       string
	Descending bool
}

// Returning is the part of its item that a write returns, in DynamoDB's words for ReturnValues.
type Returning string

// Statement is a parsed text.
type Statement struct {
	Verb         Verb
	Table, Index string         // Index: "" is the table itself
	Columns      []Column       // of a SELECT; nil: all
	Where        expr.Condition // nil: all items
	Order        []Order
	Item         []Attribute  // of an INSERT
	Update       *expr.Update // of an UPDATE
	Returning    Returning    // ALL_OLD, ALL_NEW, UPDATED_OLD or UPDATED_NEW; "": nothing
}
