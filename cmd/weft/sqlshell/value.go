// SPDX-License-Identifier: Apache-2.0

package sqlshell

import (
	"database/sql"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/parse/token"
)

// column is a column of an answer.
type column struct {
	name                 string
	number, json, binary bool
}

func columnOf(t *sql.ColumnType) column {
	c := column{name: t.Name()}
	switch kind := strings.TrimPrefix(t.DatabaseTypeName(), "UNSIGNED "); kind {
	case "TINYINT", "SMALLINT", "MEDIUMINT", "INT", "BIGINT", "YEAR", "DECIMAL", "FLOAT", "DOUBLE":
		c.number = true
	case "JSON":
		c.json = true
	case "BIT", "BINARY", "VARBINARY", "TINYBLOB", "BLOB", "MEDIUMBLOB", "LONGBLOB", "GEOMETRY":
		c.binary = true
	}
	return c
}

// cell returns a value's text, nil for NULL. Binary values are shown in hexadecimal digits.
func (c column) cell(value any) []byte {
	switch v := value.(type) {
	case nil:
		return nil
	case []byte:
		if c.binary || !utf8.Valid(v) {
			return append([]byte("0x"), strings.ToUpper(hex.EncodeToString(v))...)
		}
		return append([]byte{}, v...) // an empty text is not nil
	case int64:
		return strconv.AppendInt([]byte{}, v, 10)
	case uint64:
		return strconv.AppendUint(nil, v, 10)
	case float32:
		short, _ := strconv.ParseFloat(strconv.FormatFloat(float64(v), 'g', -1, 32), 64) // it is a number
		return datum.Float64(short).AppendText(nil)
	case float64:
		return datum.Float64(v).AppendText(nil)
	}
	return fmt.Append([]byte{}, value)
}

// first returns a statement's first word in lower case.
func first(text string) string {
	l := token.Lexer{Text: []byte(text)}
	t := l.Next()
	return strings.ToLower(text[t.Start:t.End])
}
