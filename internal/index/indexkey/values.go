// SPDX-License-Identifier: Apache-2.0

package indexkey

import (
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
)

// Skip cuts all parts of x off the front of key. The rest of a secondary index entry's key are the parts of the primary
// key, of a primary one nothing. The bytes of each part are checked only as far as is needed to find its end.
func Skip(x *schema.Index, key []byte) (rest []byte, err error) {
	for i := range x.Key {
		if key, err = skipPart(key, x, &x.Key[i]); err != nil {
			return nil, err
		}
	}
	return key, nil
}

// Values calls visit with the value of each visible part of key in turn: the column's value for a plain part, the
// function's result for a computed one, nil for a null. Numbers come back as the kind of the part's type, whatever kind
// the row holds. The values are built behind each other in scratch, which grows as needed, so they stay as long as
// scratch's bytes do. The first error of visit ends the walk and is returned. rest is the remainder after the parts.
func Values(x *schema.Index, key, scratch []byte, visit func(p *schema.KeyPart, v value.Value) error) (rest []byte,
	err error) {
	for i := range x.Key {
		p := &x.Key[i]
		var v value.Value
		if scratch, v, key, err = cutPart(scratch, key, x, p); err != nil {
			return nil, err
		}
		if p.Hidden {
			continue
		}
		if err := visit(p, v); err != nil {
			return nil, err
		}
	}
	return key, nil
}
