// SPDX-License-Identifier: Apache-2.0

package hbasejson

import (
	"context"
	"time"

	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/hbase"
)

// analyze asks for a plan and for the work of its execution.
const analyze = "analyze"

// shownPlan is how a scan is read.
type shownPlan struct {
	Ranges []database.Explanation `json:"ranges"`
	More   int                    `json:"rangesMore,omitempty"`
	Filter string                 `json:"filter,omitempty"`
	Actual *shownWork             `json:"actual,omitempty"`
}

// shownWork is the work of a scan.
type shownWork struct {
	Examined     int64   `json:"examined"` // rows
	Returned     int64   `json:"returned"` // of these, the ones of which a cell was wanted, and kept by the filter
	Bytes        int64   `json:"bytes"`
	Seeks        int64   `json:"seeks"`
	Dead         int64   `json:"dead,omitempty"` // rows that nobody sees any more
	Milliseconds float64 `json:"milliseconds"`
}

// explain sends how a scan is read, and with analyze what it takes to read all that the answer would have.
func explain(ctx context.Context, scanner *hbase.Scanner, scan *hbase.Scan, how string, to *answer) error {
	plan, err := scanner.Explain(ctx)
	if err != nil {
		return err
	}
	shown := shownPlan{Ranges: plan.Ranges, More: plan.More}
	if scan.Filter != nil {
		shown.Filter = scan.Filter.String()
	}
	if how == analyze {
		begun := time.Now()
		for !scanner.IsDone() {
			page, err := scanner.Next(ctx, pageRows)
			if err != nil {
				return err
			}
			to.rows += len(page)
		}
		n := scanner.Counts()
		shown.Actual = &shownWork{Examined: n.Looked(), Returned: n.Returned, Bytes: n.Bytes, Seeks: n.Seeks,
			Dead: n.Dead, Milliseconds: float64(time.Since(begun).Microseconds()) / 1000}
	}
	if to.rows > to.rowsMax {
		to.rows, to.more = to.rowsMax, true
	}
	return to.line("plan", shown)
}
