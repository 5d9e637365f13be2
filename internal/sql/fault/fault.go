// SPDX-License-Identifier: Apache-2.0

// Package fault is the one table of the errors that SQL answers: MySQL's codes with their SQLSTATEs and texts, and
// LindormTable's own.
//
// Knows: codes, states, texts.
// Never: what went wrong, packets.
package fault

import (
	"errors"
	"fmt"
)

// Error is an error as clients of MySQL see it.
type Error struct {
	Code    Code
	State   string // SQLSTATE, five characters
	Message string
	Err     error // the cause, if any
}

// Error is the message.
func (e *Error) Error() string { return e.Message }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// New makes an error of a code, whose text takes the given arguments.
func New(code Code, arguments ...any) *Error {
	row := table[code]
	return &Error{Code: code, State: row.state, Message: fmt.Sprintf(row.text, arguments...)}
}

// The SQLSTATEs of codes that are not in the table: MySQL has one for all codes from newestCodes on, and for most of
// the others.
const (
	stateGeneral = "HY000"
	stateSyntax  = "42000"
	newestCodes  = 3000
)

// Message makes an error of a code whose text says more than that of the table.
func Message(code Code, format string, arguments ...any) *Error {
	state := code.State()
	switch {
	case state == "" && code < newestCodes:
		state = stateSyntax
	case state == "":
		state = stateGeneral
	}
	return &Error{Code: code, State: state, Message: fmt.Sprintf(format, arguments...)}
}

// Because is New with a cause.
func Because(cause error, code Code, arguments ...any) *Error {
	e := New(code, arguments...)
	e.Err = cause
	return e
}

// Of returns the Error that err is or wraps; ok is false if there is none.
func Of(err error) (e *Error, ok bool) {
	ok = errors.As(err, &e)
	return e, ok
}

// State returns the SQLSTATE of a code.
func (c Code) State() string { return table[c].state }
