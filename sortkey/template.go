// SPDX-License-Identifier: Apache-2.0

package sortkey

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Template describes a key made of several values, from the least to the most specific, with a separator between them:
// country#state# city answers questions for a country, for a state and for a city, each as one range. The zero value
// has no names and takes no values.
//
// Keys stand in the order of their values, level by level, as long as no value contains a byte below the separator's:
// with '#' these are the space, '!', '"' and control characters.
type Template struct {
	names     []string
	separator string
}

// ParseTemplate reads the names of a template, such as "country#state#city" with separator '#'. Names must be there and
// differ; anything else, or a separator that is no character, is ErrTemplate.
func ParseTemplate(text string, separator rune) (Template, error) {
	// One character, not any string: no part of one is both its beginning and its end, so a value and the separator
	// after it never hold a separator that starts earlier.
	if !utf8.ValidRune(separator) || separator == utf8.RuneError {
		return Template{}, fmt.Errorf("%w: separator %q", ErrTemplate, separator)
	}
	t := Template{separator: string(separator)}
	for _, name := range strings.Split(text, t.separator) {
		if name == "" || slices.Contains(t.names, name) {
			return Template{}, fmt.Errorf("%w: %q", ErrTemplate, text)
		}
		t.names = append(t.names, name)
	}
	return t, nil
}

// Names returns the names, the least specific first. The caller owns the slice.
func (t Template) Names() []string { return slices.Clone(t.names) }

// String returns the text that ParseTemplate reads.
func (t Template) String() string { return strings.Join(t.names, t.separator) }

// Key returns the key of one value for each name. A missing, an empty or a surplus value, or one that contains the
// separator, is ErrValue.
func (t Template) Key(values ...string) (string, error) {
	if len(values) != len(t.names) {
		return "", fmt.Errorf("%w: %d values for the %d names of %q", ErrValue, len(values), len(t.names), t.String())
	}
	if err := t.check(values); err != nil {
		return "", err
	}
	return strings.Join(values, t.separator), nil
}

// Prefix returns the beginning of all keys with these first values: the text for begins_with. It ends in the separator
// if names follow, so that "US" does not find "USA"; append the beginning of the next value to narrow it down. No
// values give "", which every key begins with. Values for all names give the whole key, which is better asked for by
// equality. Errors are Key's.
func (t Template) Prefix(values ...string) (string, error) {
	if len(values) > len(t.names) {
		return "", fmt.Errorf("%w: %d values for the %d names of %q", ErrValue, len(values), len(t.names), t.String())
	}
	if err := t.check(values); err != nil {
		return "", err
	}
	prefix := strings.Join(values, t.separator)
	if len(values) > 0 && len(values) < len(t.names) {
		prefix += t.separator
	}
	return prefix, nil
}

// Split returns the values of a key, one for each name. A text that Key does not write is ErrValue.
func (t Template) Split(key string) ([]string, error) {
	if len(t.names) == 0 {
		return nil, fmt.Errorf("%w: the template has no names", ErrValue)
	}
	// One part too many is enough to refuse a key, however long it is.
	values := strings.SplitN(key, t.separator, len(t.names)+1)
	if len(values) != len(t.names) || slices.Contains(values, "") {
		return nil, fmt.Errorf("%w: %q is not of the form %q", ErrValue, key, t.String())
	}
	return values, nil
}

func (t Template) check(values []string) error {
	for i, value := range values {
		if value == "" {
			return fmt.Errorf("%w: %s is empty", ErrValue, t.names[i])
		}
		if strings.Contains(value, t.separator) {
			return fmt.Errorf("%w: %s contains %q: %q", ErrValue, t.names[i], t.separator, value)
		}
	}
	return nil
}
