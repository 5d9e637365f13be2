// SPDX-License-Identifier: Apache-2.0

package database

import (
	"github.com/weftdb/weft/internal/data/catalog"
	"github.com/weftdb/weft/internal/rows/record"
)

type (
	// Change tells what a write did.
	Change = record.Change
	// IndexChange tells what a write did to one index.
	IndexChange = record.IndexChange
	// Cause is why an item was written.
	Cause = record.Cause
	// Report is the result of Verify.
	Report = record.Report
	// Renaming is an attribute that gets another name.
	Renaming = catalog.Rename
)

// Causes of writes.
const (
	ByRequest = record.ByRequest
	ByExpiry  = record.ByExpiry
)
