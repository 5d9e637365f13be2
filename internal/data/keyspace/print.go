// SPDX-License-Identifier: Apache-2.0

package keyspace

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/weftdb/weft/order"
)

// ErrKey is returned for bytes or text that are no key of the tree.
var ErrKey = errors.New("keyspace: not a key of this layout")

// Part is one decoded field of a key.
type Part struct {
	Field  Field
	Number uint64 // of a Number or Stamp field
	Bytes  []byte // of a Text or Rest field; aliases the key where it can
}

// Parse takes a key apart. A key that ends after some of its fields, as prefixes do, yields those. Errors: ErrKey.
func Parse(key []byte) (Section, []Part, error) {
	section, ok := sectionOf(key)
	if !ok {
		return Section{}, nil, fmt.Errorf("%w: unknown first byte of %x", ErrKey, key)
	}
	var parts []Part
	rest := key[1:]
	for _, field := range section.Fields {
		if len(rest) == 0 {
			break
		}
		part, tail, err := cutField(field, rest)
		if err != nil {
			return section, parts, fmt.Errorf("%w: field %s of %s: %v", ErrKey, field.Name, section.Name, err)
		}
		parts, rest = append(parts, part), tail
	}
	if len(rest) > 0 {
		return section, parts, fmt.Errorf("%w: %d bytes after the last field of %s", ErrKey, len(rest), section.Name)
	}
	return section, parts, nil
}

func sectionOf(key []byte) (Section, bool) {
	if len(key) == 0 {
		return Section{}, false
	}
	for _, section := range Tree() {
		if section.Tag == key[0] {
			return section, true
		}
	}
	return Section{}, false
}

func cutField(field Field, b []byte) (Part, []byte, error) {
	part := Part{Field: field}
	var err error
	switch field.Kind {
	case Number:
		part.Number, b, err = order.CutUvarint(b)
	case Text:
		part.Bytes, b, err = order.CutBytes(b, nil)
	case Stamp:
		if len(b) < stampBytes {
			return part, nil, fmt.Errorf("%d bytes are no stamp", len(b))
		}
		part.Number, b = binary.BigEndian.Uint64(b), b[stampBytes:]
	default:
		part.Bytes, b = b, nil
	}
	return part, b, err
}

// Print writes a key for people: /section/field=value/..., texts quoted, the rest in hexadecimal. ParseText reads it
// back.
func Print(key []byte) string {
	section, parts, err := Parse(key)
	if err != nil {
		return "0x" + hex.EncodeToString(key)
	}
	var b strings.Builder
	b.WriteString("/" + section.Name)
	for _, part := range parts {
		b.WriteString("/" + part.Field.Name + "=")
		switch part.Field.Kind {
		case Number, Stamp:
			b.WriteString(strconv.FormatUint(part.Number, 10))
		case Text:
			b.WriteString(strconv.Quote(string(part.Bytes)))
		default:
			b.WriteString("0x" + hex.EncodeToString(part.Bytes))
		}
	}
	return b.String()
}

// ParseText turns what Print wrote, or 0x and hexadecimal digits, back into a key. Errors: ErrKey.
func ParseText(text string) ([]byte, error) {
	if digits, ok := strings.CutPrefix(text, "0x"); ok {
		return decodeHex(digits)
	}
	name, rest, _ := strings.Cut(strings.TrimPrefix(text, "/"), "/")
	for _, section := range Tree() {
		if section.Name == name {
			return parseFields(section, rest)
		}
	}
	return nil, fmt.Errorf("%w: no section %q", ErrKey, name)
}

func parseFields(section Section, text string) ([]byte, error) {
	key := []byte{section.Tag}
	for _, field := range section.Fields {
		if text == "" {
			return key, nil
		}
		value, ok := strings.CutPrefix(text, field.Name+"=")
		if !ok {
			return nil, fmt.Errorf("%w: %s wants %s= at %q", ErrKey, section.Name, field.Name, text)
		}
		var err error
		if key, text, err = parseField(key, field, value); err != nil {
			return nil, err
		}
	}
	if text != "" {
		return nil, fmt.Errorf("%w: %q after the last field of %s", ErrKey, text, section.Name)
	}
	return key, nil
}

func parseField(key []byte, field Field, text string) ([]byte, string, error) {
	switch field.Kind {
	case Number, Stamp:
		digits, rest, _ := strings.Cut(text, "/")
		n, err := strconv.ParseUint(digits, 10, 64)
		if err != nil {
			return nil, "", fmt.Errorf("%w: %s=%q is no number", ErrKey, field.Name, digits)
		}
		if field.Kind == Stamp {
			return binary.BigEndian.AppendUint64(key, n), rest, nil
		}
		return order.AppendUvarint(key, n), rest, nil
	case Text:
		quoted, err := strconv.QuotedPrefix(text)
		if err != nil {
			return nil, "", fmt.Errorf("%w: %s= wants a quoted text", ErrKey, field.Name)
		}
		value, err := strconv.Unquote(quoted)
		if err != nil {
			return nil, "", fmt.Errorf("%w: %s=%s: %v", ErrKey, field.Name, quoted, err)
		}
		return order.AppendBytes(key, []byte(value)), strings.TrimPrefix(text[len(quoted):], "/"), nil
	default:
		raw, err := decodeHex(strings.TrimPrefix(text, "0x"))
		return append(key, raw...), "", err
	}
}

func decodeHex(digits string) ([]byte, error) {
	b, err := hex.DecodeString(digits)
	if err != nil {
		return nil, fmt.Errorf("%w: %q is not hexadecimal", ErrKey, digits)
	}
	return b, nil
}

// IsOfProcess reports whether an entry belongs to the processes that share a store rather than to its data. Keys that
// are none of the map's do not.
func IsOfProcess(key []byte) bool {
	section, _, err := Parse(key)
	return err == nil && section.Owner == "gateway"
}
