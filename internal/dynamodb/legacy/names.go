// SPDX-License-Identifier: Apache-2.0

package legacy

import (
	"strconv"
	"strings"

	"github.com/weftdb/weft/internal/data/expr"
	"github.com/weftdb/weft/internal/dynamodb/attributejson"
	"github.com/weftdb/weft/internal/dynamodb/exception"
)

// namesMax is the number of names AttributesToGet that can have.
const namesMax = 255

// Names are the attributes that the parameter AttributesToGet asks for. The zero value is a parameter that is not
// given. It serves one goroutine at a time.
type Names struct {
	given bool
	list  []string
	nulls []int // indexes of elements that are null
}

// Reset forgets the parameter and keeps its memory, unless that is large.
func (n *Names) Reset() {
	n.given = false
	n.list = reuse(n.list, entriesMax)
	n.nulls = reuse(n.nulls, entriesMax)
}

// Read reads the parameter: an array of attributes' names. The errors are *attributejson.SyntaxError and
// *attributejson.TypeError.
func (n *Names) Read(r *attributejson.Reader) error {
	n.Reset()
	n.given = true
	return array(r, func() error {
		null, err := r.Null()
		if null {
			n.nulls = append(n.nulls, len(n.list))
		}
		if null || err != nil {
			n.list = append(n.list, "")
			return err
		}
		name, err := r.String()
		n.list = append(n.list, string(name))
		return err
	})
}

// IsGiven reports whether the parameter was read since the last Reset, be it empty.
func (n *Names) IsGiven() bool { return n.given }

// Constrain adds what is wrong with the parameter's length and elements.
func (n *Names) Constrain(faults *exception.Constraints, parameter string) {
	switch {
	case !n.given:
	case len(n.list) == 0:
		faults.Add("'[]'", parameter, "Member must have length greater than or equal to 1")
	case len(n.list) > namesMax:
		shown := "'[" + strings.Join(n.list, ", ") + "]'"
		faults.Add(shown, parameter, "Member must have length less than or equal to "+strconv.Itoa(namesMax))
	}
	for _, i := range n.nulls {
		faults.Null(parameter + "." + strconv.Itoa(i+1) + ".member")
	}
}

// Paths judges the parameter and is its tree, in the order that expr.Project works in. The error is an
// *expression.Error: a name that stands there twice.
func (n *Names) Paths() ([]expr.Path, error) {
	if !n.given {
		return nil, nil
	}
	seen := make(map[string]struct{}, len(n.list))
	paths := make([]expr.Path, 0, len(n.list))
	for _, name := range n.list {
		if err := checkName(name); err != nil {
			return nil, err
		}
		if _, twice := seen[name]; twice {
			return nil, invalid("Duplicate value in attribute name: " + name)
		}
		seen[name] = struct{}{}
		paths = append(paths, expr.Path{Name: name})
	}
	expr.SortPaths(paths)
	return paths, nil
}
