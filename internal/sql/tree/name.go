// SPDX-License-Identifier: Apache-2.0

package tree

import "strings"

// reservedWords are the words that are names in backticks only.
const reservedWords = ` accessible add all alter analyze and as asc asensitive before between bigint binary blob both by call cascade case change char character check
 collate column condition constraint continue convert create cross current_date current_time current_timestamp current_user cursor database databases
 dec decimal declare default delayed delete desc describe deterministic distinct distinctrow div double drop dual each else elseif enclosed
 escaped except exists exit explain false fetch float float4 float8 for force foreign from fulltext function generated get grant group having
 high_priority if ignore in index infile inner inout insensitive insert int int1 int2 int3 int4 int8 integer intersect interval into is iterate join
 key keys kill lateral leading leave left like limit linear lines load localtime localtimestamp lock long longblob longtext loop low_priority match
 maxvalue mediumblob mediumint mediumtext middleint mod modifies natural not null numeric on optimize option optionally or order out outer outfile
 over partition precision primary procedure purge range read reads real recursive references regexp release rename repeat replace require
 resignal restrict return revoke right rlike rows schema schemas select sensitive separator set show signal smallint spatial specific sql
 sql_big_result sql_buffer_result sql_cache sql_calc_found_rows sql_no_cache sql_small_result sqlexception sqlstate sqlwarning ssl starting stored straight_join table terminated then tinyblob tinyint tinytext to trailing trigger true undo union
 unique unlock unsigned update usage use using utc_date utc_time utc_timestamp values varbinary varchar varcharacter varying virtual when where while
 window with write xor zerofill `

// reserved is immutable
var reserved = func() map[string]bool {
	words := map[string]bool{}
	for _, word := range strings.Fields(reservedWords) {
		words[word] = true
	}
	return words
}()

// Reserved reports whether a word, in lower case, is a name in backticks only.
func Reserved(word string) bool { return reserved[word] }

// ReservedWords lists the reserved words in lower case, sorted; the caller may keep it.
func ReservedWords() []string { return strings.Fields(reservedWords) }

// AppendName appends a name as the parser reads it back: as it is, or in backticks where it needs them.
func AppendName(dst []byte, name string) []byte {
	if plainName(name) {
		return append(dst, name...)
	}
	return appendQuoted(dst, name)
}

// QuoteIfNeeded is a name as AppendName writes it.
func QuoteIfNeeded(name string) string { return string(AppendName(nil, name)) }

// Quote is a name in backticks.
func Quote(name string) string { return string(appendQuoted(nil, name)) }

func appendQuoted(dst []byte, name string) []byte {
	dst = append(dst, '`')
	for i := range len(name) {
		if name[i] == '`' {
			dst = append(dst, '`')
		}
		dst = append(dst, name[i])
	}
	return append(dst, '`')
}

func plainName(name string) bool {
	for i := range len(name) {
		c := name[i]
		letter := c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return name != "" && !reserved[strings.ToLower(name)]
}

// appendNames appends names with commas between them.
func appendNames(dst []byte, names []string) []byte {
	for i, name := range names {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		dst = AppendName(dst, name)
	}
	return dst
}

// AppendText appends a text in single quotes.
func AppendText[T string | []byte](dst []byte, text T) []byte {
	dst = append(dst, '\'')
	for i := range len(text) {
		switch c := text[i]; c {
		case '\'':
			dst = append(dst, "''"...)
		case '\\':
			dst = append(dst, `\\`...)
		case 0:
			dst = append(dst, `\0`...)
		case '\n':
			dst = append(dst, `\n`...)
		case '\r':
			dst = append(dst, `\r`...)
		default:
			dst = append(dst, c)
		}
	}
	return append(dst, '\'')
}

// append appends the name with its database.
func (n Name) append(dst []byte) []byte {
	if n.Database != "" {
		dst = append(AppendName(dst, n.Database), '.')
	}
	return AppendName(dst, n.Name)
}

// appendDotted appends a variable's name, whose parts have points between them.
func appendDotted(dst []byte, name string) []byte {
	for i, part := range strings.Split(name, ".") {
		if i > 0 {
			dst = append(dst, '.')
		}
		dst = AppendName(dst, part)
	}
	return dst
}
