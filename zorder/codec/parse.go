// SPDX-License-Identifier: Apache-2.0

package codec

import (
	"fmt"
	"strconv"
	"strings"
)

const typeWords = "write u8..u64, i8..i64, f32, f64, number, bool, timestamp(s), lat, lon, linear(min,max), iso8601(ms), text[n], binary[n], nfc[n] or raw[n]"

// AttributesMax is the largest number of attributes that a list may have. A curve over many more than six prunes
// little.
const AttributesMax = 64

func sprintf(format string, args ...any) string { return fmt.Sprintf(format, args...) }

// Parse reads the list of attributes between the parentheses of zorder(..), such as
//
//	ts timestamp(s), celsius i8, lat f64:16, lon f64:16, name text[4], "odd, name" number:24 codec=quantile nulls=first
//
// in which each attribute is
//
//	name type[:bits] [codec=raw|quantile] [nulls=skip|first]
//
// Names with commas, quotes, parentheses or spaces stand in double quotes, doubled inside. Types are those of the
// package's doc; iso8601 may name the zone of times without one, as in iso8601(ms,+09:00), which is UTC otherwise.
// text, binary, nfc and raw without [n] take the whole value, which only codec=quantile can. Spaces may stand around
// everything but within words and numbers. Names must differ. Errors are *ParseError and say what to write instead.
func Parse(list string) ([]Attribute, error) {
	p := parser{text: list}
	var attributes []Attribute
	seen := map[string]bool{}
	for {
		start := p.spaces()
		a, err := p.attribute()
		switch {
		case err != nil:
			return nil, err
		case seen[a.Name]:
			return nil, p.fail(start, sprintf("the attribute %q stands here twice; leave one out", a.Name))
		case len(attributes) == AttributesMax:
			return nil, p.fail(start, sprintf("write at most %d attributes, best no more than six", AttributesMax))
		}
		seen[a.Name] = true
		attributes = append(attributes, a)
		if p.spaces(); p.at == len(list) {
			return attributes, nil
		}
		if !p.skip(',') {
			return nil, p.fail(p.at, "write a comma before the next attribute; an attribute is: name type[:bits] [codec=raw|quantile] [nulls=skip|first]")
		}
	}
}

// Format writes attributes as Parse reads them, in the one canonical form: a comma and a space between attributes,
// quotes only where they are needed, options only where they differ from the defaults.
func Format(attributes []Attribute) string {
	var text strings.Builder
	for i, a := range attributes {
		if i > 0 {
			text.WriteString(", ")
		}
		text.WriteString(a.String())
	}
	return text.String()
}

// String writes one attribute as Format does.
func (a Attribute) String() string {
	text := formatName(a.Name) + " " + a.Type.String()
	if a.Bits != 0 {
		text += ":" + strconv.Itoa(a.Bits)
	}
	switch a.Codec {
	case ChoiceRaw:
		text += " codec=raw"
	case ChoiceQuantile:
		text += " codec=quantile"
	}
	if a.Nulls == NullsFirst {
		text += " nulls=first"
	}
	return text
}

// String writes a type as Parse reads it.
func (t Type) String() string {
	word := t.Kind.String()
	switch {
	case t.Kind.isBytes() && t.Bytes > 0:
		return word + "[" + strconv.Itoa(t.Bytes) + "]"
	case t.Kind == Timestamp, t.Kind == ISO8601 && t.Zone == 0:
		return word + "(" + t.Unit.String() + ")"
	case t.Kind == ISO8601:
		return word + "(" + t.Unit.String() + "," + formatZone(t.Zone) + ")"
	case t.Kind == Linear:
		return word + "(" + formatFloat(t.Min) + "," + formatFloat(t.Max) + ")"
	}
	return word
}

const nameSpecial = ",;()'\" \t\r\n"

func formatName(name string) string {
	if name != "" && !strings.ContainsAny(name, nameSpecial) {
		return name
	}
	return `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
}

func formatFloat(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }

func formatZone(minutes int) string {
	sign := '+'
	if minutes < 0 {
		sign, minutes = '-', -minutes
	}
	return sprintf("%c%02d:%02d", sign, minutes/60, minutes%60)
}

// parser reads text from at on.
type parser struct {
	text string
	at   int
}

func (p *parser) fail(offset int, reason string) error {
	return &ParseError{Text: p.text, Offset: offset, Reason: reason}
}

// spaces steps over spaces and returns where they end.
func (p *parser) spaces() int {
	for p.at < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.at]) >= 0 {
		p.at++
	}
	return p.at
}

// skip steps over c, if that is next behind spaces.
func (p *parser) skip(c byte) bool {
	at := p.at
	if p.spaces(); p.at < len(p.text) && p.text[p.at] == c {
		p.at++
		return true
	}
	p.at = at
	return false
}

// word reads letters, digits and signs up to anything else.
func (p *parser) word() string {
	start := p.spaces()
	for p.at < len(p.text) && (isWordByte(p.text[p.at])) {
		p.at++
	}
	return p.text[start:p.at]
}

func isWordByte(c byte) bool {
	return c-'0' <= 9 || c|0x20-'a' <= 25 || c == '+' || c == '-' || c == '.' || c == '_'
}

func (p *parser) attribute() (a Attribute, err error) {
	if a.Name, err = p.name(); err != nil {
		return a, err
	}
	start := p.spaces()
	if a.Type, err = p.kind(); err != nil {
		return a, err
	}
	if p.skip(':') {
		if a.Bits, err = p.integer("write the bits behind the colon, such as f64:16"); err != nil {
			return a, err
		}
	}
	for p.spaces() < len(p.text) && p.text[p.at] != ',' {
		if err := p.option(&a); err != nil {
			return a, err
		}
	}
	if reason := a.fault(); reason != "" {
		return a, p.fail(start, reason)
	}
	return a, nil
}

func (p *parser) name() (string, error) {
	start := p.spaces()
	if p.skip('"') {
		return p.quotedText(start)
	}
	end := strings.IndexAny(p.text[start:], nameSpecial)
	if end < 0 {
		end = len(p.text) - start
	}
	if end == 0 {
		return "", p.fail(start, "write an attribute name and its type, such as celsius i8; put names with commas, quotes, parentheses or spaces in double quotes")
	}
	p.at = start + end
	return p.text[start:p.at], nil
}

// quotedText reads the rest of a name whose opening quote is read.
func (p *parser) quotedText(start int) (string, error) {
	var name strings.Builder
	for p.at < len(p.text) {
		c := p.text[p.at]
		p.at++
		if c != '"' {
			name.WriteByte(c)
			continue
		}
		if p.at == len(p.text) || p.text[p.at] != '"' {
			if name.Len() == 0 {
				return "", p.fail(start, "write an attribute name between the quotes")
			}
			return name.String(), nil
		}
		name.WriteByte('"')
		p.at++
	}
	return "", p.fail(start, `close the name with a double quote; inside it, write "" for "`)
}

