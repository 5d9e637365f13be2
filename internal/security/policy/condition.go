// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"math/big"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"
)

// quantifier says how an operator treats a key with several values.
type quantifier uint8

const (
	// the key is none of listKeys, and its value fits; of several values, all for an Allow, and one for a Deny
	single quantifier = iota
	forAll            // every value fits; it holds where there are none
	forAny            // some value fits
)

// listKeys have several values. As at AWS, an operator without a quantifier never holds for one that a request has. //
// immutable
var listKeys = []string{"dynamodb:attributes", "dynamodb:leadingkeys", "aws:tagkeys"}

// condition is one operator on one key.
type condition struct {
	key        string // in lower case
	quantifier quantifier
	negated    bool // the value must fit none of the wanted ones
	ifExists   bool
	null       bool      // the operator Null: wanted reports whether the key must be missing
	wanted     []pattern // of which one has to fit
	compare    comparer
	form       form
}

// form says what an operator's wanted texts are where the values of a request are patterns.
type form uint8

const (
	noForm      form = iota // nothing that can be compared with a pattern
	literalForm             // texts
	patternForm             // patterns
)

// formOf is the form of an operator.
func formOf(o *operator) form {
	switch o.name {
	case "StringEquals", "StringNotEquals":
		return literalForm
	case "StringLike", "StringNotLike":
		return patternForm
	}
	return noForm
}

// comparer reports whether a value of a request fits a wanted one, as the policy writes it after its variables were
// replaced. ok is false for a value of another type: it can't be compared.
type comparer func(wanted, value string) (fits, ok bool)

// operator is a row of the table of operators.
type operator struct {
	name    string
	negated bool
	compare comparer
	check   func(wanted string) error // nil: everything may be wanted
	// variables may stand in wanted values.
	variables bool
}

// operators lists them all but Null, by their names without quantifier and IfExists. // immutable
var operators = []operator{
	{"StringEquals", false, always(isEqual), nil, true},
	{"StringNotEquals", true, always(isEqual), nil, true},
	{"StringEqualsIgnoreCase", false, always(isEqualFold), nil, true},
	{"StringNotEqualsIgnoreCase", true, always(isEqualFold), nil, true},
	{"StringLike", false, always(match), nil, true},
	{"StringNotLike", true, always(match), nil, true},
	{"NumericEquals", false, numeric(func(c int) bool { return c == 0 }), checkNumber, false},
	{"NumericNotEquals", true, numeric(func(c int) bool { return c == 0 }), checkNumber, false},
	{"NumericLessThan", false, numeric(func(c int) bool { return c < 0 }), checkNumber, false},
	{"NumericLessThanEquals", false, numeric(func(c int) bool { return c <= 0 }), checkNumber, false},
	{"NumericGreaterThan", false, numeric(func(c int) bool { return c > 0 }), checkNumber, false},
	{"NumericGreaterThanEquals", false, numeric(func(c int) bool { return c >= 0 }), checkNumber, false},
	{"DateEquals", false, date(func(c int) bool { return c == 0 }), checkDate, false},
	{"DateNotEquals", true, date(func(c int) bool { return c == 0 }), checkDate, false},
	{"DateLessThan", false, date(func(c int) bool { return c < 0 }), checkDate, false},
	{"DateLessThanEquals", false, date(func(c int) bool { return c <= 0 }), checkDate, false},
	{"DateGreaterThan", false, date(func(c int) bool { return c > 0 }), checkDate, false},
	{"DateGreaterThanEquals", false, date(func(c int) bool { return c >= 0 }), checkDate, false},
	{"Bool", false, always(strings.EqualFold), checkBool, false},
	{"BinaryEquals", false, isEqualBinary, checkBinary, false},
	{"IpAddress", false, isInNetwork, checkNetwork, false},
	{"NotIpAddress", true, isInNetwork, checkNetwork, false},
	{"ArnEquals", false, always(matchARN), nil, true},
	{"ArnLike", false, always(matchARN), nil, true},
	{"ArnNotEquals", true, always(matchARN), nil, true},
	{"ArnNotLike", true, always(matchARN), nil, true},
}

// newCondition reads an operator's name.
func newCondition(name string) (c condition, o operator, err error) {
	rest := name
	switch before, after, ok := strings.Cut(name, ":"); {
	case ok && strings.EqualFold(before, "ForAllValues"):
		c.quantifier, rest = forAll, after
	case ok && strings.EqualFold(before, "ForAnyValue"):
		c.quantifier, rest = forAny, after
	}
	if len(rest) > len("IfExists") && strings.EqualFold(rest[len(rest)-len("IfExists"):], "IfExists") {
		c.ifExists, rest = true, rest[:len(rest)-len("IfExists")]
	}
	if strings.EqualFold(rest, "Null") && !c.ifExists {
		c.null = true
		return c, operator{name: "Null", check: checkBool}, nil
	}
	at := slices.IndexFunc(operators, func(o operator) bool { return strings.EqualFold(o.name, rest) })
	if at < 0 {
		return c, o, fmt.Errorf("there is no condition operator %q", name)
	}
	c.negated, c.compare, c.form = operators[at].negated, operators[at].compare, formOf(&operators[at])
	return c, operators[at], nil
}

