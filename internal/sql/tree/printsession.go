// SPDX-License-Identifier: Apache-2.0

package tree

import (
	"bytes"
	"strings"
)

// describing are words that may stand between DESCRIBE and a statement: as a table's name they need backticks there. // immutable
var describing = map[string]bool{"extended": true, "partitions": true, "plan": true, "format": true}

// appendSession appends statements about the session and the server.
func appendSession(dst []byte, s Statement) []byte {
	switch x := s.(type) {
	case *Use:
		return AppendName(append(dst, "USE "...), x.Database)
	case *Show:
		return x.append(dst)
	case *Describe:
		dst = x.Table.append(append(dst, "DESCRIBE "...))
		if x.Table.Database == "" && describing[strings.ToLower(x.Table.Name)] {
			dst = appendQuoted(dst[:len(dst)-len(x.Table.Name)], x.Table.Name)
		}
		if x.Column != "" {
			dst = AppendName(append(dst, ' '), x.Column)
		}
		return dst
	case *Begin:
		return x.append(dst)
	case *Commit:
		return append(dst, ifWord(ifWord("COMMIT", x.Chain, " AND CHAIN"), x.Release, " RELEASE")...)
	case *Rollback:
		return append(dst, ifWord(ifWord("ROLLBACK", x.Chain, " AND CHAIN"), x.Release, " RELEASE")...)
	case *Savepoint:
		word := map[string]string{"savepoint": "SAVEPOINT ", "rollback to": "ROLLBACK TO SAVEPOINT ", "release": "RELEASE SAVEPOINT "}[x.Action]
		return AppendName(append(dst, word...), x.Name)
	case *Set:
		return x.append(dst)
	case *AlterSystem:
		dst = append(appendDotted(append(dst, "ALTER SYSTEM SET "...), x.Name), " = "...)
		return appendSetting(dst, x.Value)
	case *Kill:
		if x.QueryOnly {
			return AppendExpression(append(dst, "KILL QUERY "...), x.ID)
		}
		return AppendExpression(append(dst, "KILL CONNECTION "...), x.ID)
	case *Prepare:
		dst = append(AppendName(append(dst, "PREPARE "...), x.Name), " FROM "...)
		return AppendExpression(dst, x.Text)
	case *ExecutePrepared:
		dst = AppendName(append(dst, "EXECUTE "...), x.Name)
		for i := range x.Using {
			dst = x.Using[i].append(append(dst, [2]string{" USING ", ", "}[min(i, 1)]...))
		}
		return dst
	case *SelectInto:
		if read, ok := x.Query.(*Select); ok && x.Targets == nil {
			return append(append(dst, "DO "...), bytes.TrimPrefix(read.append(nil), []byte("SELECT "))...)
		}
		dst = appendQuery(dst, x.Query)
		for i := range x.Targets {
			dst = x.Targets[i].append(append(dst, [2]string{" INTO ", ", "}[min(i, 1)]...))
		}
		return dst
	case *Deallocate:
		return AppendName(append(dst, "DEALLOCATE PREPARE "...), x.Name)
	case *ChangeUsers:
		return x.append(dst)
	case *Grant:
		return x.append(dst)
	case *SetRole:
		return x.append(dst)
	case *Nothing:
		return append(dst, strings.ToUpper(x.What)...)
	}
	return dst
}

func (x *Begin) append(dst []byte) []byte {
	dst = append(dst, "START TRANSACTION"...)
	if x.ConsistentSnapshot {
		dst = append(dst, " WITH CONSISTENT SNAPSHOT"...)
	}
	if x.ReadOnly {
		dst = append(dst, ifWord("", x.ConsistentSnapshot, ",")+" READ ONLY"...)
	}
	if x.ReadWrite {
		dst = append(dst, ifWord("", x.ConsistentSnapshot || x.ReadOnly, ",")+" READ WRITE"...)
	}
	return dst
}

func (x *Show) append(dst []byte) []byte {
	dst = append(append(dst, ifWord("SHOW ", x.Global, "GLOBAL ")...), strings.ToUpper(x.What)...)
	switch {
	case strings.HasPrefix(x.What, "count "):
		return append(dst[:len(dst)-len(x.What)], "COUNT(*) "+strings.ToUpper(x.What[len("count "):])...)
	case x.What == "create table", x.What == "create view":
		return x.Table.append(append(dst, ' '))
	case x.What == "create database":
		return AppendName(append(dst, ' '), x.Database)
	case x.User != "":
		return appendUser(append(dst, " FOR "...), x.User)
	case x.Table.Name != "":
		dst = x.Table.append(append(dst, " FROM "...))
	case x.Database != "":
		dst = AppendName(append(dst, " FROM "...), x.Database)
	}
	if x.Like != nil {
		return AppendText(append(dst, " LIKE "...), *x.Like)
	}
	return appendWhere(dst, x.Where)
}

// appendDotted appends a variable's name, whose parts have points between them.
func appendDotted(dst []byte, name string) []byte {
	for i, part := range strings.Split(name, ".") {
		if i > 0 {
			dst = append(dst, '.')
		}
		dst = AppendName(dst, part)
	}
	return dst
}

func (x *Set) append(dst []byte) []byte {
	dst = append(dst, "SET "...)
	for i := range x.Assignments {
		a := &x.Assignments[i]
		if i > 0 {
			dst = append(dst, ", "...)
		}
		dst = appendSetting(append(a.Variable.append(dst), " = "...), a.Value)
	}
	return dst
}

// appendSetting appends a value of SET, where a name by itself would be a text.
func appendSetting(dst []byte, e Expression) []byte {
	if c, ok := e.(*Column); ok && c.Table == "" {
		return append(c.append(append(dst, '(')), ')')
	}
	return AppendExpression(dst, e)
}
