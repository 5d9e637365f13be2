// SPDX-License-Identifier: Apache-2.0

package sql

import "github.com/weftdb/weft/internal/sql/tree"

// Kind classifies a statement for metrics.
type Kind uint8

// The kinds of statements.
const (
	KindOther Kind = iota
	KindSelect
	KindInsert
	KindReplace
	KindUpdate
	KindDelete
	KindDefinition // CREATE, ALTER, DROP, TRUNCATE
	KindShow       // SHOW, DESCRIBE, EXPLAIN
	KindSet
	KindTransaction
	KindRelational
	KindFailed // the text could not be read
	kindCount
)

// String is the kind's name, as metrics have it.
func (k Kind) String() string {
	return [kindCount]string{"other", "select", "insert", "replace", "update", "delete", "definition", "show", "set",
		"transaction", "relational", "unread"}[k]
}

// Kinds returns all kinds.
func Kinds() []Kind {
	kinds := make([]Kind, kindCount)
	for i := range kinds {
		kinds[i] = Kind(i)
	}
	return kinds
}

func kindOf(s tree.Statement) Kind {
	switch s := s.(type) {
	case *tree.Select, *tree.SelectInto:
		return KindSelect
	case *tree.Insert:
		if s.Rule == tree.ReplaceRow {
			return KindReplace
		}
		return KindInsert
	case *tree.Update:
		return KindUpdate
	case *tree.Delete:
		return KindDelete
	case *tree.Explain, *tree.Show, *tree.Describe:
		return KindShow
	case *tree.Set, *tree.AlterSystem:
		return KindSet
	case *tree.Begin, *tree.Commit, *tree.Rollback:
		return KindTransaction
	}
	if isDefinition(s) {
		return KindDefinition
	}
	return KindOther
}

// isDefinition reports whether a statement changes schemas: it ends an open transaction first.
func isDefinition(s tree.Statement) bool {
	switch s.(type) {
	case *tree.CreateTable, *tree.AlterTable, *tree.RenameTable, *tree.DropTable, *tree.TruncateTable,
		*tree.CreateIndex, *tree.DropIndex, *tree.BuildIndex,
		*tree.CreateDatabase, *tree.AlterDatabase, *tree.DropDatabase, *tree.CreateView, *tree.DropView,
		*tree.ChangeUsers, *tree.Grant:
		return true
	}
	return false
}
