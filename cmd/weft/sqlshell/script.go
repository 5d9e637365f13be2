// SPDX-License-Identifier: Apache-2.0

package sqlshell

import (
	"bytes"
	"cmp"
	"strings"

	"github.com/weftdb/weft/internal/sql/parse/token"
)

// step is one thing that a script wants done.
type step struct {
	text     string
	line     int  // of the script, from 1 on
	vertical bool // \G ended the statement
	command  bool // a backslash command, without its backslash
}

// script cuts a text that comes line by line into statements. The zero value is an empty script whose statements end
// with semicolons.
type script struct {
	held      []byte // what is not cut yet
	line      int    // that held begins in, less one
	delimiter string // "": a semicolon
	closed    bool   // no lines follow
	idle      bool   // held was looked at, and no line since can have ended it
	resume    int    // up to here it was
}

// add appends a line, with or without its end.
func (s *script) add(line string) {
	line = strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
	if len(s.held) == 0 {
		s.idle = false
	}
	if strings.Contains(line, s.end()) || strings.Contains(line, `\`) {
		s.idle = false
	}
	s.held = append(append(s.held, line...), '\n')
}

// close says that no lines follow: what is left is a statement.
func (s *script) close() { s.closed, s.idle = true, false }

// clear forgets the statement that has begun.
func (s *script) clear() { s.held, s.idle, s.resume = s.held[:0], false, 0 }

// begun reports whether a statement has begun.
func (s *script) begun() bool { return len(bytes.TrimSpace(s.held)) > 0 }

func (s *script) end() string {
	return cmp.Or(s.delimiter, ";")
}

// next returns the next statement or command; ok is false if more lines must come first.
func (s *script) next() (one step, ok bool) {
	for !s.idle {
		s.skip(len(s.held) - len(bytes.TrimLeft(s.held, " \t\r\n")))
		switch {
		case len(s.held) == 0:
			return one, false
		case s.held[0] == '#', bytes.HasPrefix(s.held, []byte("-- ")), bytes.HasPrefix(s.held, []byte("--\n")):
			s.takeLine() // a comment; what follows may be a command
			continue
		case s.held[0] == '\\':
			one = step{line: s.line + 1, command: true}
			one.text = strings.TrimSpace(s.takeLine()[1:])
			return one, true
		case s.isDelimiter():
			if fields := strings.Fields(s.takeLine()); len(fields) > 1 {
				s.delimiter = fields[1]
			}
			continue
		}
		if one, ok = s.cut(); !ok || !blank(one.text) {
			return one, ok
		}
	}
	return one, false
}

// cut takes a statement up to its delimiter, or all if nothing follows.
func (s *script) cut() (one step, ok bool) {
	one.line = s.line + 1
	p, resume, ok := token.Mode(0).Cut(s.held, s.resume, s.end())
	if !ok && !s.closed {
		s.idle, s.resume = true, resume
		return one, false
	}
	if !ok {
		p = token.Piece{Statement: s.held}
	}
	one.text, one.vertical = strings.TrimSpace(string(p.Statement)), p.Vertical
	s.skip(len(s.held) - len(p.Rest))
	return one, true
}

// skip forgets the first bytes.
func (s *script) skip(n int) {
	s.line += bytes.Count(s.held[:n], []byte{'\n'})
	if s.held = s.held[n:]; n > 0 {
		s.resume = 0
	}
}

// takeLine takes a line.
func (s *script) takeLine() string {
	n := bytes.IndexByte(s.held, '\n') + 1 // each line has its end
	line := string(s.held[:n-1])
	s.skip(n)
	return line
}

// isDelimiter reports whether the line that comes next is MySQL's DELIMITER.
func (s *script) isDelimiter() bool {
	const word = "delimiter"
	return len(s.held) > len(word) && strings.EqualFold(string(s.held[:len(word)]), word) &&
		(s.held[len(word)] == ' ' || s.held[len(word)] == '\t')
}

// blank reports whether a text is comments alone.
func blank(text string) bool {
	l := token.Lexer{Text: []byte(text)}
	return l.Next().Kind == token.End
}