// kind reads a type with its parameters.
func (p *parser) kind() (t Type, err error) {
	start := p.at
	word := p.word()
	for k := range Kind(kindCount) {
		if k > 0 && kinds[k].word == word {
			t.Kind = k
		}
	}
	switch {
	case word == "":
		return t, p.fail(start, "write a type behind the name; "+typeWords)
	case t.Kind == 0:
		return t, p.fail(start, sprintf("there is no type %s; %s", word, typeWords))
	case t.Kind.isBytes() && p.skip('['):
		return t, p.length(&t)
	case t.Kind == ISO8601 && !p.skip('('):
		t.Unit = Millisecond
	case t.Kind == ISO8601, t.Kind == Timestamp && p.skip('('):
		return t, p.unit(&t)
	case t.Kind == Linear && p.skip('('):
		return t, p.limits(&t)
	}
	return t, nil
}

func (p *parser) length(t *Type) (err error) {
	start := p.at
	if t.Bytes, err = p.integer(sprintf("write a number of bytes, such as %s[8]", t.Kind)); err != nil {
		return err
	}
	if t.Bytes == 0 {
		return p.fail(start, sprintf("write %s[1] to %s[%d]", t.Kind, t.Kind, BytesMax))
	}
	return p.close(']', sprintf("write ] behind the number of bytes, such as %s[8]", t.Kind))
}

func (p *parser) close(bracket byte, reason string) error {
	if !p.skip(bracket) {
		return p.fail(p.at, reason)
	}
	return nil
}

func (p *parser) unit(t *Type) error {
	start := p.spaces()
	word := p.word()
	for u := range Unit(unitCount) {
		if u > 0 && unitWords[u] == word {
			t.Unit = u
		}
	}
	if t.Unit == 0 {
		return p.fail(start, sprintf("write a unit: %s(s), %s(ms), %s(us) or %s(ns)", t.Kind, t.Kind, t.Kind, t.Kind))
	}
	if t.Kind == ISO8601 && p.skip(',') {
		if err := p.zone(t); err != nil {
			return err
		}
	}
	return p.close(')', sprintf("write ) behind the unit, such as %s(%s)", t.Kind, word))
}

// zone reads Z or an offset such as +09:00.
func (p *parser) zone(t *Type) error {
	start := p.spaces()
	for p.at < len(p.text) && strings.IndexByte("+-:0123456789Zz", p.text[p.at]) >= 0 {
		p.at++
	}
	zone := isoParser{text: []byte(p.text[start:p.at])}
	minutes, ok := zone.zone(0)
	if !ok || len(zone.text) == 0 || zone.at != len(zone.text) {
		return p.fail(start, "write the zone of times that name none, such as iso8601(ms,+09:00) or iso8601(ms,Z)")
	}
	t.Zone = minutes
	return nil
}

func (p *parser) limits(t *Type) error {
	const reason = "write two finite limits, the smaller first, such as linear(-40,60)"
	for i, limit := range []*float64{&t.Min, &t.Max} {
		if i > 0 && !p.skip(',') {
			return p.fail(p.at, reason)
		}
		start := p.spaces()
		f, err := strconv.ParseFloat(p.word(), 64)
		if err != nil || f-f != 0 {
			return p.fail(start, reason)
		}
		*limit = f + 0 // no -0
	}
	return p.close(')', reason)
}

// integer reads a number of at most four digits.
func (p *parser) integer(reason string) (int, error) {
	start := p.spaces()
	for p.at < len(p.text) && isDigit(p.text[p.at]) {
		p.at++
	}
	n, err := strconv.Atoi(p.text[start:p.at])
	if err != nil || p.at-start > 4 || p.text[start] == '0' {
		return 0, p.fail(start, reason)
	}
	return n, nil
}

func (p *parser) option(a *Attribute) error {
	start := p.at
	key := p.word()
	if key == "" || !p.skip('=') {
		return p.fail(start, "write a comma before the next attribute, or an option: codec=raw, codec=quantile, nulls=skip or nulls=first")
	}
	switch key + "=" + p.word() {
	case "codec=raw":
		a.Codec = ChoiceRaw
	case "codec=quantile":
		a.Codec = ChoiceQuantile
	case "nulls=skip":
		a.Nulls = NullsSkip
	case "nulls=first":
		a.Nulls = NullsFirst
	default:
		return p.fail(start, "there is no such option; write codec=raw, codec=quantile, nulls=skip or nulls=first")
	}
	return nil
}
