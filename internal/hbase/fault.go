// SPDX-License-Identifier: Apache-2.0

package hbase

import (
	"errors"
	"fmt"

	"github.com/weftdb/weft/internal/database"
)

// Kind says by which of Thrift's exceptions a client learns of a Fault.
type Kind uint8

// The kinds.
const (
	IO              Kind = iota // TIOError
	IllegalArgument             // TIllegalArgument
)

// Fault is a failure as a client sees it.
type Fault struct {
	Kind    Kind
	Class   string // HBase's exception, by its full name
	Message string
	Retry   bool // the same call may work later
}

func (f *Fault) Error() string {
	if f.Class == "" {
		return f.Message
	}
	return f.Class + ": " + f.Message
}

const hbasePackage = "org.apache.hadoop.hbase."

// Illegal refuses the arguments of a call.
func Illegal(format string, args ...any) *Fault {
	return &Fault{Kind: IllegalArgument, Class: "java.lang.IllegalArgumentException",
		Message: fmt.Sprintf(format, args...)}
}

func failure(class, format string, args ...any) *Fault {
	return &Fault{Class: hbasePackage + class, Message: fmt.Sprintf(format, args...)}
}

// faultOf words an error of package database that is the client's. Others stay what they are.
func faultOf(err error) error {
	if known, ok := errors.AsType[*Fault](err); ok { // of an edit, which package database has wrapped
		return known
	}
	e, ok := errors.AsType[*database.Error](err)
	if !ok {
		return err
	}
	switch e.Kind {
	case database.KindNotFound:
		return failure(tableNotFound, "%s", e.Reason())
	case database.KindExists:
		return failure(tableExists, "%s", e.Reason())
	case database.KindInvalid, database.KindTooLarge, database.KindConditionFailed, database.KindReadOnly:
		return failure("DoNotRetryIOException", "%s", e.Reason())
	case database.KindDenied:
		return failure("security.AccessDeniedException", "%s", e.Reason())
	}
	return err
}

// IsTableExists reports whether an error is that there is such a table already.
func IsTableExists(err error) bool {
	f, ok := errors.AsType[*Fault](err)
	return ok && f.Class == hbasePackage+tableExists
}

// IsTableNotFound reports whether an error is that there is no such table.
func IsTableNotFound(err error) bool {
	f, ok := errors.AsType[*Fault](err)
	return ok && f.Class == hbasePackage+tableNotFound
}

const (
	tableExists   = "TableExistsException"
	tableNotFound = "TableNotFoundException"
)
