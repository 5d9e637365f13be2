// SPDX-License-Identifier: Apache-2.0

package definition

import (
	"fmt"
	"github.com/weftdb/weft/internal/dynamodb/exception"
	"strings"
)

// constraints are those of requests about tables.
type constraints struct{ exception.Constraints }

func (c *constraints) oneOf(text, member string, values ...string) {
	for _, v := range values {
		if text == v {
			return
		}
	}
	if text == "" {
		c.Add("null", member, "Member must not be null")
		return
	}
	c.Add("'"+text+"'", member, "Member must satisfy enum value set: ["+strings.Join(values, ", ")+"]")
}

// maybeOneOf is oneOf for a member that can be left out.
func (c *constraints) maybeOneOf(text, member string, values ...string) {
	if text != "" {
		c.oneOf(text, member, values...)
	}
}

// name checks a name's letters and length, at least least and at most 255 characters.
func (c *constraints) name(text, member string, least int) {
	switch {
	case text == "":
		c.Add("null", member, "Member must not be null")
		return
	case len(text) > nameLengthMax:
		c.Add("'"+text+"'", member, "Member must have length less than or equal to 255")
	case len(text) < least:
		c.Add("'"+text+"'", member, fmt.Sprintf("Member must have length greater than or equal to %d", least))
	}
	if strings.IndexFunc(text, foreign) >= 0 {
		c.Add("'"+text+"'", member, "Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+")
	}
}

// foreign says whether a letter can't stand in the name of a table or index.
func foreign(r rune) bool {
	return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '.' || r == '-')
}
