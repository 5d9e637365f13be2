// SPDX-License-Identifier: Apache-2.0

package policy

import "strings"

// Wildcards are written as themselves; those that a variable or an escape stands for are literals. Within expanded
// patterns, a literal * or ? has a mark before it.
const literalMark = '\x00'

// match reports whether a text has the form of a pattern, in which * stands for any characters and ? for one. It takes
// time proportional to the product of the lengths at most.
func match(pattern, text string) bool {
	p, t, star, again := 0, 0, -1, 0
	for t < len(text) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, again = p, t
			p++
			continue
		case p < len(pattern) && pattern[p] == '?':
			p++
			t += runeBytes(text[t:])
			continue
		case p+1 < len(pattern) && pattern[p] == literalMark && pattern[p+1] == text[t]:
			p, t = p+2, t+1
			continue
		case p < len(pattern) && pattern[p] == text[t] && pattern[p] != literalMark:
			p, t = p+1, t+1
			continue
		case star < 0:
			return false
		}
		again++
		p, t = star+1, again
	}
	for p < len(pattern) && pattern[p] == '*' {
		p++
	}
	return p == len(pattern)
}

// runeBytes is the length of the first character; a byte that is none counts as one.
func runeBytes(text string) int {
	for i := range text {
		if i > 0 {
			return i
		}
	}
	return len(text)
}

// matchFold is match whatever the case of ASCII letters.
func matchFold(pattern, text string) bool {
	return match(strings.ToLower(pattern), strings.ToLower(text))
}

// arnParts is the number of parts an ARN has; the last one may hold colons.
const arnParts = 6

// matchARN compares ARNs part by part: a wildcard stands for characters of one part, but for a pattern that is * alone.
func matchARN(pattern, arn string) bool {
	if pattern == "*" {
		return true
	}
	patterns, parts := strings.SplitN(pattern, ":", arnParts), strings.SplitN(arn, ":", arnParts)
	if len(patterns) != arnParts || len(parts) != arnParts {
		return false
	}
	for i := range parts {
		if !match(patterns[i], parts[i]) {
			return false
		}
	}
	return true
}
