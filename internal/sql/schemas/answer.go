// SPDX-License-Identifier: Apache-2.0

package schemas

import (
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/result"
	"github.com/weftdb/weft/internal/sql/tree"
)

// answer is the rows of a SHOW. LIKE takes the column named by `by`, the first by default.
type answer struct {
	columns []result.Column
	rows    [][]datum.Datum
	by      int
}

// Widths of the columns of answers, in characters; clients make room by them.
const (
	nameWidth = 255
	textWidth = 16_384
)

// texts are columns of names and short texts.
func texts(names ...string) []result.Column {
	columns := make([]result.Column, len(names))
	for i, name := range names {
		columns[i] = result.Column{Name: name, OriginalName: name,
			Type: datum.Type{Base: datum.Varchar, Length: nameWidth}}
	}
	return columns
}

// number makes columns numbers, by their positions.
func number(columns []result.Column, at ...int) []result.Column {
	for _, i := range at {
		columns[i].Type = datum.Type{Base: datum.BigInt}
	}
	return columns
}

// long makes columns wide enough for statements, by their positions.
func long(columns []result.Column, at ...int) []result.Column {
	for _, i := range at {
		columns[i].Type.Length = textWidth
	}
	return columns
}

// add adds a row of texts, integers and datums; nil is NULL.
func (a *answer) add(values ...any) {
	row := make([]datum.Datum, len(values))
	for i, value := range values {
		switch value := value.(type) {
		case string:
			row[i] = datum.TextString(value)
		case int:
			row[i] = datum.Int(int64(value))
		case int64:
			row[i] = datum.Int(value)
		case datum.Datum:
			row[i] = value
		}
	}
	a.rows = append(a.rows, row)
}

// send answers with those rows that LIKE and WHERE take.
func (c *call) send(a *answer, like *string, where tree.Expression) error {
	if where != nil && c.Where == nil {
		return fault.New(fault.NotSupported,
			"SHOW .. WHERE is not supported here: use LIKE, or query information_schema")
	}
	if err := c.sink.Columns(a.columns); err != nil {
		return err
	}
	for _, row := range a.rows {
		keep := like == nil || isLike(string(row[a.by].Bytes()), *like)
		if where != nil && keep {
			var err error
			if keep, err = c.Where(where, a.columns, row, c.session.Parameters); err != nil {
				return err
			}
		}
		if !keep {
			continue
		}
		if err := c.sink.Row(row); err != nil {
			return err
		}
	}
	return c.answerDone(nil)
}

// isLike reports whether a name is like a pattern of `%`, `_` and backslashes. Letters are alike whatever their case
// only if they are ASCII.
func isLike(name, pattern string) bool {
	star, from := -1, 0
	n, p := 0, 0
	for n < len(name) {
		if p < len(pattern) && pattern[p] == '%' {
			star, from = p, n
			p++
			continue
		}
		if step := likeStep(name[n:], pattern[p:]); step > 0 {
			p += step
			n += runeLength(name[n:], pattern[p-step:])
			continue
		}
		if star < 0 {
			return false
		}
		from++
		p, n = star+1, from
	}
	for p < len(pattern) && pattern[p] == '%' {
		p++
	}
	return p == len(pattern)
}

// likeStep returns how many bytes of the pattern take the next character of a name; 0 if they do not.
func likeStep(name, pattern string) int {
	switch {
	case pattern == "":
		return 0
	case pattern[0] == '_':
		return 1
	case pattern[0] == '\\' && len(pattern) > 1:
		if lower(pattern[1]) == lower(name[0]) {
			return 2
		}
		return 0
	case lower(pattern[0]) == lower(name[0]):
		return 1
	}
	return 0
}

// runeLength is the number of bytes of a name a step took: a whole character for `_`, one byte else.
func runeLength(name, pattern string) int {
	if pattern[0] != '_' {
		return 1
	}
	n := 1
	for n < len(name) && name[n]&0xC0 == 0x80 {
		n++
	}
	return n
}

func lower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}
