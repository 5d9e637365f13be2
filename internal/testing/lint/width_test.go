// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"fmt"
	"go/scanner"
	"go/token"
	"strings"
	"unicode/utf8"
)

// columnsMax is how wide a line of code or a comment may be; a tab counts as four columns. Strings don't count, since a
// text that is cut can't be found, nor do tables and code in comments.
const columnsMax = 120

// checkColumns finds lines that are too wide.
func checkColumns(s *source) []finding {
	if s.generated {
		return nil
	}
	var found []finding
	strs := stringsOf(s.text)
	for i, line := range strings.Split(s.text, "\n") {
		width := utf8.RuneCountInString(line) + 3*strings.Count(line, "\t")
		isTable := strings.HasPrefix(strings.TrimLeft(line, "\t"), "//\t")
		if width-strs[i] > columnsMax && !isTable {
			text := fmt.Sprintf("a line of %d columns, at most %d: wrap it", width, columnsMax)
			found = append(found, finding{s.path, i + 1, text})
		}
	}
	return found
}

// stringsOf returns how many columns the strings of each line take, by the line's index. A line within a raw string is
// all string.
func stringsOf(text string) map[int]int {
	columns := map[int]int{}
	files := token.NewFileSet()
	file := files.AddFile("", -1, len(text))
	var lexer scanner.Scanner
	lexer.Init(file, []byte(text), nil, 0)
	for {
		pos, kind, literal := lexer.Scan()
		switch {
		case kind == token.EOF:
			return columns
		case kind != token.STRING:
			continue
		}
		first := file.Line(pos) - 1
		for i, part := range strings.Split(literal, "\n") {
			columns[first+i] += utf8.RuneCountInString(part) + 3*strings.Count(part, "\t")
		}
	}
}
