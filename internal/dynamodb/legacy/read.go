// SPDX-License-Identifier: Apache-2.0

package legacy

import (
	"slices"

	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/dynamodb/attributejson"
	"github.com/weftdb/weft/internal/dynamodb/expression"
)

const invalidParameter = "One or more parameter values were invalid: "

// refuse is an error about a request's meaning. The parts are the message.
func refuse(message string) error { return &expression.Error{Message: message} }

func invalid(message string) error { return refuse(invalidParameter + message) }

// Memory of one sort that is kept for the next request at most.
const (
	arenaBytesMax = 1 << 20
	entriesMax    = 1 << 12
)

// reuse is a slice's memory for the next request, unless there is more of it than is worth keeping.
func reuse[T any](s []T, max int) []T {
	if cap(s) > max {
		return nil
	}
	clear(s)
	return s[:0]
}

// arena reads attribute values into its own memory.
type arena struct{ bytes []byte }

func (a *arena) reset() {
	if a.bytes = a.bytes[:0]; cap(a.bytes) > arenaBytesMax {
		a.bytes = nil
	}
}

// value reads an attribute value. If it breaks one of DynamoDB's rules, it is passed over, and fault says why: that
// comes up only once the whole body is found to be of the right types. shape is its place.
func (a *arena) value(r *attributejson.Reader, shape attributejson.Shape) (v value.Value, fault string, err error) {
	if err := r.Expect(shape); err != nil && r.Peek() != attributejson.TokenNull {
		return nil, "", err
	}
	start := len(a.bytes)
	grown, err := r.Value(a.bytes)
	if fault, ok := err.(*attributejson.ValueError); ok {
		return nil, fault.Text, nil
	}
	if err != nil {
		return nil, "", err
	}
	a.bytes = grown
	return value.Value(grown[start:len(grown):len(grown)]), "", nil
}

// checkName refuses a name that no attribute can have.
func checkName(name string) error {
	if text := attributejson.NameFault([]byte(name)); text != "" {
		return refuse(text)
	}
	return nil
}

// object reads an object of a shape; member reads the value of one of its members. Members that are null count as
// absent.
func object(r *attributejson.Reader, shape attributejson.Shape, member func(name []byte) error) error {
	if err := r.Expect(shape); err != nil {
		return err
	}
	return r.Members(member)
}

// array reads an array; element reads one of its elements.
func array(r *attributejson.Reader, element func() error) error {
	if err := r.BeginArray(); err != nil {
		return err
	}
	for {
		ok, err := r.NextElement()
		if !ok || err != nil {
			return err
		}
		if err := element(); err != nil {
			return err
		}
	}
}

// distinct refuses a name that comes twice in a parameter, as the reader refuses it in items. names is used up.
func distinct(names []string, r *attributejson.Reader) error {
	slices.Sort(names)
	for i := 1; i < len(names); i++ {
		if names[i] == names[i-1] {
			return &attributejson.SyntaxError{Offset: r.Offset(), Text: "duplicate name"}
		}
	}
	return nil
}
