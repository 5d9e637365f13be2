// SPDX-License-Identifier: Apache-2.0

package sqlshell

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/weftdb/weft/internal/sql/parse/token"
	"github.com/weftdb/weft/internal/sql/tree"
)

// names are the tables of a database with their columns, and what else may be typed.
type names struct {
	tables   []string
	columns  map[string][]string // by table
	commands []string            // of backslashes, without them
}

// complete finds what the word before the cursor may be: behind a backslash a command, behind TABLE. a column of that
// table, behind FROM and its like a table, else a keyword, table or column. Keywords are written as the word is.
func (n *names) complete(line string, pos int) (from int, candidates []string) {
	from = wordStart(line[:pos])
	word, before := line[from:pos], strings.TrimSpace(line[:from])
	if strings.HasPrefix(strings.TrimSpace(line), `\`) {
		return from, matching(n.afterBackslash(before), word)
	}
	if table, ok := strings.CutSuffix(line[:from], "."); ok {
		table = strings.Trim(table[wordStart(table):], "`")
		return from, matching(escape(n.columns[table]), word)
	}
	if takesTable(before) {
		return from, matching(escape(n.tables), word)
	}
	if word == "" {
		return from, nil
	}
	list := slices.Concat(escape(n.tables), n.allColumns())
	for _, keyword := range token.Words() {
		if word == strings.ToUpper(word) {
			keyword = strings.ToUpper(keyword)
		}
		list = append(list, keyword)
	}
	return from, matching(list, word)
}

// afterBackslash returns the candidates behind the beginning of a backslash command.
func (n *names) afterBackslash(before string) []string {
	switch before {
	case `\`:
		return n.commands
	case `\d`:
		return escape(n.tables)
	case `\format`:
		return formats[:]
	}
	if strings.HasPrefix(before, `\explain`) && takesTable(before) {
		return escape(n.tables)
	}
	return nil
}

// takesTable reports whether a text ends in a keyword that a table's name follows.
func takesTable(before string) bool {
	words := strings.Fields(before)
	if len(words) == 0 {
		return false
	}
	return slices.Contains([]string{"from", "join", "into", "update", "table", "describe", "desc"},
		strings.ToLower(words[len(words)-1]))
}

// allColumns returns the columns of all tables.
func (n *names) allColumns() (list []string) {
	for _, columns := range n.columns {
		list = append(list, escape(columns)...)
	}
	return list
}

// matching returns the candidates that begin with a word, each once, in their order.
func matching(candidates []string, word string) (list []string) {
	for _, candidate := range candidates {
		if strings.HasPrefix(candidate, word) {
			list = append(list, candidate)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// escape puts names that need it into backticks.
func escape(list []string) []string {
	out := make([]string, len(list))
	for i, name := range list {
		if out[i] = name; wordStart(name) > 0 || strings.Contains(name, "`") || name == "" || name[0] <= '9' {
			out[i] = tree.Quote(name)
		}
	}
	return out
}

// wordStart returns where the last word of a text begins.
func wordStart(text string) int {
	i := strings.LastIndexFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && r != '$' && r != '`'
	})
	if i < 0 {
		return 0
	}
	_, size := utf8.DecodeRuneInString(text[i:])
	return i + size
}
