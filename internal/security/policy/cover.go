// SPDX-License-Identifier: Apache-2.0

package policy

import "strings"

// Escape lets a text stand for itself in a pattern of a policy.
func Escape(text string) string {
	return strings.NewReplacer("*", "${*}", "?", "${?}", "$", "${$}").Replace(text)
}

// isAboutPattern is isAboutResource for a request about everything that a pattern stands for. An Allow must cover all
// of it; a Deny of any part of it denies it.
func (s *statement) isAboutPattern(r *Request) bool {
	asked, err := newPattern(r.Resource, true)
	if err != nil || asked.variables {
		return s.effect == Deny
	}
	deny := s.effect == Deny
	compare := covers
	if deny != s.notResource {
		compare = overlaps
	}
	for i := range s.resources {
		text, ok := s.resources[i].expand(r)
		if !ok && s.notResource { // as in isAboutResource
			return deny
		}
		if ok && compareARN(compare, text, asked.text) {
			return !s.notResource
		}
	}
	return s.notResource
}

// fitsPattern is fits for a value that is a pattern: whether all texts of it are as wanted, or, for a Deny, one of
// them. For operators other than StringEquals and StringLike it is unknown.
func (c *condition) fitsPattern(r *Request, value string, effect Effect) bool {
	deny := effect == Deny
	asked, err := newPattern(value, true)
	if err != nil || asked.variables || c.form == noForm {
		return deny
	}
	compare := covers
	if deny != c.negated {
		compare = overlaps
	}
	for i := range c.wanted {
		wanted, ok := c.wanted[i].expand(r)
		if !ok && c.negated {
			return false // as in fits
		}
		if c.form == literalForm {
			wanted = markLiterals(plain(wanted))
		}
		if ok && compare(symbols(wanted), symbols(asked.text)) {
			return !c.negated
		}
	}
	return c.negated
}

// compareARN compares the patterns of two ARNs part by part, as matchARN does. compare is covers or overlaps.
func compareARN(compare func(a, b []symbol) bool, a, b string) bool {
	if a == "*" || b == "*" {
		return compare(symbols(a), symbols(b))
	}
	as, bs := strings.SplitN(a, ":", arnParts), strings.SplitN(b, ":", arnParts)
	if len(as) != arnParts || len(bs) != arnParts {
		return false
	}
	for i := range as {
		if !compare(symbols(as[i]), symbols(bs[i])) {
			return false
		}
	}
	return true
}

// symbol is a character of a pattern, or a wildcard.
type symbol struct {
	char     rune
	wildcard bool // char is * or ?
}

func (s symbol) isStar() bool { return s.wildcard && s.char == '*' }

// symbols splits an expanded pattern.
func symbols(expanded string) (list []symbol) {
	marked := false
	for _, char := range expanded {
		if char == literalMark && !marked {
			marked = true
			continue
		}
		list = append(list, symbol{char, !marked && (char == '*' || char == '?')})
		marked = false
	}
	return list
}

// covers reports whether every text of pattern b is one of pattern a. It may be false where a covers b in a way that
// takes more than one look at each symbol of b, such as *? and ?*.
func covers(a, b []symbol) bool {
	return walk(a, b, func(x, y symbol) bool { return x == y || x.wildcard && !y.isStar() }, false)
}

// overlaps reports whether some text is of both patterns.
func overlaps(a, b []symbol) bool {
	return walk(a, b, func(x, y symbol) bool { return x == y || x.wildcard || y.wildcard }, true)
}

// walk reports whether two patterns can be walked to their ends together, where a star of a stands for any symbols of
// b, if both is set a star of b for any of a, and other symbols for each other where fits says so. It takes time
// proportional to the product of the lengths.
func walk(a, b []symbol, fits func(x, y symbol) bool, both bool) bool {
	reached := make([]bool, len(b)+1) // by the symbols of a so far, the first so many of b
	reached[0] = true
	for j := range b {
		reached[j+1] = both && reached[j] && b[j].isStar()
	}
	for _, x := range a {
		before := reached[0]
		reached[0] = before && x.isStar()
		for j, y := range b {
			diagonal := before
			before = reached[j+1]
			star := x.isStar() || both && y.isStar()
			reached[j+1] = star && (before || reached[j]) || diagonal && fits(x, y)
		}
	}
	return reached[len(b)]
}
