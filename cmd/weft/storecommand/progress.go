// SPDX-License-Identifier: Apache-2.0

package storecommand

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/weftdb/weft/internal/files/bulkload"
)

// IsTerminal reports whether a person reads w.
func IsTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// StatusLine is a line that is drawn anew on a terminal, and written now and then elsewhere.
type StatusLine struct {
	out      io.Writer
	terminal bool
	drawn    time.Time
	every    time.Duration
	isDrawn  bool
}

// NewStatusLine returns a line to draw on out.
func NewStatusLine(out io.Writer) *StatusLine {
	l := &StatusLine{out: out, terminal: IsTerminal(out), drawn: time.Now(), every: 10 * time.Second}
	if l.terminal {
		l.every = 100 * time.Millisecond
	}
	return l
}

// Show draws a text, if it is time for it.
func (l *StatusLine) Show(text func() string) {
	at := time.Now()
	if at.Sub(l.drawn) < l.every {
		return
	}
	l.drawn, l.isDrawn = at, true
	if l.terminal {
		fmt.Fprintf(l.out, "\r%-78s", text())
		return
	}
	fmt.Fprintln(l.out, text())
}

// Say writes a line of its own.
func (l *StatusLine) Say(text string) {
	l.End()
	fmt.Fprintln(l.out, text)
}

// End keeps what is drawn.
func (l *StatusLine) End() {
	if l.isDrawn && l.terminal {
		fmt.Fprintln(l.out)
	}
	l.isDrawn = false
}

// Clear removes what is drawn.
func (l *StatusLine) Clear() {
	if l.isDrawn && l.terminal {
		fmt.Fprintf(l.out, "\r%-78s\r", "")
	}
	l.isDrawn = false
}

// rate is so many a second since then.
func rate(count int64, since time.Time) float64 {
	return float64(count) / max(time.Since(since).Seconds(), 0.001)
}

// loadStatus words how far a load is.
func loadStatus(now bulkload.Progress, begun time.Time) string {
	text := fmt.Sprintf("%s: %d records, %.0f/s", now.Step, now.Records, rate(now.Records, begun))
	if now.Bytes > 0 {
		text += fmt.Sprintf(", %d %% of %d MiB read", 100*now.BytesRead/now.Bytes, now.Bytes>>20)
	}
	if now.Expected > 0 {
		text += fmt.Sprintf(", %d %% of %d rows written", 100*now.Written/now.Expected, now.Expected)
	}
	return text
}

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
