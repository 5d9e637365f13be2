// SPDX-License-Identifier: Apache-2.0

package tree

import "strings"

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
	dst = appendHints(append(s.With.append(dst), "SELECT "...), s.Hints)
	if s.Straight {
		dst = append(dst, "STRAIGHT_JOIN "...)
	}
	if s.CountsFound {
		dst = append(dst, "SQL_CALC_FOUND_ROWS "...)
	}
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
	switch {
	case s.Tables != nil:
		dst = appendTables(append(dst, " FROM "...), s.Tables)
	case s.From != nil:
		dst = appendAlias(s.From.append(append(dst, " FROM "...)), s.Alias)
		dst = appendIndexHints(dst, s.ForceIndex, s.IgnoreIndex)
	}
	dst = s.appendGroups(appendWhere(dst, s.Where))
	dst = appendTail(appendWindows(dst, s.Windows), s.OrderBy, s.Limit, s.Offset)
	if s.AllowFiltering {
		dst = append(dst, " ALLOW FILTERING"...)
	}
	return s.appendLock(dst)
}

// appendGroups appends GROUP BY and HAVING.
func (s *Select) appendGroups(dst []byte) []byte {
	for i, e := range s.GroupBy {
		if i == 0 {
			dst = append(dst, " GROUP BY "...)
		} else {
			dst = append(dst, ", "...)
		}
		dst = AppendExpression(dst, e)
	}
	if s.Rollup {
		dst = append(dst, " WITH ROLLUP"...)
	}
	if s.Having != nil {
		dst = AppendExpression(append(dst, " HAVING "...), s.Having)
	}
	return dst
}

func (s *Select) appendLock(dst []byte) []byte {
	if !s.ForUpdate {
		return dst
	}
	if s.ForShare {
		dst = append(dst, " FOR SHARE"...)
	} else {
		dst = append(dst, " FOR UPDATE"...)
	}
	if len(s.Of) > 0 {
		dst = appendNames(append(dst, " OF "...), s.Of)
	}
	switch {
	case s.NoWait:
		dst = append(dst, " NOWAIT"...)
	case s.SkipLocked:
		dst = append(dst, " SKIP LOCKED"...)
	}
	return dst
}

// appendTail appends ORDER BY and LIMIT.
func appendTail(dst []byte, orders []Order, limit, offset Expression) []byte {
	dst = appendOrders(dst, orders)
	switch {
	case offset == nil:
		return appendLimit(dst, limit)
	case parameterOf(offset) < parameterOf(limit): // placeholders are numbered in the order of the text
		return AppendExpression(append(appendLimit(dst, offset), ", "...), limit)
	}
	return AppendExpression(append(appendLimit(dst, limit), " OFFSET "...), offset)
}

// parameterOf is the number of a placeholder, -1 for other expressions.
func parameterOf(e Expression) int {
	if p, ok := e.(*Parameter); ok {
		return p.Index
	}
	return -1
}

func appendIndexHints(dst []byte, force, ignore []string) []byte {
	return appendIndexHint(appendIndexHint(dst, " FORCE INDEX (", force), " IGNORE INDEX (", ignore)
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

// appendRows appends written rows, before each of which stands a word or bracket.
func appendRows(dst []byte, begin string, rows [][]Expression) []byte {
	for i, row := range rows {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		dst = appendList(append(dst, begin...), row)
	}
	return dst
}
