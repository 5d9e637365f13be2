// SPDX-License-Identifier: Apache-2.0

// Package valueformat recognizes what values are by how they look: times, identifiers that begin with a time,
// documents.
//
// Knows: the forms of ISO 8601, UUIDs, ULIDs, JSON, markup.
// Never: attributes, keys, what follows from a form.
package valueformat

import (
	"encoding/hex"
	"regexp"
	"slices"
	"strings"
)

// IsEpoch reports whether a number can be a time of 2001 to 2100, in seconds or smaller units.
func IsEpoch(n float64) bool {
	return slices.ContainsFunc([]float64{1, 1e3, 1e6, 1e9},
		func(unit float64) bool { return n >= 1e9*unit && n <= 4.1e9*unit })
}

// UUIDVersion returns the version of a UUID, or 0.
func UUIDVersion(text string) int {
	if len(text) != 36 || text[8] != '-' || text[13] != '-' || text[18] != '-' || text[23] != '-' {
		return 0
	}
	if _, err := hex.DecodeString(strings.ReplaceAll(text, "-", "")); err != nil {
		return 0
	}
	return strings.IndexByte("0123456789", text[14])
}

// IsULID recognizes 26 characters of Crockford's alphabet, the first at most 7.
func IsULID(text string) bool {
	const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
	return len(text) == 26 && text[0] <= '7' && strings.Trim(strings.ToUpper(text), alphabet) == ""
}

// The forms of ISO 8601 that texts are recognized by.
var (
	calendarDate = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}([T :]|$)`)
	basicDate    = regexp.MustCompile(`^(19|20)\d{2}(0[1-9]|1[0-2])([0-2]\d|3[01])(T\d{2}|$)`)
	weekDate     = regexp.MustCompile(`^\d{4}-?W\d{2}(-?\d)?([T ]|$)`)
	ordinalDate  = regexp.MustCompile(`^\d{4}-\d{3}([T ]|$)`)
	monthDate    = regexp.MustCompile(`^\d{4}-\d{2}$`)
)

// Date names the form in which a date is written, or "".
func Date(text string) string {
	switch {
	case calendarDate.MatchString(text):
		return "YYYY-MM-DD"
	case weekDate.MatchString(text):
		return "YYYY-Www-D"
	case ordinalDate.MatchString(text):
		return "YYYY-DDD"
	case basicDate.MatchString(text):
		return "YYYYMMDD"
	case monthDate.MatchString(text):
		return "YYYY-MM"
	}
	return ""
}

// Document recognizes JSON and markup.
func Document(text string) string {
	text = strings.ToLower(strings.TrimSpace(text))
	switch {
	case strings.HasPrefix(text, "{") && strings.HasSuffix(text, "}"), strings.HasPrefix(text, "[") &&
		strings.HasSuffix(text, "]"):
		return "JSON"
	case strings.HasPrefix(text, "<!doctype"), strings.HasPrefix(text, "<") && strings.HasSuffix(text, ">"):
		return "HTML"
	}
	return ""
}

// numbered is a text that ends in a number.
var numbered = regexp.MustCompile(`^(.*?[^0-9])([0-9]{1,15})$`)

// Numbered cuts the number off a text that ends in one, such as v_12. ok is false if it doesn't, or has nothing in
// front.
func Numbered(text string) (front, number string, ok bool) {
	m := numbered.FindStringSubmatch(text)
	if m == nil {
		return "", "", false
	}
	return m[1], m[2], true
}
