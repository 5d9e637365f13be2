// SPDX-License-Identifier: Apache-2.0

package filter

import (
	"bytes"
	"regexp"
	"strings"
)

// operator compares what is stored with a comparator.
type operator uint8

const (
	noOperator operator = iota
	less
	lessOrEqual
	equal
	notEqual
	greaterOrEqual
	greater
)

// operatorOf returns noOperator for a text that is none.
func operatorOf(text []byte) operator {
	for i, name := range [...]string{less: "<", lessOrEqual: "<=", equal: "=", notEqual: "!=", greaterOrEqual: ">=",
		greater: ">"} {
		if name != "" && name == string(text) {
			return operator(i)
		}
	}
	return noOperator
}

// holds gets how the stored value compares with the comparator's.
func (o operator) holds(c int) bool {
	switch o {
	case less:
		return c < 0
	case lessOrEqual:
		return c <= 0
	case equal:
		return c == 0
	case notEqual:
		return c != 0
	case greaterOrEqual:
		return c >= 0
	case greater:
		return c > 0
	}
	return false
}

// comparison is an operator and a comparator.
type comparison struct {
	operator operator
	value    []byte
	isPrefix bool
	pattern  *regexp.Regexp // nil: no pattern
	within   string         // in lower case, if isWithin
	isWithin bool
	other    func(stored []byte) int // a comparator of HBase's Java API; nil: none
}

// setComparator sets the comparator that a text names, as in binary:abc.
func (c *comparison) setComparator(text []byte) error {
	kind, value, ok := bytes.Cut(text, []byte(":"))
	if !ok {
		return refuse("comparator %q has no colon: write 'binary:..', 'binaryprefix:..', 'regexstring:..' or 'substring:..'", text)
	}
	c.value = value
	switch string(kind) {
	case "binary":
		return nil
	case "binaryprefix":
		c.isPrefix = true
		return nil
	case "regexstring":
		return c.setPattern("(?s)", value)
	case "regexstringnocase":
		return c.setPattern("(?is)", value)
	case "substring":
		c.isWithin, c.within = true, strings.ToLower(string(value))
		return nil
	}
	if ok, err := c.setJavaComparator(string(kind), value); ok {
		return err
	}
	return refuse("comparator %s is not supported: binary, binaryprefix, regexstring, regexstringnocase and substring are", kind)
}

func (c *comparison) setPattern(flags string, expression []byte) (err error) {
	if c.pattern, err = regexp.Compile(flags + string(expression)); err != nil {
		return refuse("pattern %q is not supported: %s", expression,
			strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	return nil
}

// isText reports whether the comparator finds equal or not equal only.
func (c *comparison) isText() bool { return c.pattern != nil || c.isWithin }

func (c *comparison) holds(stored []byte) bool {
	by := c.compare(stored)
	return by != incomparable && c.operator.holds(by)
}

// compare returns how the stored value is to the comparator's. A text that is not found is less than any other, as in
// HBase.
func (c *comparison) compare(stored []byte) int {
	found := false
	switch {
	case c.other != nil:
		return c.other(stored)
	case c.pattern != nil:
		found = c.pattern.Match(stored)
	case c.isWithin:
		found = strings.Contains(strings.ToLower(string(stored)), c.within)
	case c.isPrefix:
		return bytes.Compare(stored[:min(len(stored), len(c.value))], c.value)
	default:
		return bytes.Compare(stored, c.value)
	}
	if found {
		return 0
	}
	return -1
}

// span bounds the byte strings for which the comparison holds.
func (c *comparison) span() Span {
	if c.isText() || c.other != nil {
		return Span{}
	}
	equals := Span{Start: c.value, Stop: c.value, StopIncluded: true}
	if c.isPrefix {
		equals = prefixSpan(c.value)
	}
	switch c.operator {
	case less:
		return Span{Stop: c.value}
	case lessOrEqual:
		return Span{Stop: equals.Stop, StopIncluded: equals.StopIncluded}
	case equal:
		return equals
	case greaterOrEqual, greater: // the value itself is left to the filter
		return Span{Start: c.value}
	}
	return Span{}
}
