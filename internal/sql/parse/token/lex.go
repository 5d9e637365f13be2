// SPDX-License-Identifier: Apache-2.0

package token

// Kind is the kind of a token.
type Kind uint8

// The kinds. Literals of numbers and binaries stand together, from Integer to Bits.
const (
	End         Kind = iota
	Bad              // the lexer's Problem says what was expected
	Word             // a keyword or a name without quotes
	Quoted           // a name in backticks, or in double quotes
	Text             // one string or several adjacent ones
	Integer          // digits
	Decimal          // digits with a point
	Float            // with an exponent
	Hex              // x'41' or 0x41
	Bits             // b'01' or 0b01
	Variable         // @a, @@b.c
	Placeholder      // ?
	Symbol
)

// Token is one token. Start and End are offsets into the statement.
type Token struct {
	Kind  Kind
	Plain bool // of a text or a quoted name: its value is the bytes between the quotes
	Raw   bool // of a text: backslashes are ordinary characters of it
	Start int
	End   int
	// Word is a symbol; or, where the reader has looked it up, a keyword in lower case; "" for any other word.
	Word string
}

// Bits of the class of a byte.
const (
	classSpace byte = 1 << iota
	classDigit
	classLetter // what a name may start with, and $ and all bytes of UTF-8 beyond ASCII
	classHex
	classGap    // what may start white space or a comment, or end one
	classSymbol // what is a symbol by itself
	classLonger // what may start a longer symbol
)

// class is immutable
var class = makeClasses()

func makeClasses() (table [256]byte) {
	for c := range table {
		switch {
		case c == ' ' || c >= '\t' && c <= '\r':
			table[c] = classSpace | classGap
		case c >= '0' && c <= '9':
			table[c] = classDigit | classHex
		case c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' || c == '$' || c >= 0x80:
			table[c] = classLetter
			if c|0x20 >= 'a' && c|0x20 <= 'f' && c < 0x80 {
				table[c] |= classHex
			}
		}
	}
	for _, c := range []byte("#-/*") {
		table[c] |= classGap
	}
	for _, c := range []byte(single) {
		table[c] |= classSymbol
	}
	for _, c := range []byte("<-=>!&|:") {
		table[c] |= classLonger
	}
	return table
}

// serverVersion is compared with the conditions of /*!80000 .. */.
const serverVersion = 80099

// Lexer cuts a statement into tokens. Copying one is a way to look ahead.
type Lexer struct {
	Text    []byte
	Mode    Mode
	At      int    // the offset of what is read next
	Problem string // of the last Bad token: what was expected
	version bool   // within /*! .. */
	dotted  bool   // the last token was a name: what follows a point is a name, too
}

// Close makes everything up to the end of the statement read.
func (l *Lexer) Close() { l.At, l.version = len(l.Text), false }

// Hints reads a hint comment if that comes next, and returns the offsets of its contents.
func (l *Lexer) Hints() (start, end int, ok bool) {
	l.run(classSpace)
	if !l.follows(0, '/') || !l.follows(1, '*') || !l.follows(2, '+') {
		return 0, 0, false
	}
	after := indexAfter(l.Text, l.At+3, "*/")
	if after < 0 {
		return 0, 0, false
	}
	start, end = l.At+3, after-2
	l.At = after
	return start, end, true
}

// space skips white space and comments. Hints count as comments.
func (l *Lexer) space() (ok bool) {
	text := l.Text
	for l.At < len(text) {
		c := text[l.At]
		switch {
		case class[c]&classSpace != 0:
			l.At++
		case c == '#':
			l.line()
		case c == '-' && l.follows(1, '-') && (l.At+2 == len(text) || text[l.At+2] <= ' '):
			l.line()
		case c == '/' && l.follows(1, '*'):
			if !l.comment() {
				return false
			}
		case c == '*' && l.version && l.follows(1, '/'):
			l.version = false
			l.At += 2
		default:
			return true
		}
	}
	return true
}

func (l *Lexer) follows(distance int, c byte) bool {
	return l.At+distance < len(l.Text) && l.Text[l.At+distance] == c
}

func (l *Lexer) line() {
	for l.At < len(l.Text) && l.Text[l.At] != '\n' {
		l.At++
	}
}

// comment skips /* .. */, or only the opening of /*! .. */ whose text is meant to be read.
func (l *Lexer) comment() (ok bool) {
	if l.follows(2, '!') && !l.version {
		end, version := l.At+3, 0
		for end < len(l.Text) && end < l.At+9 && class[l.Text[end]]&classDigit != 0 {
			version = version*10 + int(l.Text[end]-'0')
			end++
		}
		if version <= serverVersion {
			l.At, l.version = end, true
			return true
		}
	}
	end := indexAfter(l.Text, l.At+2, "*/")
	if end < 0 {
		l.Problem = "the end */ of a comment"
		return false
	}
	l.At = end
	return true
}

