// SPDX-License-Identifier: Apache-2.0

package rewrite

import (
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/weftdb/weft/internal/sql/fault"
)

// Permit refuses what this engine must not run: the definition of tables, files of the server, sessions' state.
func Permit(parsed sqlparser.Statement) error {
	if explained, ok := parsed.(*sqlparser.Explain); ok {
		return Permit(explained.Statement)
	}
	if err := permitKind(parsed); err != nil {
		return err
	}
	return sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
		switch node := node.(type) {
		case *sqlparser.Select:
			return true, permitInto(node.Into)
		case *sqlparser.SetOp:
			return true, permitInto(node.Into)
		case *sqlparser.FuncExpr:
			if node.Name.Lowered() == "load_file" {
				return false, refused("LOAD_FILE is not supported: the server reads no files for its clients")
			}
		}
		return true, nil
	}, parsed)
}

func permitKind(parsed sqlparser.Statement) error {
	switch q := parsed.(type) {
	case *sqlparser.Select, *sqlparser.SetOp, *sqlparser.ParenSelect, *sqlparser.Insert, *sqlparser.Update, *sqlparser.Delete, *sqlparser.Show:
		return nil
	case *sqlparser.Set:
		return refused("A variable's value can't be a subquery: let the client read the row, and SET @variable = its value")
	case *sqlparser.DDL:
		if q.ViewSpec != nil || len(q.FromViews) > 0 {
			return nil
		}
		if q.OptSelect != nil {
			return refused("CREATE TABLE .. AS SELECT is not supported: create the table with its key first, then INSERT INTO it .. SELECT")
		}
	}
	return refused("This statement is not supported")
}

func permitInto(into *sqlparser.Into) error {
	if into == nil {
		return nil
	}
	if into.Outfile != "" || into.Dumpfile != "" {
		return refused("INTO OUTFILE is not supported: the server writes no files for its clients")
	}
	return refused("SELECT .. INTO @variable is not supported: let the client read the row, and SET @variable = its value")
}

func refused(text string) error { return fault.New(fault.NotSupported, text) }