// holds reports whether the condition of a statement with that effect holds for a request.
func (c *condition) holds(r *Request, effect Effect) bool {
	values, ok := r.values(c.key)
	if c.null {
		missing := !ok || len(values) == 0
		return slices.ContainsFunc(c.wanted,
			func(w pattern) bool { return strings.EqualFold(w.text, "true") == missing })
	}
	if !ok || len(values) == 0 {
		return c.quantifier == forAll || c.quantifier == single && (c.ifExists || c.negated)
	}
	fits := func(value string) bool { return c.fits(r, value) }
	if r.Patterns != nil && r.Patterns(c.key) {
		fits = func(value string) bool { return c.fitsPattern(r, value, effect) }
	}
	switch {
	case c.quantifier == single && slices.Contains(listKeys, c.key):
		return false
	case c.quantifier == forAll, c.quantifier == single && effect == Allow:
		return !slices.ContainsFunc(values, func(value string) bool { return !fits(value) })
	}
	return slices.ContainsFunc(values, fits)
}

// fits reports whether one value is as wanted. With what can't be compared, or has a variable without a value, it
// neither agrees nor differs.
func (c *condition) fits(r *Request, value string) bool {
	for i := range c.wanted {
		wanted, ok := c.wanted[i].expand(r)
		fits := false
		if ok {
			fits, ok = c.compare(wanted, value)
		}
		switch {
		case fits:
			return !c.negated
		case !ok && c.negated:
			return false
		}
	}
	return c.negated
}

// always makes a comparer of a function that compares every value.
func always(fits func(wanted, value string) bool) comparer {
	return func(wanted, value string) (bool, bool) { return fits(wanted, value), true }
}

func isEqual(wanted, value string) bool     { return plain(wanted) == value }
func isEqualFold(wanted, value string) bool { return strings.EqualFold(plain(wanted), value) }

// numeric compares decimal numbers exactly. A text that is no number matches nothing.
func numeric(is func(c int) bool) comparer {
	return func(wanted, value string) (bool, bool) {
		w, wantedOK := number(wanted)
		v, ok := number(value)
		return ok && wantedOK && is(v.Cmp(w)), ok && wantedOK
	}
}

// numberBytesMax bounds what is computed for a number: DynamoDB's have 38 digits.
const numberBytesMax = 64

func number(text string) (*big.Rat, bool) {
	if len(text) > numberBytesMax || strings.ContainsAny(text, "/_xXpPeE") {
		return nil, false
	}
	return new(big.Rat).SetString(text)
}

func checkNumber(text string) error {
	if _, ok := number(text); !ok {
		return fmt.Errorf("%.40q is no decimal number", text)
	}
	return nil
}

func date(is func(c int) bool) comparer {
	return func(wanted, value string) (bool, bool) {
		w, wantedErr := moment(wanted)
		v, err := moment(value)
		ok := err == nil && wantedErr == nil
		return ok && is(v.Compare(w)), ok
	}
}

// moment reads a date of ISO 8601, or seconds of Unix.
func moment(text string) (t time.Time, err error) {
	if seconds, err := strconv.ParseInt(text, 10, 64); err == nil {
		return time.Unix(seconds, 0), nil
	}
	for _, layout := range [...]string{time.RFC3339Nano, "2006-01-02T15:04Z07:00", "2006-01-02"} {
		if t, err = time.Parse(layout, text); err == nil {
			return t, nil
		}
	}
	return t, err
}

func checkDate(text string) error {
	if _, err := moment(text); err != nil {
		return fmt.Errorf("%.40q is no date such as 2026-01-31T00:00:00Z", text)
	}
	return nil
}

func checkBool(text string) error {
	if !strings.EqualFold(text, "true") && !strings.EqualFold(text, "false") {
		return fmt.Errorf("%.40q is neither true nor false", text)
	}
	return nil
}

func isEqualBinary(wanted, value string) (fits, ok bool) {
	w, wantedErr := base64.StdEncoding.DecodeString(wanted)
	v, err := base64.StdEncoding.DecodeString(value)
	ok = err == nil && wantedErr == nil
	return ok && bytes.Equal(w, v), ok
}

func checkBinary(text string) error {
	if _, err := base64.StdEncoding.DecodeString(text); err != nil {
		return fmt.Errorf("%.40q is not base64", text)
	}
	return nil
}

func isInNetwork(wanted, value string) (fits, ok bool) {
	prefix, err := network(wanted)
	address, addressErr := netip.ParseAddr(value)
	ok = err == nil && addressErr == nil
	return ok && prefix.Contains(address.Unmap().WithZone("")), ok
}

// network reads an address with or without the length of a prefix.
func network(text string) (netip.Prefix, error) {
	if address, err := netip.ParseAddr(text); err == nil {
		return netip.PrefixFrom(address, address.BitLen()), nil
	}
	return netip.ParsePrefix(text)
}

func checkNetwork(text string) error {
	if _, err := network(text); err != nil {
		return fmt.Errorf("%.40q is no address or range of addresses such as 192.0.2.0/24", text)
	}
	return nil
}
