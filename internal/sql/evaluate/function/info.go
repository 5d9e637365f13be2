// SPDX-License-Identifier: Apache-2.0

package function

import (
	"strings"

	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/fault"
)

// Sleeper is a Session that can wait. It returns early, with interrupted true, if the statement is to end; or with an
// error where the rest of the statement must not go on.
type Sleeper interface {
	Sleep(ms int64) (interrupted bool, err error)
}

// facts are the functions that tell of the session, and a few others without a home. // immutable
var facts = map[string]Function{
	"database": {Result: isText, Apply: ask(func(s Session) datum.Datum { return nameOrNull(s.Database()) })},
	"schema":   {Result: isText, Apply: ask(func(s Session) datum.Datum { return nameOrNull(s.Database()) })},
	"version": {Result: isText, Apply: ask(
		func(s Session) datum.Datum { return datum.TextString(s.Version()) })},
	"user":         {Result: isText, Apply: ask(userOf)},
	"current_user": {Result: isText, Apply: ask(accountOf)},
	"current_role": {Result: isText, Apply: ask(rolesOf)},
	"session_user": {Result: isText, Apply: ask(userOf)},
	"system_user":  {Result: isText, Apply: ask(userOf)},
	"connection_id": {Result: isUnsigned,
		Apply: ask(func(s Session) datum.Datum { return datum.Uint(s.ConnectionID()) })},
	"last_insert_id": {Max: 1, Result: isUnsigned, Apply: lastInsertID},
	"row_count":      {Result: isInteger, Apply: ask(func(s Session) datum.Datum { return datum.Int(s.RowCount()) })},
	"found_rows":     {Result: isInteger, Apply: ask(func(s Session) datum.Datum { return datum.Int(s.FoundRows()) })},
	"charset":        {Min: 1, Max: 1, Result: isText, Apply: textual("utf8mb4"), Nulls: true},
	"collation":      {Min: 1, Max: 1, Result: isText, Apply: textual("utf8mb4_bin"), Nulls: true},
	"sleep":          {Min: 1, Max: 1, Result: isInteger, Apply: sleep, Volatile: true, Nulls: true},
	":=":             {Min: 2, Max: 2, Result: likeSecond, Apply: assign, Nulls: true, Volatile: true},
	"name_const":     {Min: 2, Max: 2, Result: likeSecond, Apply: second, Nulls: true},
	"interval":       {Min: 2, Max: -1, Result: isInteger, Apply: intervalOf, Nulls: true},
}

// isBinary is the type of bytes. // immutable
var isBinary = Always(datum.Varbinary)

// isUnsigned is the type of counts and numbers of things. // immutable
var isUnsigned = Always(datum.BigIntUnsigned)

// accountOf is the user whose rights the session has, who may sign in from anywhere.
func accountOf(s Session) datum.Datum {
	user := s.User()
	return datum.TextString(user[:strings.LastIndexByte(user, '@')+1] + "%")
}

// rolesOf are the roles of the session's user.
func rolesOf(s Session) datum.Datum {
	if has, ok := s.(interface{ Roles() string }); ok {
		return datum.TextString(has.Roles())
	}
	return datum.TextString("NONE")
}

func ask(question func(Session) datum.Datum) func(*Environment, []datum.Datum) (datum.Datum, error) {
	return func(e *Environment, _ []datum.Datum) (datum.Datum, error) {
		if e.Session == nil {
			return datum.Null, nil
		}
		return question(e.Session), nil
	}
}

func nameOrNull(name string) datum.Datum {
	if name == "" {
		return datum.Null
	}
	return datum.TextString(name)
}

func userOf(s Session) datum.Datum { return datum.TextString(s.User()) }

func lastInsertID(e *Environment, a []datum.Datum) (datum.Datum, error) {
	if len(a) == 1 {
		if s, ok := e.Session.(interface{ SetLastInsertID(n uint64) }); ok {
			s.SetLastInsertID(a[0].Bits())
		}
		return datum.Uint(a[0].Bits()), nil
	}
	if e.Session == nil {
		return datum.Null, nil
	}
	return datum.Uint(e.Session.LastInsertID()), nil
}

// textual tells texts from everything else, which is binary.
func textual(word string) func(*Environment, []datum.Datum) (datum.Datum, error) {
	return func(_ *Environment, a []datum.Datum) (datum.Datum, error) {
		if a[0].Kind() == datum.KindText || a[0].Kind() == datum.KindJSON {
			return datum.TextString(word), nil
		}
		return datum.TextString("binary"), nil
	}
}

// sleep waits where the session can; it is 1 if it was interrupted.
func sleep(e *Environment, a []datum.Datum) (datum.Datum, error) {
	seconds := a[0].NumberFloat()
	if a[0].IsNull() || seconds < 0 {
		return datum.Null, fault.New(fault.WrongArguments, "sleep.")
	}
	sleeper, ok := e.Session.(Sleeper)
	if !ok {
		return datum.Int(0), nil
	}
	interrupted, err := sleeper.Sleep(int64(min(seconds*1000, 1e12)))
	return Bit(interrupted), err
}

// intervalOf is INTERVAL(x, a, b, ..): how many of the others, which ascend, are not above x; -1 for NULL.
func intervalOf(_ *Environment, a []datum.Datum) (datum.Datum, error) {
	if a[0].IsNull() {
		return datum.Int(-1), nil
	}
	x := a[0].Number()
	for i, d := range a[1:] {
		if order, null := datum.Compare(x, d.Number()); !null && order < 0 {
			return datum.Int(int64(i)), nil
		}
	}
	return datum.Int(int64(len(a) - 1)), nil
}

// likeSecond is the type of the second argument.
func likeSecond(arguments []datum.Type) datum.Type { return arguments[1] }

func second(_ *Environment, a []datum.Datum) (datum.Datum, error) { return a[1], nil }

// Assigner is a Session whose variables expressions can assign.
type Assigner interface {
	AssignUser(name string, value datum.Datum) error
}

// assign is @name := value, and is that value. No statement can name it otherwise.
func assign(e *Environment, a []datum.Datum) (datum.Datum, error) {
	if s, ok := e.Session.(Assigner); ok {
		if err := s.AssignUser(string(a[0].Bytes()), a[1]); err != nil {
			return datum.Null, err
		}
	}
	return a[1], nil
}
