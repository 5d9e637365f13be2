// SPDX-License-Identifier: Apache-2.0

package sql

import (
	"bytes"
	"strings"

	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/tree"
)

// typeVariables tells the variables of a statement that was just parsed what types they have. Those of @variables
// change: they go only to a statement that is run once.
func (s *Session) typeVariables(text []byte, read tree.Statement, once bool) {
	if bytes.IndexByte(text, '@') < 0 {
		return
	}
	assigned := map[string]bool{}
	tree.Find(read, func(c *tree.Call) {
		if name, ok := c.Assigned(); ok {
			assigned[strings.ToLower(name)] = true
		}
	})
	tree.Find(read, func(v *tree.Variable) {
		v.Changing = !v.System && assigned[strings.ToLower(v.Name)]
		switch {
		case v.System:
			v.Type, _ = s.engine.variables.TypeOf(v.Name)
		case once:
			v.Type = datum.TypeOf(s.user[strings.ToLower(v.Name)])
		}
	})
}
