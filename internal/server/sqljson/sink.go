// SPDX-License-Identifier: Apache-2.0

package sqljson

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"time"
	"unicode/utf8"

	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/result"
)

// Limits of a part of an answer: rows wait for others until one of them is reached.
const (
	partBytes   = 64 << 10
	partPause   = 100 * time.Millisecond
	partTimeout = 30 * time.Second // in which a client must take it
)

// errEnough ends a statement that has given as many rows as were asked for.
var errEnough = errors.New("the answer has as many rows as were asked for")

// sink writes answers as lines of JSON.
type sink struct {
	w       http.ResponseWriter
	control *http.ResponseController
	left    int  // rows that the answer may still have
	enough  bool // there was one more
	rows    int  // of the result set
	part    []byte
	open    bool // part has begun a line of rows
	text    []byte
	sent    time.Time
}

func newSink(w http.ResponseWriter, rowsMax int) *sink {
	// lint:clock when rows are sent on
	return &sink{w: w, control: http.NewResponseController(w), left: rowsMax, sent: time.Now()}
}

// column describes a column of an answer.
type column struct {
	Name  string `json:"name"`
	Type  string `json:"type"`
	Table string `json:"table,omitempty"`
	Key   bool   `json:"key,omitempty"`
}

// endLine ends the answer of a statement.
type endLine struct {
	Rows         int    `json:"rows"`
	Affected     uint64 `json:"affected"`
	LastInsertID uint64 `json:"lastInsertId,omitempty"`
	Warnings     int    `json:"warnings,omitempty"`
	Info         string `json:"info,omitempty"`
	Limited      bool   `json:"limited,omitempty"` // there are more rows than were asked for
}

// Columns is result.Sink's.
func (s *sink) Columns(columns []result.Column) error {
	s.rows = 0
	list := make([]column, len(columns))
	for i, c := range columns {
		list[i] = column{c.Name, c.Type.String(), c.OriginalTable, c.PrimaryKey}
	}
	return s.line("columns", list)
}

// Row is result.Sink's.
func (s *sink) Row(row []datum.Datum) error {
	if s.left == 0 {
		s.enough = true
		return errEnough
	}
	s.left--
	s.rows++
	if s.open {
		s.part = append(s.part, ',')
	} else {
		s.part, s.open = append(s.part, `{"rows":[`...), true
	}
	s.part = append(s.part, '[')
	for i, d := range row {
		if i > 0 {
			s.part = append(s.part, ',')
		}
		s.part = s.appendValue(s.part, d)
	}
	s.part = append(s.part, ']')
	if len(s.part) < partBytes && time.Since(s.sent) < partPause {
		return nil
	}
	return s.flush()
}

// appendValue appends a value: null, a text as clients of MySQL see it, or bytes that are no text as {"base64": ".."}.
// Numbers are texts, so that no digit is lost.
func (s *sink) appendValue(dst []byte, d datum.Datum) []byte {
	if d.IsNull() {
		return append(dst, "null"...)
	}
	s.text = d.AppendText(s.text[:0])
	if d.Kind() == datum.KindBinary || !utf8.Valid(s.text) {
		dst = append(dst, `{"base64":"`...)
		dst = base64.StdEncoding.AppendEncode(dst, s.text)
		return append(dst, `"}`...)
	}
	quoted, err := json.Marshal(string(s.text))
	if err != nil {
		return append(dst, "null"...) // no text fails
	}
	return append(dst, quoted...)
}

// Done is result.Sink's.
func (s *sink) Done(d result.Done) error {
	return s.line("done", endLine{s.rows, d.Affected, d.LastInsertID, d.Warnings, d.Info, false})
}

// finish ends the whole answer.
func (s *sink) finish(err error) {
	switch {
	case err == nil:
	case s.enough:
		_ = s.line("done", endLine{Rows: s.rows, Limited: true}) // the client is gone; nobody to tell
	default:
		f := faultOf(err)
		_ = s.line("error", map[string]any{"code": f.Code, "message": f.Message}) // as above
	}
	_ = s.flush() // as above
}

// line adds a line with one member.
func (s *sink) line(name string, content any) error {
	s.closeRows()
	body, err := json.Marshal(map[string]any{name: content})
	if err != nil {
		return err
	}
	s.part = append(append(s.part, body...), '\n')
	return nil
}

// closeRows ends a line of rows.
func (s *sink) closeRows() {
	if s.open {
		s.part, s.open = append(s.part, "]}\n"...), false
	}
}

// flush sends what there is.
func (s *sink) flush() error {
	s.closeRows()
	// fails only on a closed connection, as the write then does
	_ = s.control.SetWriteDeadline(time.Now().Add(partTimeout))
	if _, err := s.w.Write(s.part); err != nil {
		return err
	}
	s.part, s.sent = s.part[:0], time.Now() // lint:clock when rows are sent on
	return s.control.Flush()
}
