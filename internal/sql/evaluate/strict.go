// SPDX-License-Identifier: Apache-2.0

package evaluate

import (
	"errors"
	"strconv"
	"strings"

	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/fault"
)

// checkNumbers refuses a text that meets a number and is none, where a statement writes. Errors: 1292.
func (x *Context) checkNumbers(a, b datum.Datum) error {
	if !x.StrictNumbers {
		return nil
	}
	switch {
	case a.Kind() == datum.KindText && isNumber(b):
		return checkNumber(a)
	case b.Kind() == datum.KindText && isNumber(a):
		return checkNumber(b)
	}
	return nil
}

func isNumber(d datum.Datum) bool {
	switch d.Kind() {
	case datum.KindInt, datum.KindUint, datum.KindFloat, datum.KindDecimal:
		return true
	}
	return false
}

func checkNumber(d datum.Datum) error {
	if _, member := d.Member(); member {
		return nil
	}
	text := strings.TrimSpace(string(d.Bytes()))
	_, err := strconv.ParseFloat(text, 64)
	if (err == nil || errors.Is(err, strconv.ErrRange)) && strings.Trim(text, "+-.0123456789eE") == "" {
		return nil
	}
	return fault.New(fault.TruncatedWrongValue, "DOUBLE", string(d.Bytes()))
}
