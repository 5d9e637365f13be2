// SPDX-License-Identifier: Apache-2.0

package zorder

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// textBytesMax bounds a plan's text; the longest that Text writes has a letter for each bit.
const textBytesMax = 4 * bitsMax

// periodBitsMax is the longest repeated group that Text looks for.
const periodBitsMax = 64

// Text is the plan's text form, the same for equal plans and for ever readable by ParsePlan. Attributes are letters, a
// for the first; a number after a letter or a group in parentheses repeats it. Examples:
//
//	(abcd)16     four attributes of 16 bits, round robin
//	a8(bc)16b8   attribute a in front, then two of mixed widths: round robin, then what is left of b
//	a32b32       a composite key
//	ab2acb       any order
func (p *Plan) Text() string { return OrderText(p.owners) }

// OrderText writes the owners of bits, counted from 0, as Text does those of a plan.
func OrderText(owners []byte) string {
	var text []byte
	for rest := owners; len(rest) > 0; {
		period, count := bestPeriod(rest)
		if period > 1 {
			text = append(text, '(')
			text = appendRuns(text, rest[:period])
			text = append(text, ')')
			text = strconv.AppendInt(text, int64(count), 10)
		} else {
			text = appendRuns(text, rest[:count])
		}
		rest = rest[period*count:]
	}
	return string(text)
}

// bestPeriod finds the group at the start of owners whose repetition covers most bits; the shortest of equals.
func bestPeriod(owners []byte) (period, count int) {
	period, count = 1, repetitions(owners, 1)
	for next := 2; next <= min(periodBitsMax, len(owners)/2); next++ {
		repeated := repetitions(owners, next)
		if repeated > 1 && next*repeated > period*count && len(appendRuns(nil, owners[:next])) < next*repeated-2 {
			period, count = next, repeated
		}
	}
	return period, count
}

func repetitions(owners []byte, period int) int {
	count := 1
	for end := 2 * period; end <= len(owners) && bytes.Equal(owners[:period], owners[end-period:end]); end += period {
		count++
	}
	return count
}

// appendRuns writes letters with the number of their repetitions.
func appendRuns(text, owners []byte) []byte {
	for len(owners) > 0 {
		count := repetitions(owners, 1)
		text = append(text, 'a'+owners[0])
		if count > 1 {
			text = strconv.AppendInt(text, int64(count), 10)
		}
		owners = owners[count:]
	}
	return text
}

// String describes the plan for people: "4 attributes of 16+16+16+16 bits in 8 bytes, order (abcd)16".
func (p *Plan) String() string {
	widths := make([]string, len(p.widths))
	for attribute, width := range p.widths {
		widths[attribute] = strconv.Itoa(width)
	}
	noun := "attributes"
	if len(p.widths) == 1 {
		noun = "attribute"
	}
	return fmt.Sprintf("%d %s of %s bits in %d bytes, order %s", len(p.widths), noun, strings.Join(widths, "+"),
		p.bytes, p.Text())
}

// ParsePlan reads the text form of a plan, as Text describes it; groups do not nest. The error wraps ErrPlan and names
// the place.
func ParsePlan(text string) (*Plan, error) {
	owners, err := ParseOrder(text)
	if err != nil {
		return nil, err
	}
	return FromOwners(owners)
}

// ParseOrder reads what OrderText has written: the owners of some bits, of which not every attribute need own one.
// Errors are those of ParsePlan.
func ParseOrder(text string) (owners []byte, err error) {
	if len(text) > textBytesMax {
		return nil, fmt.Errorf("%w: a text of %d bytes; the longest has %d", ErrPlan, len(text), textBytesMax)
	}
	parser := planParser{text: text}
	for parser.at < len(text) {
		if err := parser.item(); err != nil {
			return nil, err
		}
	}
	return parser.owners, nil
}

type planParser struct {
	text   string
	at     int
	owners []byte
}

// item reads one letter or group with its count.
func (p *planParser) item() error {
	if p.text[p.at] != '(' {
		return p.letter()
	}
	p.at++
	start := len(p.owners)
	for p.at < len(p.text) && p.text[p.at] != ')' {
		if err := p.letter(); err != nil {
			return err
		}
	}
	if p.at == len(p.text) {
		return p.fail("the group has no end; add )")
	}
	p.at++
	if len(p.owners) == start {
		return p.fail("the group is empty")
	}
	return p.repeat(start)
}

func (p *planParser) letter() error {
	c := p.text[p.at]
	if c < 'a' || c >= 'a'+AttributesMax {
		return p.fail("want a letter from a to h, or a group of them")
	}
	p.at++
	p.owners = append(p.owners, c-'a')
	return p.repeat(len(p.owners) - 1)
}

// repeat reads a count, if there is one, and repeats what was added from start on.
func (p *planParser) repeat(start int) error {
	count, digits := 0, p.at
	for ; p.at < len(p.text) && p.text[p.at] >= '0' && p.text[p.at] <= '9'; p.at++ {
		count = min(10*count+int(p.text[p.at]-'0'), bitsMax+1)
	}
	if p.at == digits {
		count = 1
	} else if count == 0 || p.text[digits] == '0' {
		return p.fail("a count is a number from 1 on, without leading zeros")
	}
	size := len(p.owners) - start
	if start+size*count > bitsMax {
		return p.fail(fmt.Sprintf("more than %d bits", bitsMax))
	}
	for range count - 1 {
		p.owners = append(p.owners, p.owners[start:start+size]...)
	}
	return nil
}

func (p *planParser) fail(what string) error {
	return fmt.Errorf("%w: at byte %d of %.80q: %s", ErrPlan, p.at, p.text, what)
}
