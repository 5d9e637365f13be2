// SPDX-License-Identifier: Apache-2.0

package schema

import "fmt"

// Type is the type of a column or key part.
type Type uint8

// The types. AnyType stands for string, number or binary, each encoded with a leading type byte.
const (
	AnyType Type = iota
	String
	Number
	Binary
	Bool
	Int
	Float
	Timestamp
)

// Function is how a key part is computed from its arguments.
type Function uint8

// The functions of key parts.
const (
	Plain   Function = iota // the column itself
	Hash8                   // the leading 8 bits of xxHash64 of the arguments' ordered encoding
	Hash32                  // the leading 32 bits
	Hash64                  // all 64 bits
	Reverse                 // characters of a string, digits of an integer, last first
	Concat                  // texts, numbers and literals joined
	ZOrder                  // one code of several columns: see Curve
	Words                   // the words of texts, each by itself: only in a search index
)

// Projection says which attributes an index entry holds besides its keys.
type Projection uint8

// The projections.
const (
	ProjectAll Projection = iota
	ProjectKeys
	ProjectInclude
)

// State is a stage in the life of a table or an index. Changes go from stage to stage, each waiting until no
// transaction of the stage before runs, so that at any time transactions of two neighbouring stages, and no others, run
// side by side.
type State uint8

// The states, in the order in which an index passes through them, except that Active comes after Backfill.
const (
	Active     State = iota // read and maintained
	DeleteOnly              // entries are deleted, never added: a transaction one stage behind adds none either
	WriteOnly               // entries are added and deleted, not yet read; history is missing
	Backfill                // as WriteOnly, while a job adds history
	Retiring                // being removed: maintained for the readers of the stage before, no longer read
	Dropping                // neither read nor maintained; a job removes the bytes
)

// TakesWrites reports whether a transaction adds entries to an index in this state.
func (s State) TakesWrites() bool {
	return s == Active || s == WriteOnly || s == Backfill || s == Retiring
}

// TakesDeletes reports whether a transaction deletes entries from an index in this state.
func (s State) TakesDeletes() bool { return s.TakesWrites() || s == DeleteOnly }

// Building reports whether an index in this state has yet to become complete.
func (s State) Building() bool { return s == DeleteOnly || s == WriteOnly || s == Backfill }

// Readable reports whether an index in this state answers queries.
func (s State) Readable() bool { return s == Active }

var (
	// immutable
	typeNames = [...]string{"any", "string", "number", "binary", "bool", "int", "float", "timestamp"}
	// immutable
	functionNames = [...]string{"plain", "hash8", "hash32", "hash64", "reverse", "concat", "zorder", "words"}
	// immutable
	projectionNames = [...]string{"all", "keys", "include"}
	// immutable
	stateNames = [...]string{"active", "delete-only", "write-only", "backfill", "retiring", "dropping"}
)

func (t Type) String() string       { return nameOf(typeNames[:], int(t)) }
func (f Function) String() string   { return nameOf(functionNames[:], int(f)) }
func (p Projection) String() string { return nameOf(projectionNames[:], int(p)) }
func (s State) String() string      { return nameOf(stateNames[:], int(s)) }

// MarshalText writes the stored word, so that descriptors at rest stay readable and renumbering can't corrupt them.
func (t Type) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// MarshalText writes the stored word.
func (f Function) MarshalText() ([]byte, error) { return []byte(f.String()), nil }

// MarshalText writes the stored word.
func (p Projection) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// MarshalText writes the stored word.
func (s State) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads the stored word.
func (t *Type) UnmarshalText(b []byte) error {
	n, err := wordOf("type", typeNames[:], string(b))
	*t = Type(n)
	return err
}

// UnmarshalText reads the stored word.
func (f *Function) UnmarshalText(b []byte) error {
	n, err := wordOf("function", functionNames[:], string(b))
	*f = Function(n)
	return err
}

// UnmarshalText reads the stored word.
func (p *Projection) UnmarshalText(b []byte) error {
	n, err := wordOf("projection", projectionNames[:], string(b))
	*p = Projection(n)
	return err
}

// UnmarshalText reads the stored word.
func (s *State) UnmarshalText(b []byte) error {
	n, err := wordOf("state", stateNames[:], string(b))
	*s = State(n)
	return err
}

func nameOf(names []string, n int) string {
	if n < len(names) {
		return names[n]
	}
	return fmt.Sprintf("%d", n)
}

func wordOf(what string, names []string, word string) (int, error) {
	for i, name := range names {
		if name == word {
			return i, nil
		}
	}
	return 0, fmt.Errorf("schema: unknown %s %q: the descriptor was written by a newer version of Weft", what, word)
}
