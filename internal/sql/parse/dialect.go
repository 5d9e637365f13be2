// SPDX-License-Identifier: Apache-2.0

package parse

import (
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

// Parse is Dialect.Parse of the default dialect.
func Parse(text []byte) (tree.Statement, error) { return Dialect{}.Parse(text) }
