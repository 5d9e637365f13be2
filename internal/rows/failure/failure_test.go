// SPDX-License-Identifier: Apache-2.0

package failure

import (
	"errors"
	"fmt"
	"testing"
)

// TestErrorText: an error says each thing once.
func TestErrorText(t *testing.T) {
	for want, e := range map[string]*Error{
		"weft: table x: no such table": {Kind: NotFound, Table: "x", Detail: "no such table",
			Err: errors.New("catalog: no such table")},
		"weft: table x: too long":                {Table: "x", Err: fmt.Errorf("record: %w", errors.New("too long"))},
		"weft: table x: no row: the disk failed": {Table: "x", Detail: "no row", Err: errors.New("the disk failed")},
		"weft: table x: busy":                    {Table: "x", Kind: Busy},
		"weft: table x: column c: wrong":         {Table: "x", Err: errors.New("table x: column c: wrong")},
		"weft: open /a: no such file":            {Err: errors.New("open /a: no such file")},
		"weft: not found":                        {Kind: NotFound},
	} {
		if got := e.Error(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
