// SPDX-License-Identifier: Apache-2.0

package exception

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
)

// Constraints collects what single members get wrong, each by itself, before a request is looked at as a whole.
type Constraints struct {
	// At is the path of the members judged next, with a dot behind it; "" for those of the request itself.
	At string
	// Terse makes faults name a member as the model does and leave its value out: "Value at 'Limit' failed ..". Those
	// of enumerations name none; members that are missing, and names of tables, are reported as ever: "Value null at
	// 'key' failed ..".
	Terse bool
	// Alone makes the first fault of an enumeration the only fault.
	Alone bool

	faults []string
	closed bool
}

// faultsMax is the most faults that Amazon's framework names.
const faultsMax = 10

const failed = " failed to satisfy constraint: "

// Add notes a fault: what was given as it is shown, the member's path, and the rule that it breaks. The eleventh and
// all after it are passed over.
func (c *Constraints) Add(shown, member, rule string) {
	if c.Terse {
		c.add("Value at '" + c.At + member + "'" + failed + rule)
	} else {
		c.addFull(shown, member, rule)
	}
}

// Null notes that a member is missing.
func (c *Constraints) Null(member string) { c.addFull("null", member, "Member must not be null") }

// Enum notes a text that is none of an enumeration's values.
func (c *Constraints) Enum(text, member string, values []string) {
	rule := "Member must satisfy enum value set: [" + strings.Join(values, ", ") + "]"
	if !c.Terse {
		c.addFull("'"+text+"'", member, rule)
		return
	}
	if c.Alone && !c.closed && len(c.faults) < faultsMax {
		c.faults = nil
	}
	c.add("Failed to satisfy constraint: " + rule)
	c.closed = c.closed || c.Alone
}

func (c *Constraints) add(fault string) {
	if !c.closed && len(c.faults) < faultsMax {
		c.faults = append(c.faults, fault)
	}
}

// addFull notes a fault with the member's value.
func (c *Constraints) addFull(shown, member, rule string) { c.add(c.full(shown, member, rule)) }

// full is a fault with the member's value.
func (c *Constraints) full(shown, member, rule string) string {
	path := LowerFirst(c.At + LowerFirst(member))
	return "Value " + shown + " at '" + path + "'" + failed + rule
}

// QuoteMax is the largest number of bytes of a value that faults show.
const QuoteMax = 1000

// Quote is a value as faults show it, in quotes; a long one is cut off.
func Quote(text []byte) string { return "'" + string(Truncate(text)) + "'" }

// Truncate is a text, or the beginning of a long one.
func Truncate(text []byte) []byte {
	if len(text) > QuoteMax {
		text = append(bytes.ToValidUTF8(text[:QuoteMax:QuoteMax], nil), "…"...)
	}
	return text
}

// LowerFirst is a member's name as faults with values write it.
func LowerFirst(name string) string { return strings.ToLower(name[:1]) + name[1:] }

// OneOf wants one of an enumeration's values, or nothing.
func (c *Constraints) OneOf(given bool, text, member string, values []string) {
	if given && !slices.Contains(values, text) {
		c.Enum(text, member, values)
	}
}

// Maybe is OneOf for a member that is nil where it was left out.
func (c *Constraints) Maybe(text *string, member string, values ...string) {
	if text != nil {
		c.OneOf(true, *text, member, values)
	}
}

// Must is Maybe for a member that must be there.
func (c *Constraints) Must(text *string, member string, values ...string) {
	if text == nil {
		c.Null(member)
	}
	c.Maybe(text, member, values...)
}

// The rules of tables' names.
const (
	TableNameMin   = 3
	TableNameMax   = 255
	TableNameRule  = "Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+"
	TableNameShort = "Member must have length greater than or equal to 3"
	TableNameLong  = "Member must have length less than or equal to 255"
)

// TableName wants a name that a table can have. made says that there is such a table: a short name is then as good as
// any.
func (c *Constraints) TableName(name, member string, made bool) {
	if !isName(name) {
		c.addFull("'"+name+"'", member, TableNameRule)
	}
	switch {
	case len(name) > TableNameMax:
		c.addFull("'"+name+"'", member, TableNameLong)
	case len(name) < TableNameMin && !made:
		c.addFull("'"+name+"'", member, TableNameShort)
	}
}

func isName(text string) bool {
	for i := range len(text) {
		if ForeignToNames(rune(text[i])) {
			return false
		}
	}
	return true
}

// ForeignToNames reports whether a letter can't stand in the name of a table or index.
func ForeignToNames(r rune) bool {
	return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '.' || r == '-')
}

// Between wants a number in a range; most < 0 is no upper bound.
func (c *Constraints) Between(given bool, n int64, member string, least, most int64) {
	switch {
	case given && n < least:
		c.Add("'"+strconv.FormatInt(n, 10)+"'", member,
			"Member must have value greater than or equal to "+strconv.FormatInt(least, 10))
	case given && most >= 0 && n > most:
		c.Add("'"+strconv.FormatInt(n, 10)+"'", member,
			"Member must have value less than or equal to "+strconv.FormatInt(most, 10))
	}
}

// Length wants a text of at least one and at most so many characters, or nothing.
func (c *Constraints) Length(given bool, text, member string, most int) {
	if given {
		c.Within(&text, member, 1, most)
	}
}

// Within wants a text of so many characters, or nothing.
func (c *Constraints) Within(text *string, member string, least, most int) {
	switch {
	case text == nil:
	case len(*text) < least:
		c.Add("'"+*text+"'", member, "Member must have length greater than or equal to "+strconv.Itoa(least))
	case len(*text) > most:
		c.Add("'"+*text+"'", member, "Member must have length less than or equal to "+strconv.Itoa(most))
	}
}

// Named wants a text that the name of a table or an index can be, or nothing.
func (c *Constraints) Named(name *string, member string) {
	if name != nil {
		c.TableName(*name, member, false)
	}
}

// How long ARNs are, and those of a table in any form.
const (
	ArnMin, ArnMax = 37, 1024
	TableArnMax    = 1024
)

// Err is the ValidationException that joins all faults, nil if there is none.
func (c *Constraints) Err() error {
	switch len(c.faults) {
	case 0:
		return nil
	case 1:
		return Validation(enclosure + c.faults[0])
	}
	return Validationf("%d validation errors detected: %s", len(c.faults), strings.Join(c.faults, "; "))
}

const enclosure = "1 validation error detected: "

// Enclose is a fault of a request as a whole in the words used for faults of single members.
func Enclose(err error) error {
	e := Of(err)
	if e.Kind == KindValidation {
		return Validation(enclosure + e.Message)
	}
	return err
}
