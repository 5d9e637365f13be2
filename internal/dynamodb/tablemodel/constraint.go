// SPDX-License-Identifier: Apache-2.0

package tablemodel

import (
	"fmt"
	"strings"

	"github.com/weftdb/weft/internal/dynamodb/exception"
)

// constraints are the constraints of requests about tables.
type constraints struct{ exception.Constraints }

func (c *constraints) short(text, member string, least int) {
	c.Add("'"+text+"'", member, fmt.Sprintf("Member must have length greater than or equal to %d", least))
}

func (c *constraints) long(text, member string, most int) {
	c.Add("'"+text+"'", member, fmt.Sprintf("Member must have length less than or equal to %d", most))
}

// oneOf wants one of an enumeration's values.
func (c *constraints) oneOf(text *string, member string, values ...string) {
	if text == nil {
		c.Null(member)
		return
	}
	c.maybeOneOf(text, member, values...)
}

// maybeOneOf is oneOf for a member that can be left out.
func (c *constraints) maybeOneOf(text *string, member string, values ...string) {
	c.OneOf(text != nil, valueOf(text), member, values)
}

// maybeAtLeast wants a number that is no less, or nothing.
func (c *constraints) maybeAtLeast(n *int64, member string, least int64) {
	c.Between(n != nil, valueOf(n), member, least, -1)
}

// name checks the letters and length of an index's or a table's name.
func (c *constraints) name(text *string, member string) {
	if text == nil {
		c.Null(member)
		return
	}
	if *text == "" || strings.IndexFunc(*text, foreign) >= 0 {
		c.Add("'"+*text+"'", member, "Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+")
	}
	switch {
	case len(*text) > nameLengthMax:
		c.long(*text, member, nameLengthMax)
	case len(*text) < nameLengthMin:
		c.short(*text, member, nameLengthMin)
	}
}

// attributeName checks the name of an attribute in a key or a projection, whose length counts in bytes.
func (c *constraints) attributeName(name *string, at string) {
	switch {
	case name == nil:
		c.Null(at)
	case *name == "":
		c.short("", at, 1)
	case len(*name) > nameLengthMax:
		c.long(*name, at, nameLengthMax)
	}
}

// foreign reports whether a letter can't stand in the name of a table or index.
func foreign(r rune) bool { return exception.ForeignToNames(r) }
