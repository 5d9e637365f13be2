// SPDX-License-Identifier: Apache-2.0

package function

import (
	"fmt"
	"io"
	"regexp"
	"regexp/syntax"
	"unicode/utf8"

	"github.com/weftdb/weft/internal/sql/fault"
)

// Bounds of regular expressions. A search takes time by the length of the text times the size of the program.
const (
	patternBytesMax = 64 << 10
	programMax      = 10_000  // instructions, about
	workLittle      = 1 << 24 // bytes times instructions: what is done without looking whether the statement was ended
	workMax         = 1 << 27 // of one search that can't be ended
)

// Regular is a compiled regular expression.
type Regular struct {
	compiled *regexp.Regexp
	size     int  // of its program, about
	looks    bool // what it matches depends on what stands before: ^, \A, \b
}

// Regexp compiles a pattern, or finds it compiled. Patterns follow package regexp: no back references, linear
// time.
func (e *Environment) Regexp(pattern []byte) (*Regular, error) {
	if r, ok := e.regexps[string(pattern)]; ok {
		return r, nil
	}
	if len(pattern) > patternBytesMax {
		return nil, fault.New(fault.RegexpSyntax,
			fmt.Sprintf("the pattern is longer than %d bytes: shorten it", patternBytesMax))
	}
	tree, err := syntax.Parse(string(pattern), syntax.Perl)
	if err != nil {
		return nil, fault.Because(err, fault.RegexpSyntax, err.Error())
	}
	r := &Regular{}
	if r.size = r.sizeOf(tree); r.size > programMax {
		return nil, fault.New(fault.RegexpSyntax,
			fmt.Sprintf("the pattern is too large with its repetitions expanded: %d steps of at most %d; repeat fewer times", r.size, programMax))
	}
	if r.compiled, err = regexp.Compile(string(pattern)); err != nil {
		return nil, fault.Because(err, fault.RegexpSyntax, err.Error())
	}
	if e.regexps == nil || len(e.regexps) >= regexpsMax {
		e.regexps = make(map[string]*Regular)
	}
	e.regexps[string(pattern)] = r
	return r, nil
}

// sizeOf is about the number of instructions a pattern compiles to. It also notes whether the pattern looks back.
func (r *Regular) sizeOf(tree *syntax.Regexp) int {
	size := 1 + len(tree.Rune)/2
	for _, part := range tree.Sub {
		size = min(size+r.sizeOf(part), 1<<30)
	}
	switch tree.Op {
	case syntax.OpLiteral:
		size = 1 + len(tree.Rune)
	case syntax.OpRepeat:
		size = min(size*max(tree.Min, tree.Max, 1), 1<<30)
	case syntax.OpBeginLine, syntax.OpBeginText, syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		r.looks = true
	}
	return size
}

// Matches reports whether a text matches. Errors: fault.Interrupted if the statement was ended meanwhile.
func (e *Environment) Matches(r *Regular, text []byte) (bool, error) {
	if len(text)*r.size <= workLittle {
		return r.compiled.Match(text), nil
	}
	found := r.compiled.MatchReader(&runes{text: text, ended: e.Done})
	return found, e.endError()
}

// endError is an error once the statement has ended.
func (e *Environment) endError() error {
	select {
	case <-e.Done:
		return fault.New(fault.Interrupted)
	default:
		return nil
	}
}

// runes reads a text until the statement ends.
type runes struct {
	text  []byte
	ended <-chan struct{}
	read  int
}

// ReadRune is io.RuneReader's.
func (r *runes) ReadRune() (c rune, size int, err error) {
	if r.read++; r.read%1024 == 0 {
		select {
		case <-r.ended:
			return 0, 0, io.EOF
		default:
		}
	}
	if len(r.text) == 0 {
		return 0, 0, io.EOF
	}
	c, size = utf8.DecodeRune(r.text)
	r.text = r.text[size:]
	return c, size, nil
}

// each hands the matches over in their order, as regexp.FindAllSubmatchIndex finds them, until take says false. Errors:
// fault.Interrupted if the statement was ended meanwhile; fault.Refused.
func (e *Environment) each(r *Regular, text []byte, take func(match []int) bool) error {
	if len(text)*r.size > workMax {
		return fault.New(fault.Refused, fmt.Sprintf(
			"The text of %d bytes is too long for a regular expression of %d steps: search a part of it, or shorten the pattern", len(text), r.size))
	}
	if r.looks {
		return e.eachLooking(r, text, take)
	}
	for at, last := 0, -1; at <= len(text); {
		if err := e.endError(); err != nil {
			return err
		}
		match := r.compiled.FindSubmatchIndex(text[at:])
		if match == nil {
			return nil
		}
		for i := range match {
			if match[i] >= 0 {
				match[i] += at
			}
		}
		isNew := true
		if match[1] == at { // it is empty
			isNew = match[0] != last
			_, size := utf8.DecodeRune(text[at:])
			at += max(1, size)
		} else {
			at = match[1]
		}
		if last = match[1]; isNew && !take(match) {
			return nil
		}
	}
	return nil
}

// eachLooking is each for a pattern that looks at what stands before a match, which a search in the rest of a text
// would not see: it asks for more and more matches of the whole, so that the statement can be ended in between.
func (e *Environment) eachLooking(r *Regular, text []byte, take func(match []int) bool) error {
	taken := 0
	for most := 16; ; most *= 2 {
		matches := r.compiled.FindAllSubmatchIndex(text, most)
		for ; taken < len(matches); taken++ {
			if !take(matches[taken]) {
				return nil
			}
		}
		if err := e.endError(); err != nil || len(matches) < most {
			return err
		}
	}
}
