// SPDX-License-Identifier: Apache-2.0

package result

import "github.com/weftdb/weft/internal/sql/datum"

// Page is a sink that hands on Left rows after the first Skip ones, and counts all.
type Page struct {
	Sink
	Skip, Left, Found int64
}

// Row is Sink's.
func (p *Page) Row(row []datum.Datum) error {
	if p.Found++; p.Found <= p.Skip || p.Left == 0 {
		return nil
	}
	p.Left--
	return p.Sink.Row(row)
}

// Nowhere is a sink that keeps nothing.
type Nowhere struct{}

// Columns is Sink's.
func (Nowhere) Columns([]Column) error { return nil }

// Row is Sink's.
func (Nowhere) Row([]datum.Datum) error { return nil }

// Done is Sink's.
func (Nowhere) Done(Done) error { return nil }
