// SPDX-License-Identifier: Apache-2.0

package joinkey

import (
	"fmt"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/weftdb/weft/internal/sql/datum"
)

// form is how values that are compared with each other are hashed: equal ones alike.
type form byte

// The forms.
const (
	formText form = iota
	formNumber
	formInstant
)

// formOf is the form for two types that are compared.
func formOf(a, b sql.Type) form {
	switch {
	case types.IsTime(a) || types.IsTime(b):
		return formInstant
	case types.IsNumber(a) || types.IsNumber(b) || a == types.Boolean || b == types.Boolean:
		return formNumber
	}
	return formText
}

// of is a value in the form: a float64, an int64 of milliseconds, or a string. What can't be converted is its text.
func (f form) of(ctx *sql.Context, v any) (any, error) {
	v, err := sql.UnwrapAny(ctx, v)
	if err != nil {
		return nil, err
	}
	switch f {
	case formNumber:
		if text, ok := v.(string); ok {
			return datum.Text([]byte(text)).NumberFloat(), nil
		}
		if n, _, err := types.Float64.Convert(ctx, v); err == nil {
			return n, nil
		}
	case formInstant:
		if at, _, err := types.DatetimeMaxPrecision.Convert(ctx, v); err == nil {
			if t, ok := at.(time.Time); ok {
				return t.UnixMilli(), nil
			}
		}
	}
	text, _, err := types.LongText.Convert(ctx, v)
	if err != nil {
		return fmt.Sprint(v), nil
	}
	return text, nil
}
