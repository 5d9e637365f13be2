// SPDX-License-Identifier: Apache-2.0

package weft

import (
	"github.com/weftdb/weft/internal/expr"
	"github.com/weftdb/weft/internal/record"
	"github.com/weftdb/weft/internal/schema"
	"github.com/weftdb/weft/internal/value"
)

// The types of values and rows; package value describes their encodings.
type (
	// Value is one encoded value.
	Value = value.Value
	// Row is one stored row or a row's key attributes.
	Row = value.Row
	// RowBuilder makes rows.
	RowBuilder = value.RowBuilder
	// Names is the dictionary of a table's attribute names.
	Names = value.Names
)

// The types of schemas; package schema describes them.
type (
	// Descriptor is a table's schema. It must not be changed.
	Descriptor = schema.Table
	// Column is a declared column beside those of the primary key.
	Column = schema.Column
	// Index is an index's schema.
	Index = schema.Index
	// KeyPart is one component of a key.
	KeyPart = schema.KeyPart
	// Type is the type of a key part.
	Type = schema.Type
	// Projection says what an index carries.
	Projection = schema.Projection
)

// The types of conditions and updates; package expr describes them.
type (
	// Condition is a predicate over an item.
	Condition = expr.Condition
	// Update is a change of an item.
	Update = expr.Update
	// Change tells what a write did.
	Change = record.Change
	// IndexChange tells what a write did to one index.
	IndexChange = record.IndexChange
	// Cause is why an item was written.
	Cause = record.Cause
	// Report is what Verify found.
	Report = record.Report
)

// Types of key parts.
const (
	String    = schema.String
	Number    = schema.Number
	Binary    = schema.Binary
	Bool      = schema.Bool
	Int       = schema.Int
	Float     = schema.Float
	Timestamp = schema.Timestamp
)

// Causes of writes.
const (
	ByRequest = record.ByRequest
	ByExpiry  = record.ByExpiry
)

// Projections of indexes.
const (
	ProjectAll     = schema.ProjectAll
	ProjectKeys    = schema.ProjectKeys
	ProjectInclude = schema.ProjectInclude
)
