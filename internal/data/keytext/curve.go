// SPDX-License-Identifier: Apache-2.0

package keytext

import (
	"errors"
	"fmt"
	"strings"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/zorder"
	"github.com/weftdb/weft/zorder/codec"
)

// wordOrder begins what a Z-order says of its first bits, behind the attributes.
const wordOrder = "order="

// curveList cuts a Z-order's name, such as zorder(a u8, b u8; order=ab2), into its attributes and the order of its
// first bits, which is "" where the bits go round from the first on.
func curveList(name string) (attributes, order string) {
	list := name[len(nameZOrder)+1 : len(name)-1]
	quoted := false
	for i := range len(list) {
		switch {
		case list[i] == '"':
			quoted = !quoted
		case list[i] == ';' && !quoted:
			return list[:i], strings.TrimSpace(list[i+1:])
		}
	}
	return list, ""
}

// Attributes returns the attributes of a Z-order part as they were declared, and the order of its first bits, "" where
// they go round.
func Attributes(p *schema.KeyPart) (attributes []codec.Attribute, order string, err error) {
	list, order := curveList(p.Name)
	attributes, err = codec.Parse(list)
	return attributes, order, err
}

// curve reads the list of attributes of a Z-order, after the opening parenthesis.
func (p *parser) curve(t schema.Type) (schema.KeyPart, error) {
	list, _ := curveList(p.text)
	attributes, err := codec.Parse(list)
	if fault, ok := errors.AsType[*codec.ParseError](err); ok {
		return schema.KeyPart{}, p.fail(p.at+fault.Offset, fault.Reason)
	}
	if err != nil {
		return schema.KeyPart{}, p.fail(p.at, err.Error())
	}
	if t != schema.Binary {
		return schema.KeyPart{}, p.fail(0, "zorder is of type B")
	}
	part, err := Curve(p.text, attributes, nil)
	if err != nil {
		return schema.KeyPart{}, p.fail(p.at, err.Error())
	}
	return part, nil
}

// Curve makes a key part that is a Z-order of attributes, the first of which owns the first bit. learned holds the
// codecs that were learned from rows, nil for those attributes that have none: these are coded from the value alone.
// Errors say what to write instead.
func Curve(name string, attributes []codec.Attribute, learned []*codec.Codec) (schema.KeyPart, error) {
	if len(attributes) < 1 || len(attributes) > zorder.AttributesMax {
		return schema.KeyPart{}, fmt.Errorf("a Z-order takes 1 to %d attributes, and best no more than six",
			zorder.AttributesMax)
	}
	part := schema.KeyPart{Name: name, Function: schema.ZOrder, Type: schema.Binary, Curve: new(schema.Curve)}
	widths := make([]int, len(attributes))
	for i, a := range attributes {
		argument, err := curveArgument(a)
		if err != nil {
			return schema.KeyPart{}, err
		}
		one := (*codec.Codec)(nil)
		if i < len(learned) {
			one = learned[i]
		}
		if one == nil {
			if one, err = codec.New(asRaw(a), 1); err != nil {
				return schema.KeyPart{}, err
			}
		}
		part.Args = append(part.Args, argument)
		part.Curve.Codecs = append(part.Curve.Codecs, one)
		widths[i] = one.Bits()
	}
	var err error
	part.Curve.Plan, err = curvePlan(name, widths)
	return part, err
}

// curvePlan gives the bits as the part's name says, and goes round where it says nothing.
func curvePlan(name string, widths []int) (*zorder.Plan, error) {
	_, order := curveList(name)
	if order == "" {
		return zorder.RoundRobin(widths...)
	}
	letters, ok := strings.CutPrefix(order, wordOrder)
	if !ok {
		return nil, fmt.Errorf("after the semicolon write %s and the owners of the first bits, a for the first attribute, such as %sab2(ab)4", wordOrder, wordOrder)
	}
	owners, err := zorder.ParseOrder(letters)
	if err != nil {
		return nil, err
	}
	return zorder.Leading(owners, widths...)
}

// asRaw is an attribute as it is coded before anything is known of its values. A text of any length begins with its
// first 16 bytes; bits that were chosen for learned codes would cut off all that tells small numbers apart.
func asRaw(a codec.Attribute) codec.Attribute {
	if a.Codec == codec.ChoiceQuantile {
		a.Bits = 0
	}
	a.Codec = codec.ChoiceRaw
	if a.Type.Bytes == 0 && (a.Type.Kind == codec.UTF8 || a.Type.Kind == codec.Bytes) {
		a.Type.Bytes = 16
	}
	if _, most := a.BitsRange(); a.Bits > most {
		a.Bits = 0
	}
	return a
}

// curveArgument is the column of an attribute. Its codes must be in the order in which columns compare.
func curveArgument(a codec.Attribute) (schema.Argument, error) {
	argument := schema.Argument{Column: a.Name, Type: schema.Number}
	switch a.Type.Kind {
	case codec.Boolean:
		argument.Type = schema.Bool
	case codec.UTF8, codec.ISO8601:
		argument.Type = schema.String
	case codec.Bytes:
		argument.Type = schema.Binary
	case codec.NFC:
		return argument, fmt.Errorf("attribute %q: an index compares texts by bytes, so it can't order them by normal forms; write text[n]", a.Name)
	case codec.Raw:
		return argument, fmt.Errorf("attribute %q: raw[n] is for ordered bytes; write text[n] or binary[n]", a.Name)
	}
	return argument, nil
}
