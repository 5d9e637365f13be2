// SPDX-License-Identifier: Apache-2.0

// Package failure turns go-mysql-server's errors into those that clients of MySQL know.
//
// Knows: the engine's kinds of errors and their texts, MySQL's codes.
// Never: plans, rows, where a statement came from.
package failure

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer/analyzererrors"
	"github.com/dolthub/go-mysql-server/sql/planbuilder"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"
	kinds "gopkg.in/src-d/go-errors.v1"

	"github.com/weftdb/weft/internal/sql/fault"
)

// Recovered turns a panic of the engine into one error.
func Recovered(err *error) {
	if met := recover(); met != nil {
		if e, ok := met.(error); ok {
			if f, is := fault.Of(e); is {
				*err = f
				return
			}
		}
		*err = fault.New(fault.Unknown, fmt.Sprintf("The statement met a fault of the relational engine: %.200v", met))
	}
}

// Names is what a statement knows of the names in it.
type Names struct {
	// Database is the current one.
	Database string
	// Missing are the databases in which tables were not found, Strangers the columns of tables that are not in FROM; both by the tables' names in
	// lower case.
	Missing, Strangers map[string]string
	// Original takes off what was put to a column's name.
	Original func(string) string
}

// Translate makes a *fault.Error of the engine's error; one that wraps a *fault.Error is that.
func Translate(ctx context.Context, err error, names Names) error {
	if f := Known(err); f != nil {
		return f
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return fault.Because(err, fault.StatementTimeout)
	}
	if errors.Is(err, context.Canceled) || ctx.Err() != nil {
		return fault.Because(err, fault.Interrupted)
	}
	if f := byKind(names, err); f != nil {
		return f
	}
	cast := sql.CastSQLError(err)
	made := fault.Because(err, fault.Unknown, cast.Message)
	if cast.Num != mysql.ERUnknownError {
		made.Code = fault.Code(cast.Num)
		if cast.State != "" && cast.State != mysql.SSUnknownSQLState {
			made.State = cast.State
		} else if state := made.Code.State(); state != "" {
			made.State = state
		}
	}
	return made
}

// Known finds a *fault.Error below all that the engine wraps around errors.
func Known(err error) *fault.Error {
	for depth := 0; err != nil && depth < 32; depth++ {
		if f, ok := fault.Of(err); ok {
			return f
		}
		switch e := err.(type) {
		case interface{ Cause() error }:
			err = e.Cause()
		case sql.WrappedInsertError:
			err = e.Cause
		case sql.WrappedTypeConversionError:
			err = e.Err
		default:
			err = errors.Unwrap(err)
		}
	}
	return nil
}

// innermost is the error below the engine's wraps.
func innermost(err error) error {
	for depth := 0; depth < 32; depth++ {
		var below error
		switch e := err.(type) {
		case sql.WrappedInsertError:
			below = e.Cause
		case sql.WrappedTypeConversionError:
			below = e.Err
		case *kinds.Error:
			below = nil
		default:
			below = errors.Unwrap(err)
		}
		if below == nil {
			return err
		}
		err = below
	}
	return err
}

// byKind knows the errors whose texts clients read; nil for others.
func byKind(names Names, err error) *fault.Error {
	err = innermost(err)
	text := err.Error()
	quoted := between(text, `"`, `"`)
	switch {
	case sql.ErrSyntaxError.Is(err):
		return fault.Because(err, fault.Syntax, "You have an error in your SQL syntax; "+text)
	case sql.ErrTableNotFound.Is(err):
		name := strings.TrimPrefix(text, "table not found: ")
		name, _, _ = strings.Cut(name, ", maybe you mean")
		return noTable(names, err, name)
	case sql.ErrDatabaseNotFound.Is(err):
		return fault.Because(err, fault.UnknownDatabase, strings.TrimPrefix(text, "database not found: "))
	case sql.ErrNoDatabaseSelected.Is(err):
		return fault.Because(err, fault.NoDatabase)
	case sql.ErrColumnNotFound.Is(err), sql.ErrMisusedAlias.Is(err):
		return fault.Because(err, fault.UnknownColumn, names.Original(quoted), "field list")
	case sql.ErrTableColumnNotFound.Is(err):
		parts := strings.Split(text, `"`)
		if len(parts) >= 4 {
			return fault.Because(err, fault.UnknownColumn, names.Original(parts[1]+"."+parts[3]), "field list")
		}
		return fault.Because(err, fault.UnknownColumn, names.Original(quoted), "field list")
	case sql.ErrAmbiguousColumnName.Is(err), sql.ErrAmbiguousColumnOrAliasName.Is(err), sql.ErrAmbiguousColumnInOrderBy.Is(err):
		return fault.Because(err, fault.AmbiguousColumn, names.Original(quoted), "field list")
	case sql.ErrFunctionNotFound.Is(err):
		return fault.Because(err, fault.UnknownFunction, between(text, "'", "'"))
	case sql.ErrInvalidArgumentNumber.Is(err):
		return fault.Because(err, fault.ParameterCount, between(text, "'", "'"))
	case sql.ErrUnknownSystemVariable.Is(err):
		return fault.Because(err, fault.UnknownVariable, between(text, "'", "'"))
	}
	return byValue(err, text)
}

