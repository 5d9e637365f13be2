// SPDX-License-Identifier: Apache-2.0

package token

// Mode is how sql_mode changes what a text means. The zero value is MySQL's default.
type Mode uint8

// The modes, which may be combined.
const (
	// AnsiQuotes makes what stands in double quotes a name.
	AnsiQuotes Mode = 1 << iota
	// PipesAsConcat makes || join texts.
	PipesAsConcat
	// NoBackslashEscapes makes the backslash an ordinary character of texts.
	NoBackslashEscapes
	// RealAsFloat makes the type REAL the smaller one.
	RealAsFloat
	// LooseGroups lets a query with groups name columns that are not grouped by: they have the value of some row of the
	// group.
	LooseGroups
)

// Pipes is the word of the symbol || where it joins texts.
const Pipes = "|| of texts"
