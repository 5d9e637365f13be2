// SPDX-License-Identifier: Apache-2.0

package differential

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/result"
)

// answer is a Sink that keeps rows in a form in which equal ones are equal texts.
type answer struct {
	rows []string
	err  error
}

// Columns is result.Sink's.
func (a *answer) Columns([]result.Column) error { return nil }

// Row is result.Sink's.
func (a *answer) Row(row []datum.Datum) error {
	var line []byte
	for _, d := range row {
		line = append(appendShown(line, d), '|')
	}
	a.rows = append(a.rows, string(line))
	return nil
}

// Done is result.Sink's.
func (a *answer) Done(result.Done) error { return nil }

// shownDigits are four digits behind the point.
const shownDigits = 1e4

// appendShown writes a value: numbers by what they are worth, whatever their kind, to 12 digits.
func appendShown(dst []byte, d datum.Datum) []byte {
	switch d.Kind() {
	case datum.KindNull:
		return append(dst, "NULL"...)
	case datum.KindBool, datum.KindInt, datum.KindUint, datum.KindDecimal, datum.KindFloat:
		x, err := strconv.ParseFloat(d.String(), 64)
		if err != nil || d.Kind() == datum.KindBool {
			x = float64(d.Int())
		}
		x = math.Round(x*shownDigits) / shownDigits // quotients have more digits than are shown, each executor as it likes
		if x == 0 {
			x = 0 // not -0
		}
		return strconv.AppendFloat(dst, x, 'g', 12, 64)
	}
	shown := d.String()
	isText := d.Kind() == datum.KindText || d.Kind() == datum.KindBinary
	if isText {
		shown = string(d.Bytes())
	}
	if time.MatchString(shown) { // the engine takes times of expressions for texts
		return append(dst, strings.TrimSuffix(zeros.ReplaceAllString(shown, "$1"), " 00:00:00")...)
	}
	if isText {
		return strconv.AppendQuote(dst, shown)
	}
	return append(dst, shown...)
}

// The forms of times, and the zeros at their ends. They are immutable.
var (
	time  = regexp.MustCompile(`^\d{4}-\d\d-\d\d( \d\d:\d\d:\d\d(\.\d+)?)?$`)
	zeros = regexp.MustCompile(`\.0+$|(\.\d*[1-9])0+$`)
)

// same says whether two answers are equal: in order if there is one, and errors with errors.
func (a *answer) same(b *answer, ordered bool) bool {
	if a.err != nil || b.err != nil {
		return a.err != nil && b.err != nil
	}
	x, y := a.rows, b.rows
	if !ordered {
		x, y = slices.Clone(x), slices.Clone(y)
		slices.Sort(x)
		slices.Sort(y)
	}
	return slices.Equal(x, y)
}

// without is the rows that another answer lacks.
func (a *answer) without(b *answer) *answer {
	left := map[string]int{}
	for _, row := range b.rows {
		left[row]++
	}
	rest := &answer{err: a.err}
	for _, row := range a.rows {
		if left[row]--; left[row] < 0 {
			rest.rows = append(rest.rows, row)
		}
	}
	return rest
}

// String is the beginning of an answer.
func (a *answer) String() string {
	if a.err != nil {
		return "error: " + a.err.Error()
	}
	rows := a.rows
	if len(rows) > 12 {
		rows = rows[:12]
	}
	return fmt.Sprintf("%d rows\n  %s", len(a.rows), strings.Join(rows, "\n  "))
}