// noTable is the error of a table that is not there, or, if it is no table of a FROM, of the column that it was to have.
func noTable(names Names, err error, name string) *fault.Error {
	lower := strings.ToLower(name)
	if database, ok := names.Missing[lower]; ok {
		return fault.Because(err, fault.NoSuchTable, database, name)
	}
	if column, ok := names.Strangers[lower]; ok {
		return fault.Because(err, fault.UnknownColumn, name+"."+column, "field list")
	}
	return fault.Because(err, fault.NoSuchTable, names.Database, name)
}

// byValue knows the errors that values cause.
func byValue(err error, text string) *fault.Error {
	switch {
	case sql.ErrInsertIntoNonNullableProvidedNull.Is(err):
		return fault.Because(err, fault.NotNull, between(text, "'", "'"))
	case sql.ErrInsertIntoNonNullableDefaultNullColumn.Is(err):
		return fault.Because(err, fault.NoDefault, between(text, "'", "'"))
	case sql.ErrPrimaryKeyViolation.Is(err), sql.ErrUniqueKeyViolation.Is(err):
		_, key, _ := strings.Cut(text, ": ")
		return fault.Because(err, fault.DuplicateEntry, key, "PRIMARY")
	case sql.ErrInsertIntoMismatchValueCount.Is(err), sql.ErrColValCountMismatch.Is(err), sql.ErrColumnCountMismatch.Is(err):
		return fault.Because(err, fault.ColumnCount, 1)
	case sql.ErrNonAggregatedColumnWithoutGroupBy.Is(err), analyzererrors.ErrValidationGroupBy.Is(err):
		return withCode(err, fault.WrongGroupField, text)
	case types.ErrLengthBeyondLimit.Is(err):
		return fault.Because(err, fault.DataTooLong, text[strings.LastIndex(text[:max(0, len(text)-1)], "'")+1:max(1, len(text))-1], 1)
	case sql.ErrNoMemoryAvailable.Is(err):
		return fault.Because(err, fault.OutOfMemory, "The statement holds too many rows in memory; bind more key columns, or join on an index")
	case sql.ErrViewDoesNotExist.Is(err):
		return fault.Because(err, fault.UnknownTableDrop, between(text+" ", "the view ", " "))
	case sql.ErrExistingView.Is(err):
		name := between(text, "the view ", " already")
		return fault.Because(err, fault.TableExists, name[strings.LastIndexByte(name, '.')+1:])
	case sql.ErrDuplicateAliasOrTable.Is(err):
		return withCode(err, 1066, "Not unique table/alias: '"+strings.TrimPrefix(text, "Not unique table/alias: ")+"'")
	case sql.ErrInvalidRefInView.Is(err):
		return withCode(err, 1356, text)
	case sql.ErrExpectedSingleRow.Is(err):
		return withCode(err, 1242, "Subquery returns more than 1 row")
	case sql.ErrColumnNumberDoesNotMatch.Is(err), planbuilder.ErrUnionSchemasDifferentLength.Is(err):
		return withCode(err, 1222, "The used SELECT statements have a different number of columns")
	case sql.ErrTableAlreadyExists.Is(err):
		return fault.Because(err, fault.TableExists, strings.TrimSpace(strings.TrimSuffix(between(text, "CreateView(", ")"), ")")))
	case sql.ErrUnsupportedFeature.Is(err), sql.ErrUnsupportedSyntax.Is(err):
		return fault.Because(err, fault.NotSupported, text)
	case sql.ErrCteRecursionLimitExceeded.Is(err):
		return withCode(err, 3636, "Recursive query aborted after too many iterations. Try increasing @@cte_max_recursion_depth to a larger value.")
	case sql.ErrValueOutOfRange.Is(err):
		return withCode(err, fault.DataOutOfRange, text)
	}
	return nil
}

// withCode makes an error of a code and its whole text.
func withCode(err error, code fault.Code, text string) *fault.Error {
	state := code.State()
	if state == "" {
		state = "42000"
	}
	return &fault.Error{Code: code, State: state, Message: text, Err: err}
}

// between cuts the text between two marks; the whole text if they are not there.
func between(text, from, to string) string {
	_, rest, ok := strings.Cut(text, from)
	if !ok {
		return text
	}
	inner, _, ok := strings.Cut(rest, to)
	if !ok {
		return text
	}
	return inner
}

// nearLengthMax bounds how much of the statement a message shows.
const nearLengthMax = 80

// Syntax words a syntax error as the dialect's parser does.
func Syntax(text, problem string) string {
	at, _, _ := strings.Cut(between(problem, "at position ", " near"), ":")
	offset, err := strconv.Atoi(at)
	if offset--; err != nil || offset < 0 || offset > len(text) {
		return "You have an error in your SQL syntax; " + problem
	}
	from := strings.LastIndexAny(text[:offset], " \t\r\n(,") + 1 // the position is that of the word's end
	near := strings.TrimSpace(strings.ToValidUTF8(text[from:min(len(text), from+nearLengthMax)], ""))
	line := 1 + strings.Count(text[:from], "\n")
	column := from - strings.LastIndexByte(text[:from], '\n')
	return "You have an error in your SQL syntax near '" + near + "' at line " + strconv.Itoa(line) + ", column " + strconv.Itoa(column)
}
