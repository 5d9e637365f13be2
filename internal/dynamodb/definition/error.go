// SPDX-License-Identifier: Apache-2.0

package definition

import (
	"fmt"
	"strings"
)

// Error is a request that breaks a rule: a ValidationException with this message.
type Error struct{ Message string }

func (e *Error) Error() string { return e.Message }

func refuse(format string, args ...any) error { return &Error{fmt.Sprintf(format, args...)} }

// invalid begins as most messages about parameters do.
func invalid(format string, args ...any) error {
	return &Error{"One or more parameter values were invalid: " + fmt.Sprintf(format, args...)}
}

// constraints collects what single members get wrong, each by itself, before a request is looked at as a whole.
type constraints struct{ faults []string }

func (c *constraints) add(value, member, rule string) {
	c.faults = append(c.faults, "Value "+value+" at '"+member+"' failed to satisfy constraint: "+rule)
}

func (c *constraints) oneOf(text, member string, values ...string) {
	for _, v := range values {
		if text == v {
			return
		}
	}
	if text == "" {
		c.add("null", member, "Member must not be null")
		return
	}
	c.add("'"+text+"'", member, "Member must satisfy enum value set: ["+strings.Join(values, ", ")+"]")
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
		c.add("null", member, "Member must not be null")
		return
	case len(text) > nameLengthMax:
		c.add("'"+text+"'", member, "Member must have length less than or equal to 255")
	case len(text) < least:
		c.add("'"+text+"'", member, fmt.Sprintf("Member must have length greater than or equal to %d", least))
	}
	if strings.IndexFunc(text, foreign) >= 0 {
		c.add("'"+text+"'", member, "Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+")
	}
}

// foreign says whether a letter can't stand in the name of a table or index.
func foreign(r rune) bool {
	return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '.' || r == '-')
}

func (c *constraints) err() error {
	switch len(c.faults) {
	case 0:
		return nil
	case 1:
		return refuse("1 validation error detected: %s", c.faults[0])
	}
	return refuse("%d validation errors detected: %s", len(c.faults), strings.Join(c.faults, "; "))
}
