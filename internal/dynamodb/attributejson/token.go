// SPDX-License-Identifier: Apache-2.0

package attributejson

// Token is the sort of a JSON value, as its first byte tells.
type Token uint8

// The tokens. Peek does not tell TokenDecimal from TokenNumber; a TypeError does.
const (
	TokenNone Token = iota // no value: the end of the body, or a byte that begins none
	TokenNull
	TokenFalse
	TokenTrue
	TokenNumber
	TokenDecimal // a number with a fraction or an exponent
	TokenString
	TokenArray
	TokenObject
)

// tokenNames are AWS's words for the tokens of a body. // immutable
var tokenNames = [...]string{
	TokenNone: "NO_VALUE", TokenNull: "NULL_VALUE", TokenFalse: "FALSE_VALUE", TokenTrue: "TRUE_VALUE",
	TokenNumber:  "NUMBER_VALUE",
	TokenDecimal: "DECIMAL_VALUE", TokenString: "STRING_VALUE", TokenArray: "START_ARRAY", TokenObject: "START_OBJECT",
}

// String returns the name that Amazon's messages use, such as "NUMBER_VALUE".
func (t Token) String() string {
	if int(t) < len(tokenNames) {
		return tokenNames[t]
	}
	return tokenNames[TokenNone]
}

func tokenOf(c byte) Token {
	switch c {
	case '"':
		return TokenString
	case '{':
		return TokenObject
	case '[':
		return TokenArray
	case 'n':
		return TokenNull
	case 'f':
		return TokenFalse
	case 't':
		return TokenTrue
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return TokenNumber
	}
	return TokenNone
}
