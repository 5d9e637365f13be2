// SPDX-License-Identifier: Apache-2.0

package hbase

import (
	"errors"
	"fmt"

	"github.com/weftdb/weft/internal/database"
)

// Kind says by which of Thrift's exceptions a client is told of a Fault.
type Kind uint8

// The kinds.
const (
	IO              Kind = iota // TIOError
	IllegalArgument             // TIllegalArgument
)

// Fault is a failure that a client is told.
type Fault struct {
	Kind    Kind
	Class   string // HBase's exception, by its full name
	Message string
}

func (f *Fault) Error() string {
	if f.Class == "" {
		return f.Message
	}
	return f.Class + ": " + f.Message
}

const hbasePackage = "org.apache.hadoop.hbase."

func illegal(format string, args ...any) *Fault {
	return &Fault{Kind: IllegalArgument, Class: "java.lang.IllegalArgumentException", Message: fmt.Sprintf(format, args...)}
}

func failure(class, format string, args ...any) *Fault {
	return &Fault{Class: hbasePackage + class, Message: fmt.Sprintf(format, args...)}
}

// faultOf words an error of package database.
func faultOf(err error) error {
	if err == nil {
		return nil
	}
	if known, ok := errors.AsType[*Fault](err); ok {
		return known
	}
	e, ok := errors.AsType[*database.Error](err)
	if !ok {
		return err
	}
	switch e.Kind {
	case database.KindNotFound:
		return failure("TableNotFoundException", "%s", e.Reason())
	case database.KindExists:
		return failure("TableExistsException", "%s", e.Reason())
	case database.KindInvalid, database.KindTooLarge, database.KindConditionFailed:
		return failure("DoNotRetryIOException", "%s", e.Reason())
	case database.KindDenied:
		return failure("security.AccessDeniedException", "%s", e.Reason())
	case database.KindReadOnly:
		return failure("DoNotRetryIOException", "%s", e.Reason())
	}
	return &Fault{Class: "java.io.IOException", Message: e.Reason()}
}