// indexAfter finds the end of the next mark from an offset on.
func indexAfter(text []byte, from int, mark string) int {
	for i := from; i+len(mark) <= len(text); i++ {
		if text[i] == mark[0] && string(text[i:i+len(mark)]) == mark {
			return i + len(mark)
		}
	}
	return -1
}

// Next returns the next token. Words are not looked up.
func (l *Lexer) Next() (t Token) {
	l.read(&t)
	return t
}

// read is Next into memory of the caller's: tokens are large to hand over.
func (l *Lexer) read(t *Token) {
	dotted := l.dotted
	l.dotted = false
	if l.At < len(l.Text) && l.Text[l.At] == ' ' {
		l.At++
	}
	if l.At >= len(l.Text) || class[l.Text[l.At]]&classGap != 0 {
		if !l.space() {
			*t = Token{Kind: Bad, Start: l.At, End: len(l.Text)}
			return
		}
		if l.At >= len(l.Text) {
			*t = l.ending()
			return
		}
	}
	c := l.Text[l.At]
	switch {
	case class[c]&classLetter != 0:
		l.word(t)
	case class[c]&classDigit != 0:
		*t = l.number()
	case l.quotes(c):
		*t = l.string(l.At)
	case c == '.' && (!dotted || l.At > 0 && class[l.Text[l.At-1]]&(classLetter|classDigit) == 0 &&
		l.Text[l.At-1] != '`') && l.At+1 < len(l.Text) && class[l.Text[l.At+1]]&classDigit != 0:
		*t = l.number()
	case class[c]&classSymbol != 0:
		l.symbol(c, t)
	case c == '`' || c == '"':
		*t = l.readQuotedName(c)
	case c == '@':
		*t = l.variable()
	case c == '?':
		l.At++
		*t = Token{Kind: Placeholder, Start: l.At - 1, End: l.At, Word: "?"}
	default:
		l.At++
		*t = l.bad(l.At-1, "something else than the character "+string(rune(c)))
	}
}

// ending is the token at the end of the text.
func (l *Lexer) ending() Token {
	if l.version {
		l.Problem = "the end */ of a comment"
		return Token{Kind: Bad, Start: l.At, End: l.At}
	}
	return Token{Kind: End, Start: l.At, End: l.At}
}

// word reads a name or keyword, or a literal that starts as one does: x'41', b'01', n'text'.
func (l *Lexer) word(t *Token) {
	start, text := l.At, l.Text
	if start+1 < len(text) && text[start+1] == '\'' {
		switch text[start] | 0x20 {
		case 'x':
			*t = l.digits(Hex, classHex)
			return
		case 'b':
			*t = l.digits(Bits, classDigit)
			return
		case 'n':
			l.At++
			*t = l.string(start)
			return
		}
	}
	end := start + 1
	for end < len(text) && class[text[end]]&(classLetter|classDigit) != 0 {
		end++
	}
	// HBase's family:qualifier
	if end+1 < len(text) && text[end] == ':' && class[text[end+1]]&(classLetter|classDigit) != 0 {
		for end++; end < len(text) && class[text[end]]&(classLetter|classDigit) != 0; {
			end++
		}
	}
	l.At, l.dotted = end, true
	t.Kind, t.Plain, t.Start, t.End, t.Word = Word, false, start, end, ""
}

// digits reads the quoted part of x'..' and b'..'.
func (l *Lexer) digits(k Kind, of byte) Token {
	start := l.At
	l.At += 2
	for l.At < len(l.Text) && class[l.Text[l.At]]&of != 0 {
		if k == Bits && l.Text[l.At] > '1' {
			break
		}
		l.At++
	}
	if !l.follows(0, '\'') {
		return l.bad(start, "the end ' of a binary literal")
	}
	l.At++
	if k == Hex && (l.At-start-3)%2 != 0 {
		return l.bad(start, "an even number of hexadecimal digits")
	}
	return Token{Kind: k, Start: start, End: l.At}
}

func (l *Lexer) bad(start int, problem string) Token {
	l.Problem = problem
	return Token{Kind: Bad, Start: start, End: l.At}
}

// number reads a number, or a name that starts with digits.
func (l *Lexer) number() Token {
	start, k := l.At, Integer
	if t, ok := l.readPrefixed(start); ok {
		return t
	}
	l.run(classDigit)
	if l.follows(0, '.') {
		k = Decimal
		l.At++
		l.run(classDigit)
	}
	if l.exponent() {
		return Token{Kind: Float, Start: start, End: l.At}
	}
	if k == Integer && l.At < len(l.Text) && class[l.Text[l.At]]&classLetter != 0 {
		l.run(classLetter | classDigit)
		l.dotted = true
		return Token{Kind: Word, Start: start, End: l.At}
	}
	return Token{Kind: k, Start: start, End: l.At}
}

func (l *Lexer) run(of byte) {
	for l.At < len(l.Text) && class[l.Text[l.At]]&of != 0 {
		l.At++
	}
}

