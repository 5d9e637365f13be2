// SPDX-License-Identifier: Apache-2.0

package indexkey

import (
	"fmt"
	"strings"

	"github.com/weftdb/weft/internal/data/keytext"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/testing/valuetest"
)

// typeWords are the types as index definitions in tests write them.
var typeWords = map[string]schema.Type{
	"S": schema.String, "N": schema.Number, "B": schema.Binary, "any": schema.AnyType, "bool": schema.Bool,
	"int":   schema.Int,
	"float": schema.Float, "ts": schema.Timestamp,
}

// parseIndex reads "a S; desc(b) N | partition=1 nulls secondary hash".
func parseIndex(text string) (*schema.Index, error) {
	parts, options, _ := strings.Cut(text, "|")
	x := &schema.Index{PartitionParts: 1}
	for _, field := range strings.Split(parts, ";") {
		field = strings.TrimSpace(field)
		space := strings.LastIndexByte(field, ' ')
		if space < 0 {
			return nil, fmt.Errorf("%q has no type", field)
		}
		p, _, err := keytext.Parse(field[:space], typeWords[field[space+1:]])
		if err != nil {
			return nil, err
		}
		x.Key = append(x.Key, p)
	}
	for _, option := range strings.Fields(options) {
		switch option {
		case "nulls":
			x.KeepNulls = true
		case "secondary":
			x.ID = 1
		case "hash":
			x.Key = append([]schema.KeyPart{keytext.HashDistribution(x.Key, x.PartitionParts)}, x.Key...)
		default:
			if _, err := fmt.Sscanf(option, "partition=%d", &x.PartitionParts); err != nil {
				return nil, fmt.Errorf("option %q", option)
			}
		}
	}
	return x, nil
}

// fieldsOf looks columns up in a map value.
func fieldsOf(m value.Value) func(name string) value.Value {
	return func(name string) value.Value {
		v, _ := m.Field([]byte(name))
		return v
	}
}

// parseBounds reads lines such as "a = 1", "b in 1 2", "c >= 1 < 5", "d prefix \"x\"", "e null", with "or" between
// alternatives.
func parseBounds(lines []string) (Bounds, error) {
	all := map[string][]Bound{}
	for _, line := range lines {
		name, rest, _ := strings.Cut(strings.TrimSpace(line), " : ")
		bound, err := parseBound(rest)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", line, err)
		}
		all[name] = append(all[name], bound)
	}
	return func(name string) []Bound { return all[name] }, nil
}

func parseBound(text string) (Bound, error) {
	if strings.Contains(text, " or ") {
		any := Bound{Kind: Any}
		for _, part := range strings.Split(text, " or ") {
			b, err := parseBound(part)
			if err != nil {
				return Bound{}, err
			}
			any.Union = append(any.Union, b)
		}
		return any, nil
	}
	words := strings.Fields(text)
	b := Bound{}
	switch words[0] {
	case "null":
		return Bound{Kind: IsNull}, nil
	case "notnull":
		return Bound{}, nil
	case "=", "prefix", "in":
		b.Kind = map[string]BoundKind{"=": Equal, "prefix": Prefix, "in": In}[words[0]]
		for _, w := range words[1:] {
			v, err := valuetest.ParseText(w)
			if err != nil {
				return b, err
			}
			b.Values = append(b.Values, v)
		}
		return b, nil
	}
	for ; len(words) >= 2; words = words[2:] {
		v, err := valuetest.ParseText(words[1])
		if err != nil {
			return b, err
		}
		switch words[0] {
		case ">", ">=":
			b.Low, b.LowOpen = v, words[0] == ">"
		case "<", "<=":
			b.High, b.HighOpen = v, words[0] == "<"
		default:
			return b, fmt.Errorf("word %q", words[0])
		}
	}
	return b, nil
}

// plainPart is the part of one column.
func plainPart(name, column string, t schema.Type, descending bool) schema.KeyPart {
	return schema.KeyPart{Name: name, Type: t, Descending: descending,
		Args: []schema.Argument{{Column: column, Type: t}}}
}
