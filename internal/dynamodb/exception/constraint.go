// SPDX-License-Identifier: Apache-2.0

package exception

import (
	"slices"
	"strconv"
	"strings"
)

// Constraints collects what single members get wrong, each by itself, before a request is looked at as a whole.
type Constraints struct {
	// At is the path of the members judged next, with a dot behind it; "" for those of the request itself.
	At     string
	faults []string
}

// faultsMax is how many faults Amazon's framework names at most.
const faultsMax = 10

// Add notes a fault: what was given as it is shown, the member's path, and the rule that it breaks. The eleventh and all after it are
// passed over.
func (c *Constraints) Add(shown, member, rule string) {
	if len(c.faults) == faultsMax {
		return
	}
	c.faults = append(c.faults, "Value "+shown+" at '"+c.At+member+"' failed to satisfy constraint: "+rule)
}

// Append adds faults that are worded already.
func (c *Constraints) Append(faults []string) { c.faults = append(c.faults, faults...) }

// LowerFirst is a member's name as constraints write it.
func LowerFirst(name string) string { return strings.ToLower(name[:1]) + name[1:] }

// OneOf wants one of an enumeration's values, or nothing.
func (c *Constraints) OneOf(given bool, text, member string, values []string) {
	if given && !slices.Contains(values, text) {
		c.Add("'"+text+"'", member, "Member must satisfy enum value set: ["+strings.Join(values, ", ")+"]")
	}
}

// Between wants a number in a range; most < 0 is no upper bound.
func (c *Constraints) Between(given bool, n int64, member string, least, most int64) {
	switch {
	case given && n < least:
		c.Add("'"+strconv.FormatInt(n, 10)+"'", member, "Member must have value greater than or equal to "+strconv.FormatInt(least, 10))
	case given && most >= 0 && n > most:
		c.Add("'"+strconv.FormatInt(n, 10)+"'", member, "Member must have value less than or equal to "+strconv.FormatInt(most, 10))
	}
}

// Length wants a text of at least one and at most so many characters, or nothing.
func (c *Constraints) Length(given bool, text, member string, most int) {
	switch {
	case given && text == "":
		c.Add("''", member, "Member must have length greater than or equal to 1")
	case given && len(text) > most:
		c.Add("'"+text+"'", member, "Member must have length less than or equal to "+strconv.Itoa(most))
	}
}

// Err is the ValidationException that joins all faults, nil if there is none.
func (c *Constraints) Err() error {
	switch len(c.faults) {
	case 0:
		return nil
	case 1:
		return Validation("1 validation error detected: " + c.faults[0])
	}
	return Validationf("%d validation errors detected: %s", len(c.faults), strings.Join(c.faults, "; "))
}