// readPrefixed reads 0x41 and 0b01, unless a name goes on behind them.
func (l *Lexer) readPrefixed(start int) (t Token, ok bool) {
	if l.Text[start] != '0' || start+2 >= len(l.Text) {
		return t, false
	}
	end := start + 2
	switch l.Text[start+1] {
	case 'x':
		t.Kind = Hex
		for end < len(l.Text) && class[l.Text[end]]&classHex != 0 {
			end++
		}
	case 'b':
		t.Kind = Bits
		for end < len(l.Text) && l.Text[end]|1 == '1' {
			end++
		}
	default:
		return t, false
	}
	if end == start+2 || end < len(l.Text) && class[l.Text[end]]&(classLetter|classDigit) != 0 {
		return t, false
	}
	l.At = end
	t.Start, t.End = start, end
	return t, true
}

// exponent reads e10, e+10 and e-10.
func (l *Lexer) exponent() bool {
	if l.At >= len(l.Text) || l.Text[l.At]|0x20 != 'e' {
		return false
	}
	end := l.At + 1
	if end < len(l.Text) && (l.Text[end] == '+' || l.Text[end] == '-') {
		end++
	}
	if end >= len(l.Text) || class[l.Text[end]]&classDigit == 0 {
		return false
	}
	l.At = end
	l.run(classDigit)
	return true
}

// quotes reports whether a byte starts and ends a string.
func (l *Lexer) quotes(c byte) bool { return c == '\'' || c == '"' && l.Mode&AnsiQuotes == 0 }

// string reads a string in single or double quotes and those that follow it, with white space between at most: they are
// one.
func (l *Lexer) string(start int) Token {
	t := Token{Kind: Text, Start: start, Plain: l.At == start, Raw: l.Mode&NoBackslashEscapes != 0}
	for {
		quote := l.Text[l.At]
		l.At++
		for {
			if l.At >= len(l.Text) {
				return l.bad(start, "the end "+string(rune(quote))+" of a string")
			}
			c := l.Text[l.At]
			l.At++
			if c == '\\' && !t.Raw {
				t.Plain = false
				l.At++
			} else if c == quote {
				if !l.follows(0, quote) {
					break
				}
				t.Plain = false
				l.At++
			}
		}
		t.End = l.At
		next := l.At
		for next < len(l.Text) && class[l.Text[next]]&classSpace != 0 {
			next++
		}
		if next >= len(l.Text) || !l.quotes(l.Text[next]) {
			return t
		}
		l.At, t.Plain = next, false
	}
}

// readQuotedName reads a name in backticks, or in double quotes.
func (l *Lexer) readQuotedName(quote byte) Token {
	start, plain := l.At, true
	l.At++
	for l.At < len(l.Text) {
		if l.Text[l.At] != quote {
			l.At++
			continue
		}
		l.At++
		if !l.follows(0, quote) {
			if l.At-start == 2 {
				return l.bad(start, "a name between "+map[byte]string{'`': "backticks", '"': "double quotes"}[quote])
			}
			l.dotted = true
			return Token{Kind: Quoted, Start: start, End: l.At, Plain: plain}
		}
		plain = false
		l.At++
	}
	return l.bad(start, "the end "+string(rune(quote))+" of a name")
}

// variable reads @name, @'name', @@name and @@scope.name.
func (l *Lexer) variable() Token {
	start := l.At
	l.At++
	if l.follows(0, '@') {
		l.At++
	}
	for first := true; l.At < len(l.Text); first = false {
		c := l.Text[l.At]
		switch {
		case class[c]&(classLetter|classDigit) != 0 || c == '.':
			l.At++
		case c == '`' || first && (c == '\'' || c == '"'):
			end := indexAfter(l.Text, l.At+1, string(rune(c)))
			if end < 0 {
				return l.bad(start, "the end of a variable's name")
			}
			l.At = end
		default:
			return Token{Kind: Variable, Start: start, End: l.At}
		}
	}
	return Token{Kind: Variable, Start: start, End: l.At}
}

// single holds the symbols of one byte. // immutable
const single = "(),;.+-*/%&|^~!=<>:{}[]"

// singles is the place of each symbol in single. // immutable
var singles = func() (table [256]byte) {
	for i, c := range []byte(single) {
		table[c] = byte(i)
	}
	return table
}()

// several holds the longer symbols, the longest first. // immutable
var several = [...]string{"<=>", "->>", "->", "==", "<=", "<>", "<<", ">=", ">>", "!=", "&&", "||", ":="}

// symbol reads an operator or a bracket.
func (l *Lexer) symbol(c byte, t *Token) {
	start := l.At
	t.Kind, t.Plain, t.Start = Symbol, false, start
	if class[c]&classLonger != 0 && start+1 < len(l.Text) && class[l.Text[start+1]]&classLonger != 0 {
		for _, s := range several {
			if s[0] == c && start+len(s) <= len(l.Text) && string(l.Text[start:start+len(s)]) == s {
				l.At += len(s)
				t.End, t.Word = l.At, s
				if s == "||" && l.Mode&PipesAsConcat != 0 {
					t.Word = Pipes
				}
				return
			}
		}
	}
	l.At++
	i := singles[c]
	t.End, t.Word = l.At, single[i:i+1]
}
