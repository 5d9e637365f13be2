// SPDX-License-Identifier: Apache-2.0

// Package function holds SQL's functions of values: what each takes, the type it gives, and what it computes. Functions
// of their own evaluation, such as IF and COALESCE, and aggregates are package evaluate's.
//
// Knows: the functions of MySQL and LindormTable that are of use on one table.
// Never: trees, rows, clocks, randomness, tables: the time and random numbers are handed in.
package function

import (
	"iter"

	"github.com/weftdb/weft/internal/resource/memory"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/datum/jsontext"
	"github.com/weftdb/weft/internal/sql/tree"
)

// PacketMax is the largest text that a function makes, in bytes: MySQL's max_allowed_packet. A longer one becomes NULL.
const PacketMax = 16 << 20

// Session answers the questions of functions about the session that runs the statement.
type Session interface {
	// Variable returns the value of a user's or a system variable; an unknown system variable is an error, an unknown
	// user's variable NULL.
	Variable(v *tree.Variable) (datum.Datum, error)
	Version() string
	Database() string // "" if none was chosen
	User() string     // name@host
	ConnectionID() uint64
	LastInsertID() uint64
	RowCount() int64
	FoundRows() int64
}

// Environment holds the inputs of functions other than their arguments. It serves one goroutine. The zero value works:
// the time is 1970, and there is no session.
type Environment struct {
	// NowUS is the time of the statement in microseconds since 1970.
	NowUS int64
	// Zone is the session's time zone; nil is UTC. Times in expressions are local times in it.
	Zone Zone
	// Session may be nil: functions that ask it are NULL then.
	Session Session
	// Random returns random bits for RAND and UUID. Where nil, bits follow from NowUS.
	Random func() uint64
	// Done is closed when the statement is to end, which functions that may take long look at. It may be nil.
	Done <-chan struct{}

	// Memory counts the texts that functions make, where they are long. Its zero value has no bound.
	Memory memory.Share

	arena   []byte // texts that functions made since Reset
	regexps map[string]*Regular
	paths   map[string]jsontext.Path
	state   uint64
}

// arenaFree is the number of bytes of texts that are kept for later ones, and not counted.
const arenaFree = 64 << 10

// Reset gives up the texts that functions have made: datums that came from programs, and were not cloned, become
// invalid.
func (e *Environment) Reset() {
	if cap(e.arena) > arenaFree {
		e.arena = nil
	}
	e.Memory.Release()
	e.arena = e.arena[:0]
}

// Arena returns the slice to which a text that lives until Reset is appended; Keep takes it.
func (e *Environment) Arena() []byte { return e.arena }

// Keep makes what was appended to Arena last until Reset, and returns it. What it is given must be Arena with more
// behind it, nothing else: a slice of its own would take the place of what other functions of the row have made.
func (e *Environment) Keep(grown []byte) []byte {
	start := len(e.arena)
	e.arena = grown
	return grown[start:len(grown):len(grown)]
}

func (e *Environment) text(grown []byte) datum.Datum { return datum.Text(e.Keep(grown)) }

// TextOf is d's text, in the arena if d is no text itself.
func (e *Environment) TextOf(d datum.Datum) []byte {
	switch d.Kind() {
	case datum.KindText, datum.KindBinary, datum.KindJSON:
		return d.Bytes()
	}
	return e.Keep(d.AppendText(e.arena))
}

// random returns 64 bits.
func (e *Environment) random() uint64 {
	if e.Random != nil {
		return e.Random()
	}
	e.state += 0x9e3779b97f4a7c15
	return mix(e.state + uint64(e.NowUS))
}

// mix spreads the bits of a counter, as splitmix64 does.
func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// regexpsMax bounds the compiled patterns that are kept, and the paths of JSON.
const regexpsMax = 64

// Path reads a path of JSON, or finds it read. The error is jsontext's.
func (e *Environment) Path(text []byte) (jsontext.Path, error) {
	if p, ok := e.paths[string(text)]; ok {
		return p, nil
	}
	p, err := jsontext.ParsePath(string(text))
	if err != nil {
		return p, err
	}
	if e.paths == nil || len(e.paths) >= regexpsMax {
		e.paths = make(map[string]jsontext.Path)
	}
	e.paths[string(text)] = p
	return p, nil
}

// Function is one function. Its name is the key in the table.
type Function struct {
	// Min and Max are the number of arguments it takes; Max < 0 is any number.
	Min, Max int
	// Result is the type that it gives for arguments of given types.
	Result func(arguments []datum.Type) datum.Type
	// Format, if there is one, is the type where the last argument is a text that is spelled out.
	Format func(text string) datum.Type
	// Apply computes it. Arguments alias rows and parameters; the result aliases them, or lives until the environment's
	// Reset.
	Apply func(e *Environment, arguments []datum.Datum) (datum.Datum, error)
	// Nulls says that it is called with NULLs; else it is NULL if an argument is.
	Nulls bool
	// Skips, if there is one, reports whether the argument with a number is not computed, but taken for NULL, since the
	// result does not depend on it. before are those before it.
	Skips func(before []datum.Datum, number int) bool
	// Alike says that Skips holds only where arguments are all numbers or all texts: otherwise each counts for how
	// others are compared.
	Alike bool
	// Volatile says that it differs from call to call within a statement.
	Volatile bool
}

// Families are functions by their names in lower case, a map for each family.
type Families []map[string]Function

// Find returns the function of a name in lower case; ok is false if there is none.
func (list Families) Find(name string) (f *Function, ok bool) {
	for _, family := range list {
		if found, ok := family[name]; ok {
			return &found, true
		}
	}
	return nil, false
}

// Names returns the names of all functions, in no order.
func (list Families) Names() iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, family := range list {
			for name := range family {
				if !yield(name) {
					return
				}
			}
		}
	}
}

// All returns the functions of this package.
func All() Families {
	return Families{texts, numbers, times, parts, formats, patterns, facts, identifiers, locks}
}

// Always returns a Function's Result that is one type whatever the arguments.
func Always(t datum.Base) func([]datum.Type) datum.Type {
	return func([]datum.Type) datum.Type { return datum.Type{Base: t} }
}

// likeFirst is the type of a part of the first argument: bytes of bytes.
func likeFirst(arguments []datum.Type) datum.Type {
	if arguments[0].IsBinary() {
		return datum.Type{Base: datum.Varbinary}
	}
	return datum.Type{Base: datum.Varchar}
}

// These give the same type whatever the arguments. // immutable
var (
	isText    = Always(datum.Varchar)
	isInteger = Always(datum.BigInt)
	isDouble  = Always(datum.Double)
	isBoolean = Always(datum.Boolean)
)
