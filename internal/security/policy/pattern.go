// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"fmt"
	"strings"
)

// pattern is a text of a policy, perhaps with variables such as ${aws:username}.
type pattern struct {
	text      string // if there are no variables: with marks before literals
	pieces    []piece
	variables bool
}

// piece is a text, or a variable with the value that it has otherwise.
type piece struct {
	text      string
	variable  string // in lower case; "": it is a text
	otherwise string
	defaulted bool
}

// newPattern reads a text. variables says that the policy's version has them. ${*}, ${?} and ${$} are these characters.
func newPattern(text string, variables bool) (p pattern, err error) {
	if !variables || !strings.Contains(text, "${") {
		return pattern{text: text}, nil
	}
	for text != "" {
		before, rest, ok := strings.Cut(text, "${")
		p.add(before)
		if !ok {
			break
		}
		inside, after, closed := strings.Cut(rest, "}")
		if !closed {
			return p, fmt.Errorf("the variable that begins at ${%.40s has no closing brace", rest)
		}
		if text = after; len(inside) == 1 && strings.Contains("*?$", inside) {
			p.add(markLiterals(inside))
			continue
		}
		name, otherwise, defaulted := strings.Cut(inside, ",")
		if otherwise = strings.TrimSpace(otherwise); defaulted {
			if len(otherwise) < 2 || otherwise[0] != '\'' || otherwise[len(otherwise)-1] != '\'' {
				return p, fmt.Errorf("the default of ${%.40s} must stand in single quotes", inside)
			}
			otherwise = otherwise[1 : len(otherwise)-1]
		}
		if name = strings.TrimSpace(name); !isKeyName(name) {
			return p, fmt.Errorf("${%.40s} names no condition key", inside)
		}
		p.variables = true
		p.pieces = append(p.pieces, piece{variable: strings.ToLower(name), otherwise: otherwise, defaulted: defaulted})
	}
	if !p.variables {
		for _, one := range p.pieces {
			p.text += one.text
		}
	}
	return p, nil
}

func (p *pattern) add(text string) {
	if text != "" {
		p.pieces = append(p.pieces, piece{text: text})
	}
}

// isKeyName reports whether a text is a condition key: a prefix, a colon, a name.
func isKeyName(name string) bool {
	prefix, rest, ok := strings.Cut(name, ":")
	return ok && prefix != "" && rest != "" && !strings.ContainsAny(name, " \t{}$'\"")
}

// markLiterals lets wildcards stand for themselves.
func markLiterals(text string) string {
	if !strings.ContainsAny(text, "*?\x00") {
		return text
	}
	var b strings.Builder
	for i := range len(text) {
		if text[i] == '*' || text[i] == '?' || text[i] == literalMark {
			b.WriteByte(literalMark)
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

// expand puts values in the place of variables. ok is false if one has none, or several.
func (p *pattern) expand(r *Request) (text string, ok bool) {
	if !p.variables {
		return p.text, true
	}
	var b strings.Builder
	for _, one := range p.pieces {
		if one.variable == "" {
			b.WriteString(one.text)
			continue
		}
		values, found := r.values(one.variable)
		switch {
		case found && len(values) == 1:
			b.WriteString(markLiterals(values[0]))
		case one.defaulted:
			b.WriteString(markLiterals(one.otherwise))
		default:
			return "", false
		}
	}
	return b.String(), true
}

// plain is an expanded pattern for operators that know no wildcards.
func plain(expanded string) string {
	return strings.ReplaceAll(expanded, string(rune(literalMark)), "")
}

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
