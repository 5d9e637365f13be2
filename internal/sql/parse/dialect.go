// SPDX-License-Identifier: Apache-2.0

package parse

import (
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/parse/token"
	"github.com/weftdb/weft/internal/sql/tree"
)

// Dialect reads texts as a session's sql_mode says. The zero value is MySQL's default, which the functions of this
// package read. What is printed from a tree, or kept as a text, is in the default dialect whatever it was read in.
type Dialect struct{ token.Mode }

// DialectOf is the dialect of a session's settings.
func DialectOf(ansiQuotes, pipesAsConcat, noBackslashEscapes, realAsFloat, looseGroups bool) (d Dialect) {
	if ansiQuotes {
		d.Mode |= token.AnsiQuotes
	}
	if pipesAsConcat {
		d.Mode |= token.PipesAsConcat
	}
	if noBackslashEscapes {
		d.Mode |= token.NoBackslashEscapes
	}
	if realAsFloat {
		d.Mode |= token.RealAsFloat
	}
	if looseGroups {
		d.Mode |= token.LooseGroups
	}
	return d
}

// Fingerprint is token.Mode.Fingerprint of the default dialect.
func Fingerprint(text, key []byte, parameters []datum.Datum) (newKey []byte, newParameters []datum.Datum, ok bool) {
	return Dialect{}.Fingerprint(text, key, parameters)
}

// Split is token.Mode.Split of the default dialect.
func Split(text []byte) (statement, rest []byte, err error) { return Dialect{}.Split(text) }

// Parse is Dialect.Parse of the default dialect.
func Parse(text []byte) (tree.Statement, error) { return Dialect{}.Parse(text) }

// ParseFingerprinted is Dialect.ParseFingerprinted of the default dialect.
func ParseFingerprinted(text []byte) (tree.Statement, error) {
	return Dialect{}.ParseFingerprinted(text)
}
