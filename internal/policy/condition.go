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

// quantifier is what an operator says of a key with several values.
type quantifier uint8

const (
	single quantifier = iota // the key has one value; of several, one has to fit
	forAll                   // every value fits; it holds where there are none
	forAny                   // some value fits
)

// condition is one operator on one key.
type condition struct {
	key        string // in lower case
	quantifier quantifier
	negated    bool // the value must fit none of the wanted ones
	ifExists   bool
	null       bool      // the operator Null: wanted says whether the key must be missing
	wanted     []pattern // of which one has to fit
	compare    comparer
}

// comparer says whether a value of a request fits a wanted one, as the policy writes it after its variables were replaced.
type comparer func(wanted, value string) bool

// operator is a row of the table of operators.
type operator struct {
	name    string
	negated bool
	compare comparer
	check   func(wanted string) error // nil: everything may be wanted
	// variables may stand in what is wanted.
	variables bool
}

// operators lists them all but Null, by their names without quantifier and IfExists. // immutable
var operators = []operator{
	{"StringEquals", false, isEqual, nil, true},
	{"StringNotEquals", true, isEqual, nil, true},
	{"StringEqualsIgnoreCase", false, isEqualFold, nil, true},
	{"StringNotEqualsIgnoreCase", true, isEqualFold, nil, true},
	{"StringLike", false, match, nil, true},
	{"StringNotLike", true, match, nil, true},
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
	{"Bool", false, strings.EqualFold, checkBool, false},
	{"BinaryEquals", false, isEqualBinary, checkBinary, false},
	{"IpAddress", false, isInNetwork, checkNetwork, false},
	{"NotIpAddress", true, isInNetwork, checkNetwork, false},
	{"ArnEquals", false, matchARN, nil, true},
	{"ArnLike", false, matchARN, nil, true},
	{"ArnNotEquals", true, matchARN, nil, true},
	{"ArnNotLike", true, matchARN, nil, true},
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
	c.negated, c.compare = operators[at].negated, operators[at].compare
	return c, operators[at], nil
}

// holds says whether the condition holds for a request.
func (c *condition) holds(r *Request) bool {
	values, ok := r.values(c.key)
	if c.null {
		missing := !ok || len(values) == 0
		return slices.ContainsFunc(c.wanted, func(w pattern) bool { return strings.EqualFold(w.text, "true") == missing })
	}
	if !ok || len(values) == 0 {
		return c.ifExists || c.quantifier == forAll || c.negated && c.quantifier != forAny
	}
	fits := func(value string) bool { return c.fits(r, value) }
	switch {
	case c.quantifier == forAll:
		return !slices.ContainsFunc(values, func(value string) bool { return !fits(value) })
	case c.quantifier == single && c.negated: // it must be none of them
		return !slices.ContainsFunc(values, func(value string) bool { return !fits(value) })
	}
	return slices.ContainsFunc(values, fits)
}

// fits says whether one value is as wanted. A wanted value whose variable has no value is nobody's.
func (c *condition) fits(r *Request, value string) bool {
	for i := range c.wanted {
		if wanted, ok := c.wanted[i].expand(r); ok && c.compare(wanted, value) {
			return !c.negated
		}
	}
	return c.negated
}

func isEqual(wanted, value string) bool     { return plain(wanted) == value }
func isEqualFold(wanted, value string) bool { return strings.EqualFold(plain(wanted), value) }

// numeric compares decimal numbers exactly. What is no number fits nothing.
func numeric(is func(c int) bool) comparer {
	return func(wanted, value string) bool {
		w, wantedOK := number(wanted)
		v, ok := number(value)
		return ok && wantedOK && is(v.Cmp(w))
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
	return func(wanted, value string) bool {
		w, wantedErr := moment(wanted)
		v, err := moment(value)
		return err == nil && wantedErr == nil && is(v.Compare(w))
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

func isEqualBinary(wanted, value string) bool {
	w, wantedErr := base64.StdEncoding.DecodeString(wanted)
	v, err := base64.StdEncoding.DecodeString(value)
	return err == nil && wantedErr == nil && bytes.Equal(w, v)
}

func checkBinary(text string) error {
	if _, err := base64.StdEncoding.DecodeString(text); err != nil {
		return fmt.Errorf("%.40q is not base64", text)
	}
	return nil
}

func isInNetwork(wanted, value string) bool {
	prefix, err := network(wanted)
	address, addressErr := netip.ParseAddr(value)
	return err == nil && addressErr == nil && prefix.Contains(address.Unmap().WithZone(""))
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
