// SPDX-License-Identifier: Apache-2.0

package rewrite

import (
	"strings"

	"github.com/weftdb/weft/internal/sql/tree"
)

// Dialect turns the dialect into what the engine's parser reads: `==` into `=`, UPSERT into INSERT, ALTER VIEW into CREATE OR REPLACE VIEW; ON DUPLICATE KEY IGNORE and ERROR are taken
// out and become a rule, as ALLOW FILTERING becomes a hint.
func Dialect(text string) (string, tree.DuplicateRule) {
	if !strings.Contains(text, "==") && !mayHold(text, "upsert") && !mayHold(text, "duplicate") && !mayHold(text, "filtering") &&
		!mayHold(text, "alter") && !mayHold(text, "explain") && !mayHold(text, "desc") && !mayHold(text, "date") && !mayHold(text, "timestamp") && !mayHold(text, "any") && !mayHold(text, "some") && !mayHold(text, "all") {
		return text, tree.DuplicateByMode
	}
	words := scanWords(text)
	rule := tree.DuplicateByMode
	var out strings.Builder
	done := 0
	put := func(from, to int, instead string) {
		out.WriteString(text[done:from])
		out.WriteString(instead)
		done = to
	}
	for i := 0; i < len(words); i++ {
		w := words[i]
		if from, instead := quantified(text, w, done); instead != "" {
			put(from, w.to, instead)
			continue
		}
		switch {
		case w.is(text, "=="):
			put(w.from, w.to, "=")
		case w.is(text, "timestamp") || w.is(text, "date"):
			if from := w.to + len(text[w.to:]) - len(strings.TrimLeft(text[w.to:], " \t\r\n")); from < len(text) && text[from] == '\'' {
				to := afterQuoted(text, from)
				put(w.from, to, "CAST("+text[from:to]+" AS "+castOf(text[w.from:w.to])+")")
			}
		case w.is(text, "upsert") && i == 0:
			rule = tree.Overwrite
			put(w.from, w.to, "INSERT")
		case i == 0 && (w.is(text, "explain") || w.is(text, "describe") || w.is(text, "desc")) && len(words) > 1 &&
			(words[1].is(text, "select") || words[1].is(text, "with") || words[1].is(text, "insert") || words[1].is(text, "update") || words[1].is(text, "delete")):
			put(w.from, w.to, "EXPLAIN PLAN")
		case w.is(text, "alter") && i == 0 && len(words) > 1 && words[1].is(text, "view"):
			put(w.from, w.to, "CREATE OR REPLACE")
		case w.is(text, "on") && i+3 < len(words) && words[i+1].is(text, "duplicate") && words[i+2].is(text, "key"):
			last := words[i+3]
			if last.is(text, "ignore") {
				rule = tree.DuplicateIgnore
			} else if last.is(text, "error") {
				rule = tree.DuplicateError
			} else {
				continue
			}
			put(w.from, last.to, " ")
			i += 3
		case w.is(text, "allow") && i+1 < len(words) && words[i+1].is(text, "filtering"):
			put(w.from, words[i+1].to, "/*+ _l_allow_filtering_ */")
			i++
		}
	}
	out.WriteString(text[done:])
	return out.String(), rule
}

// castOf is what a literal such as DATE '2024-01-31' is a cast to: the engine would take it for a text.
func castOf(word string) string {
	if strings.EqualFold(word, "date") {
		return "DATE"
	}
	return "DATETIME(6)"
}

// quantified is IN for `= ANY`, and NOT IN for `<> ALL`, which the engine's parser lacks; from is where the operator begins.
func quantified(text string, w word, done int) (from int, instead string) {
	before := strings.TrimRight(text[done:w.from], " \t\r\n")
	follows := strings.HasPrefix(strings.TrimLeft(text[w.to:], " \t\r\n"), "(")
	switch {
	case !follows:
	case (w.is(text, "any") || w.is(text, "some")) && strings.HasSuffix(before, "=") && !strings.ContainsAny(before[max(0, len(before)-2):], "<>!:"):
		return done + len(before) - 1, "IN"
	case w.is(text, "all") && (strings.HasSuffix(before, "<>") || strings.HasSuffix(before, "!=")):
		return done + len(before) - 2, "NOT IN"
	}
	return 0, ""
}

// mayHold says whether a word stands in a text, without regard to case.
func mayHold(text, word string) bool {
	for i := 0; i+len(word) <= len(text); i++ {
		if text[i]|0x20 == word[0] && strings.EqualFold(text[i:i+len(word)], word) {
			return true
		}
	}
	return false
}

// word is a bare word or `==` of a statement.
type word struct{ from, to int }

func (w word) is(text, s string) bool { return strings.EqualFold(text[w.from:w.to], s) }

// scanWords finds the words of a statement, outside of texts, quoted names and comments.
func scanWords(text string) []word {
	var words []word
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case c == '\'' || c == '"' || c == '`':
			i = afterQuoted(text, i)
		case c == '#' || strings.HasPrefix(text[i:], "-- ") || strings.HasPrefix(text[i:], "--\n"):
			i = after(text, i, "\n")
		case strings.HasPrefix(text[i:], "/*"):
			i = after(text, i+2, "*/")
		case strings.HasPrefix(text[i:], "=="):
			words = append(words, word{i, i + 2})
			i += 2
		case isWord(c):
			from := i
			for i < len(text) && isWord(text[i]) {
				i++
			}
			words = append(words, word{from, i})
		default:
			i++
		}
	}
	return words
}

func isWord(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' || c == '@' || c == '$' || c >= 0x80
}

func after(text string, from int, mark string) int {
	if from > len(text) {
		return len(text)
	}
	if at := strings.Index(text[from:], mark); at >= 0 {
		return from + at + len(mark)
	}
	return len(text)
}

// afterQuoted is the place after a text or name in quotes; quotes within are doubled or, but in names, escaped.
func afterQuoted(text string, at int) int {
	quote := text[at]
	for i := at + 1; i < len(text); i++ {
		switch {
		case text[i] == '\\' && quote != '`':
			i++
		case text[i] == quote && i+1 < len(text) && text[i+1] == quote:
			i++
		case text[i] == quote:
			return i + 1
		}
	}
	return len(text)
}

// Spelled is a name as a statement spells it first, whatever its case; the name itself if it does not.
func Spelled(text, name string) string {
	for at := 0; name != "" && at+len(name) <= len(text); at++ {
		before, after := at == 0 || !isWord(text[at-1]), at+len(name) == len(text) || !isWord(text[at+len(name)])
		if before && after && strings.EqualFold(text[at:at+len(name)], name) {
			return text[at : at+len(name)]
		}
	}
	return name
}
