// SPDX-License-Identifier: Apache-2.0

package variable

import (
	"math"

	"github.com/weftdb/weft/internal/sql/datum"
)

// TypeOf is the type of a variable's values as expressions have them; ok is false if there is no such variable.
func (c *Catalog) TypeOf(name string) (t datum.Type, ok bool) {
	at, ok := c.find(name)
	if !ok {
		return t, false
	}
	switch d := &c.all[at]; {
	case d.kind == integer && d.max == math.MaxInt64: // some of which begin above it
		return datum.Type{Base: datum.BigIntUnsigned}, true
	case d.kind == integer || d.kind == toggle:
		return datum.Type{Base: datum.BigInt}, true
	case d.kind == decimal:
		return datum.Type{Base: datum.Double}, true
	}
	return datum.Type{Base: datum.Varchar}, true
}
