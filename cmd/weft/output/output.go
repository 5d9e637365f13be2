// SPDX-License-Identifier: Apache-2.0

// Package output writes the parts of commands' output that are alike everywhere: documents of JSON, and large numbers.
//
// Knows: JSON, digits, the rounding of estimated counts.
// Never: what is written, and for which command.
package output

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"github.com/weftdb/weft/internal/rows/statistics"
)

// WriteJSON writes content for a program to read, in lines that a person can read too.
func WriteJSON(w io.Writer, content any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(content)
}

// About writes a number of rows or entries that the server may have estimated: see statistics.Rounded.
func About(n int64) string { return Thousands(statistics.Rounded(n)) }

// Thousands writes a number with a comma behind each thousand.
func Thousands(n int64) string {
	text := fmt.Sprint(n)
	for at := len(text) - 3; at > 0 && text[at-1] != '-'; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}

// Hinted is an error that says what to do about it apart from its text, for programs.
type Hinted struct {
	Err  error
	Code int // MySQL's number; 0: it has none
	Hint string
}

// Error is the error's text, without the hint.
func (h *Hinted) Error() string { return h.Err.Error() }

// Unwrap returns the error.
func (h *Hinted) Unwrap() error { return h.Err }

// Codes of SQL's errors that have a hint.
const (
	unknownColumn = 1054
	syntax        = 1064
	noSuchTable   = 1146
	readOnly      = 1792
	inefficient   = 8008
)

// SQLHint says what to do about an error of SQL, by its number.
func SQLHint(code int) string {
	switch code {
	case unknownColumn:
		return "SHOW CREATE TABLE shows the columns; attributes of items that no column declares can be named, too"
	case syntax:
		return "write MySQL's dialect, as far as docs/sql.md has it"
	case noSuchTable:
		return "SHOW TABLES names all tables of a database, and SHOW DATABASES all databases"
	case readOnly:
		return "nothing but reads is taken here: use SELECT, SHOW, DESCRIBE or EXPLAIN, or ask the user to allow writes"
	case inefficient:
		return "use a remedy that the error names; SHOW INDEX shows the indexes, and weft advise proposes others"
	}
	return "the error says what is wrong; EXPLAIN shows how a statement runs"
}

// Lines is a writer that makes one line of each document of JSON that is written to it in several, and one of each
// element of an array. What is no JSON passes as it is, a line at a time. Close writes what is left.
type Lines struct {
	To   io.Writer
	held []byte
	from int // of the line that is not whole
}

// Write takes a piece. The error is To's.
func (l *Lines) Write(b []byte) (int, error) {
	l.held = append(l.held, b...)
	for {
		end := bytes.IndexByte(l.held[l.from:], '\n')
		if end < 0 {
			return len(b), nil
		}
		begin, next := l.from, l.from+end+1
		// A document in several lines begins with an opening bracket alone, and ends with a closing one in front.
		if opens := bytes.HasPrefix(l.held, []byte("{\n")) || bytes.HasPrefix(l.held, []byte("[\n")); opens &&
			(begin == 0 || l.held[begin] != '}' && l.held[begin] != ']') {
			l.from = next
			continue
		}
		document := l.held[:next]
		l.held, l.from = l.held[next:], 0
		if err := l.write(document); err != nil {
			return 0, err
		}
	}
}

// Close writes the rest. The error is To's.
func (l *Lines) Close() error {
	if len(l.held) == 0 {
		return nil
	}
	return l.write(l.held)
}

func (l *Lines) write(document []byte) error {
	var elements []json.RawMessage
	if !bytes.HasPrefix(document, []byte("[")) || json.Unmarshal(document, &elements) != nil {
		elements = []json.RawMessage{document}
	}
	for _, element := range elements {
		var line bytes.Buffer
		if json.Compact(&line, element) != nil {
			line.Reset()
			line.Write(bytes.TrimSuffix(element, []byte("\n")))
		}
		line.WriteByte('\n')
		if _, err := l.To.Write(line.Bytes()); err != nil {
			return err
		}
	}
	return nil
}
