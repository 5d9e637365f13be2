// SPDX-License-Identifier: Apache-2.0

package result

import (
	"context" // lint:clock the contract of prepared statements names it; nothing here waits

	"github.com/weftdb/weft/internal/sql/datum"
)

// Login describes a client that opens a session.
type Login struct {
	ConnectionID uint32
	User         string
	Credential   string // permission.Principal's; "": no password proved who it is
	Host         string // the client's address without its port
	Database     string // the one to start in; "" is none
	Attributes   map[string]string
	// FoundRows: an UPDATE counts the rows that it matched, not those that it changed.
	FoundRows bool
	// MultiStatements: a text may hold several statements. A session that has a method SetMultiStatements(bool) is
	// called when this changes.
	MultiStatements bool
	// Interactive: a person types at the other end.
	Interactive bool
	TLS         bool
	Charset     uint8 // MySQL's number of the collation that the client asked for
}

// State is the part of a session's state that clients receive after each statement.
type State struct {
	Database      string // the current one, "" if none
	InTransaction bool
	ReadOnly      bool // the transaction is read-only
	Autocommit    bool
	Warnings      int // of the last statement
	// NoBackslashEscapes: clients are not to escape by backslashes.
	NoBackslashEscapes bool
	// Released says that the session has ended itself, as by COMMIT RELEASE: the connection is closed once that is
	// answered.
	Released bool
}

// Prepared is a statement that was prepared in a session. It is used by the session's goroutine only.
type Prepared interface {
	// Parameters is the number of placeholders.
	Parameters() int
	// Columns are the columns of the answer; nil when they are not known before it is executed, or when there are none.
	Columns() []Column
	// Execute runs it. The parameters are the callee's until it returns only, and so are the bytes that they alias.
	Execute(ctx context.Context, parameters []datum.Datum, s Sink) error
	Close()
}

// Process is a connection as SHOW PROCESSLIST sees it.
type Process struct {
	ID       uint32
	User     string
	Host     string // with the port
	Database string
	Command  string // "Query", "Sleep", "Execute", ...
	Seconds  int64  // since it entered this command
	State    string
	Info     string // the beginning of the statement at work, "" if there is none
}
