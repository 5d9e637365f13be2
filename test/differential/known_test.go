// SPDX-License-Identifier: Apache-2.0

package differential

import (
	"regexp"
	"strings"
)

// known is a difference that has a reason.
type known struct {
	statement *regexp.Regexp // what the statement holds
	failure   string         // what the engine's error says; "": it answers
	reason    string
}

func of(statement, failure, reason string) known {
	return known{regexp.MustCompile(statement), failure, reason}
}

// differences are those known. They are looked for only where two answers differ. The list is immutable.
var differences = []known{
	of(`GREATEST|LEAST`, "unsupported type for greatest/least argument", "the engine's GREATEST and LEAST take no decimals"),
	of(`(COALESCE|IFNULL|IF|CASE|NULLIF).*(\by\b|x')`, "", "the engine makes texts of choices between binaries, and compares them as such"),
	of(`GREATEST|LEAST`, "", "the engine's GREATEST and LEAST are wrong about integers beside floating-point numbers"),
	of(`DISTINCT.*(COALESCE|IFNULL|IF|CASE|NULLIF)`, "", "the engine makes texts of choices between times or binaries, equal ones not always alike"),
	of(`COALESCE|IFNULL|IF|CASE|NULLIF`, "Out of range value for column of Decimal type", "the engine gives choices between numbers too narrow a type"),
	of(`COALESCE|IFNULL|IF|CASE|NULLIF`, "invalid string for charset", "the engine makes texts of choices between binaries"),
	of(`COUNT\(1\)|COUNT\(\d`, "Unknown column 'COUNT(*)'", "the engine loses COUNT(*) beside a COUNT of a constant"),
	of(`(MAX|MIN)\(['0-9-]`, "Unknown column 'M", "the engine loses one of two equal aggregates of a constant"),
	of(`(AVG|\*).*\bd[nm]\b|\bd[nm]\b.*\*`, "", "products and averages of numbers without a type are floating-point ones, and the engine's decimals: they differ in the last digit shown"),
	of(`TRIM`, "nil pointer dereference", "the engine's TRIM, LTRIM and RTRIM panic on some expressions that are NULL"),
	of(` / `, "", "the engine rounds a quotient to the scale of a decimal that it is compared with, and sorts quotients by other digits"),
	of(`[LR]PAD`, "charset", "the engine's LPAD and RPAD cut letters in two"),
	of(`[LR]PAD`, "invalid type", "the engine's LPAD and RPAD have no type where they are nested"),
	of(`[LR]PAD`, "malformed string", "the engine's LPAD and RPAD cut letters in two"),
	of(`[LR]PAD`, "", "the engine's LPAD and RPAD count bytes"),
	of(`ROUND`, "", "the engine rounds halves of floating-point numbers away from 0, where MySQL takes the even one"),
	of(`SIGN`, "", "the engine's SIGN makes an integer of its argument first"),
}

// excuse is why two answers differ; "" if there is no reason.
func excuse(statement string, own, other *answer) string {
	if own.err != nil {
		return ""
	}
	for _, one := range differences {
		if !one.statement.MatchString(statement) || (one.failure == "") != (other.err == nil) {
			continue
		}
		if other.err == nil || strings.Contains(other.err.Error(), one.failure) {
			return one.reason
		}
	}
	return ""
}
