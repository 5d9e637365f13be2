// SPDX-License-Identifier: Apache-2.0

package function

import (
	"encoding/hex"
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
	"database":       {Result: isText, Apply: ask(func(s Session) datum.Datum { return nameOrNull(s.Database()) })},
	"schema":         {Result: isText, Apply: ask(func(s Session) datum.Datum { return nameOrNull(s.Database()) })},
	"version":        {Result: isText, Apply: ask(func(s Session) datum.Datum { return datum.TextString(s.Version()) })},
	"user":           {Result: isText, Apply: ask(userOf)},
	"current_user":   {Result: isText, Apply: ask(accountOf)},
	"current_role":   {Result: isText, Apply: ask(rolesOf)},
	"session_user":   {Result: isText, Apply: ask(userOf)},
	"system_user":    {Result: isText, Apply: ask(userOf)},
	"connection_id":  {Result: isUnsigned, Apply: ask(func(s Session) datum.Datum { return datum.Uint(s.ConnectionID()) })},
	"last_insert_id": {Max: 1, Result: isUnsigned, Apply: lastInsertID},
	"row_count":      {Result: isInteger, Apply: ask(func(s Session) datum.Datum { return datum.Int(s.RowCount()) })},
	"found_rows":     {Result: isInteger, Apply: ask(func(s Session) datum.Datum { return datum.Int(s.FoundRows()) })},
	"charset":        {Min: 1, Max: 1, Result: isText, Apply: charset, Nulls: true},
	"collation":      {Min: 1, Max: 1, Result: isText, Apply: collation, Nulls: true},
	"uuid":           {Result: isText, Apply: uuid, Volatile: true},
	"uuid_to_bin":    {Min: 1, Max: 1, Result: isBinary, Apply: uuidToBinary},
	"bin_to_uuid":    {Min: 1, Max: 1, Result: isText, Apply: binaryToUUID},
	"is_uuid":        {Min: 1, Max: 1, Result: isBoolean, Apply: isUUID},
	"sleep":          {Min: 1, Max: 1, Result: isInteger, Apply: sleep, Volatile: true, Nulls: true},
	"interval":       {Min: 2, Max: -1, Result: isInteger, Apply: intervalOf, Nulls: true},
}

// isBinary is the type of bytes. // immutable
var isBinary = always(datum.Varbinary)

// isUnsigned is the type of counts and numbers of things. // immutable
var isUnsigned = always(datum.BigIntUnsigned)

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

func charset(_ *Environment, a []datum.Datum) (datum.Datum, error) {
	if isPlainText(a[0]) {
		return datum.TextString("utf8mb4"), nil
	}
	return datum.TextString("binary"), nil
}

func collation(_ *Environment, a []datum.Datum) (datum.Datum, error) {
	if isPlainText(a[0]) {
		return datum.TextString("utf8mb4_bin"), nil
	}
	return datum.TextString("binary"), nil
}

func isPlainText(d datum.Datum) bool {
	return d.Kind() == datum.KindText || d.Kind() == datum.KindJSON
}

// uuid makes a random one, of version 4.
func uuid(e *Environment, _ []datum.Datum) (datum.Datum, error) {
	var raw [16]byte
	high, low := e.random(), e.random()
	for i := range 8 {
		raw[i], raw[8+i] = byte(high>>(8*i)), byte(low>>(8*i))
	}
	raw[6], raw[8] = raw[6]&0x0f|0x40, raw[8]&0x3f|0x80
	return e.text(appendUUID(e.arena, raw[:])), nil
}

func appendUUID(dst, raw []byte) []byte {
	for i, end := range []int{4, 6, 8, 10, 16} {
		if i > 0 {
			dst = append(dst, '-')
		}
		dst = hex.AppendEncode(dst, raw[[]int{0, 4, 6, 8, 10}[i]:end])
	}
	return dst
}

// parseUUID reads one with or without dashes and braces.
func parseUUID(text []byte) (raw []byte, ok bool) {
	if len(text) == 38 && text[0] == '{' && text[37] == '}' {
		text = text[1:37]
	}
	if len(text) == 36 {
		if text[8] != '-' || text[13] != '-' || text[18] != '-' || text[23] != '-' {
			return nil, false
		}
		plain := make([]byte, 0, 32)
		for _, part := range [][]byte{text[:8], text[9:13], text[14:18], text[19:23], text[24:]} {
			plain = append(plain, part...)
		}
		text = plain
	}
	if len(text) != 32 {
		return nil, false
	}
	raw, err := hex.AppendDecode(nil, text)
	return raw, err == nil
}

func uuidToBinary(e *Environment, a []datum.Datum) (datum.Datum, error) {
	raw, ok := parseUUID(e.TextOf(a[0]))
	if !ok {
		return datum.Null, fault.New(fault.FunctionArgument, "string", string(e.TextOf(a[0])), "uuid_to_bin")
	}
	return datum.Binary(raw), nil
}

func binaryToUUID(e *Environment, a []datum.Datum) (datum.Datum, error) {
	raw := e.TextOf(a[0])
	if len(raw) != 16 {
		return datum.Null, fault.New(fault.FunctionArgument, "string", string(raw), "bin_to_uuid")
	}
	return e.text(appendUUID(e.arena, raw)), nil
}

func isUUID(e *Environment, a []datum.Datum) (datum.Datum, error) {
	_, ok := parseUUID(e.TextOf(a[0]))
	return datum.Bool(ok), nil
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
	if interrupted {
		return datum.Int(1), err
	}
	return datum.Int(0), err
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
