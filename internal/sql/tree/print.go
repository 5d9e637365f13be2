// SPDX-License-Identifier: Apache-2.0

package tree

import "strings"

// AppendStatement appends a statement as the parser reads it back: keywords in upper case, names in backticks where they need them.
// Nil is nothing.
func AppendStatement(dst []byte, s Statement) []byte {
	switch x := s.(type) {
	case *Select:
		return x.append(dst)
	case *Insert:
		return x.append(dst)
	case *Update:
		return x.append(dst)
	case *Delete:
		return x.append(dst)
	case *Explain:
		return x.append(dst)
	case *Relational:
		return append(dst, x.Text...)
	case *CreateTable:
		return x.append(dst)
	case *CreateIndex:
		return x.append(dst)
	case *AlterTable:
		return x.append(dst)
	}
	if printed, ok := appendDefinition(dst, s); ok {
		return printed
	}
	return appendSession(dst, s)
}

func appendHints(dst []byte, hints []Hint) []byte {
	if len(hints) == 0 {
		return dst
	}
	dst = append(dst, "/*+ "...)
	for i, h := range hints {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		dst = append(dst, h.Name...)
		if h.Argument != "" {
			dst = append(append(append(dst, '('), h.argument()...), ')')
		}
	}
	return append(dst, " */ "...)
}

// argument is the argument with quotes where it is not a number or a list.
func (h Hint) argument() string {
	if strings.Trim(h.Argument, "0123456789") == "" {
		return h.Argument
	}
	return string(AppendText(nil, strings.ReplaceAll(h.Argument, "*/", "* /")))
}

func (s *Select) append(dst []byte) []byte {
	dst = appendHints(append(dst, "SELECT "...), s.Hints)
	if s.Distinct {
		dst = append(dst, "DISTINCT "...)
	}
	for i, item := range s.List {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		dst = AppendExpression(dst, item.Expression)
		if item.Alias != "" {
			dst = AppendName(append(dst, " AS "...), item.Alias)
		}
	}
	if s.From != nil {
		dst = appendAlias(s.From.append(append(dst, " FROM "...)), s.Alias)
		dst = appendIndexHint(dst, " FORCE INDEX (", s.ForceIndex)
		dst = appendIndexHint(dst, " IGNORE INDEX (", s.IgnoreIndex)
	}
	dst = appendWhere(dst, s.Where)
	for i, e := range s.GroupBy {
		if i == 0 {
			dst = append(dst, " GROUP BY "...)
		} else {
			dst = append(dst, ", "...)
		}
		dst = AppendExpression(dst, e)
	}
	if s.Having != nil {
		dst = AppendExpression(append(dst, " HAVING "...), s.Having)
	}
	dst = appendOrders(dst, s.OrderBy)
	switch {
	case s.Offset == nil:
		dst = appendLimit(dst, s.Limit)
	case parameterOf(s.Offset) < parameterOf(s.Limit): // placeholders are numbered in the order of the text
		dst = AppendExpression(append(appendLimit(dst, s.Offset), ", "...), s.Limit)
	default:
		dst = AppendExpression(append(appendLimit(dst, s.Limit), " OFFSET "...), s.Offset)
	}
	if s.AllowFiltering {
		dst = append(dst, " ALLOW FILTERING"...)
	}
	if s.ForUpdate {
		dst = append(dst, " FOR UPDATE"...)
	}
	switch {
	case s.NoWait:
		dst = append(dst, " NOWAIT"...)
	case s.SkipLocked:
		dst = append(dst, " SKIP LOCKED"...)
	}
	return dst
}

// parameterOf is the number of a placeholder, -1 for other expressions.
func parameterOf(e Expression) int {
	if p, ok := e.(*Parameter); ok {
		return p.Index
	}
	return -1
}

func appendIndexHint(dst []byte, words string, names []string) []byte {
	if len(names) == 0 {
		return dst
	}
	dst = append(dst, words...)
	for i, name := range names {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		if name == "PRIMARY" {
			dst = append(dst, name...)
		} else {
			dst = AppendName(dst, name)
		}
	}
	return append(dst, ')')
}

func appendAlias(dst []byte, alias string) []byte {
	if alias == "" {
		return dst
	}
	return AppendName(append(dst, " AS "...), alias)
}

func appendWhere(dst []byte, where Expression) []byte {
	if where == nil {
		return dst
	}
	return AppendExpression(append(dst, " WHERE "...), where)
}

func appendOrders(dst []byte, orders []Order) []byte {
	for i, o := range orders {
		if i == 0 {
			dst = append(dst, " ORDER BY "...)
		} else {
			dst = append(dst, ", "...)
		}
		dst = AppendExpression(dst, o.By)
		if o.Descending {
			dst = append(dst, " DESC"...)
		}
	}
	return dst
}

func appendLimit(dst []byte, limit Expression) []byte {
	if limit == nil {
		return dst
	}
	return AppendExpression(append(dst, " LIMIT "...), limit)
}

func (s *Insert) append(dst []byte) []byte {
	switch s.Rule {
	case ReplaceRow:
		dst = append(dst, "REPLACE "...)
	default:
		dst = append(dst, "INSERT "...)
	}
	dst = s.Into.append(append(appendHints(dst, s.Hints), "INTO "...))
	if len(s.Columns) > 0 {
		dst = append(appendNames(append(dst, " ("...), s.Columns), ')')
	}
	dst = append(dst, " VALUES "...)
	for i, row := range s.Rows {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		dst = appendList(append(dst, '('), row)
	}
	switch s.Rule {
	case DuplicateIgnore:
		dst = append(dst, " ON DUPLICATE KEY IGNORE"...)
	case DuplicateError:
		dst = append(dst, " ON DUPLICATE KEY ERROR"...)
	case DuplicateUpdate:
		dst = appendAssignments(append(dst, " ON DUPLICATE KEY UPDATE "...), s.Updates)
	}
	return dst
}

func appendAssignments(dst []byte, assignments []Assignment) []byte {
	for i, a := range assignments {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		dst = AppendExpression(append(AppendName(dst, a.Column), " = "...), a.Value)
	}
	return dst
}

func (s *Update) append(dst []byte) []byte {
	dst = appendAlias(s.Table.append(appendHints(append(dst, "UPDATE "...), s.Hints)), s.Alias)
	dst = appendWhere(appendAssignments(append(dst, " SET "...), s.Set), s.Where)
	return appendLimit(appendOrders(dst, s.OrderBy), s.Limit)
}

func (s *Delete) append(dst []byte) []byte {
	dst = append(appendHints(append(dst, "DELETE "...), s.Hints), "FROM "...)
	dst = appendWhere(appendAlias(s.From.append(dst), s.Alias), s.Where)
	return appendLimit(appendOrders(dst, s.OrderBy), s.Limit)
}

func (s *Explain) append(dst []byte) []byte {
	dst = append(dst, "EXPLAIN "...)
	if s.Analyze {
		dst = append(dst, "ANALYZE "...)
	}
	if s.Format != "" {
		dst = append(append(append(dst, "FORMAT = "...), strings.ToUpper(s.Format)...), ' ')
	}
	return AppendStatement(dst, s.Of)
}
