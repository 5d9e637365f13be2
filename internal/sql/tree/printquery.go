// SPDX-License-Identifier: Apache-2.0

package tree

// AppendQuery appends a query as the parser reads it back: keywords in upper case, names in backticks where they need
// them. Nil is nothing.
func AppendQuery(dst []byte, q Query) []byte {
	switch q := q.(type) {
	case *Select:
		return q.append(dst)
	case *SetOperation:
		return q.append(dst)
	case *Values:
		return appendTail(appendRows(append(dst, "VALUES "...), "ROW(", q.Rows), q.OrderBy, q.Limit, q.Offset)
	}
	return dst
}

func appendInBrackets(dst []byte, q Query) []byte {
	return append(AppendQuery(append(dst, '('), q), ')')
}

func (w *With) append(dst []byte) []byte {
	if w == nil {
		return dst
	}
	dst = append(dst, "WITH "...)
	if w.Recursive {
		dst = append(dst, "RECURSIVE "...)
	}
	for i, table := range w.Tables {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		dst = appendColumns(AppendName(dst, table.Name), table.Columns)
		dst = appendInBrackets(append(dst, " AS "...), table.Query)
	}
	return append(dst, ' ')
}

// appendColumns appends a list of names in brackets, if there are any.
func appendColumns(dst []byte, columns []string) []byte {
	if len(columns) == 0 {
		return dst
	}
	return append(appendNames(append(dst, " ("...), columns), ')')
}

func (s *SetOperation) append(dst []byte) []byte {
	left, chained := s.Left.(*SetOperation)
	bare := chained && !needsBrackets(left) && (left.Kind == Intersect || s.Kind != Intersect)
	dst = appendOperand(s.With.append(dst), s.Left, bare || !chained && !needsBrackets(s.Left))
	dst = append(dst, [...]string{Union: " UNION ", Intersect: " INTERSECT ", Except: " EXCEPT "}[s.Kind]...)
	if s.All {
		dst = append(dst, "ALL "...)
	}
	_, chained = s.Right.(*SetOperation)
	dst = appendOperand(dst, s.Right, !chained && !needsBrackets(s.Right))
	return appendTail(dst, s.OrderBy, s.Limit, s.Offset)
}

func appendOperand(dst []byte, q Query, bare bool) []byte {
	if bare {
		return AppendQuery(dst, q)
	}
	return appendInBrackets(dst, q)
}

// needsBrackets reports whether a query needs brackets next to others, so that the clauses at its ends aren't taken for
// theirs.
func needsBrackets(q Query) bool {
	switch q := q.(type) {
	case *Select:
		return q.With != nil || len(q.OrderBy) > 0 || q.Limit != nil || q.AllowFiltering || q.ForUpdate
	case *SetOperation:
		return q.With != nil || len(q.OrderBy) > 0 || q.Limit != nil
	case *Values:
		return len(q.OrderBy) > 0 || q.Limit != nil
	}
	return false
}

// appendTables appends what stands behind FROM. Joins lean to the left, where they need no brackets.
func appendTables(dst []byte, t TableExpression) []byte {
	switch t := t.(type) {
	case *TableName:
		return appendIndexHints(appendAlias(t.Name.append(dst), t.Alias), t.ForceIndex, t.IgnoreIndex)
	case *DerivedTable:
		if t.Lateral {
			dst = append(dst, "LATERAL "...)
		}
		return appendColumns(appendAlias(appendInBrackets(dst, t.Query), t.Alias), t.Columns)
	case *Join:
		return t.append(dst)
	}
	return dst
}

func (j *Join) append(dst []byte) []byte {
	dst = append(appendTables(dst, j.Left), ' ')
	if j.Natural {
		dst = append(dst, "NATURAL "...)
	}
	dst = append(dst, [...]string{InnerJoin: "", LeftJoin: "LEFT ", RightJoin: "RIGHT ", FullJoin: "FULL "}[j.Kind]...)
	if j.Straight {
		dst = append(dst, "STRAIGHT_"...)
	}
	dst = append(dst, "JOIN "...)
	if _, joined := j.Right.(*Join); joined {
		dst = append(appendTables(append(dst, '('), j.Right), ')')
	} else {
		dst = appendTables(dst, j.Right)
	}
	if j.On != nil {
		return AppendExpression(append(dst, " ON "...), j.On)
	}
	if len(j.Using) > 0 {
		return append(appendNames(append(dst, " USING ("...), j.Using), ')')
	}
	return dst
}

func appendWindows(dst []byte, windows []NamedWindow) []byte {
	for i := range windows {
		if i == 0 {
			dst = append(dst, " WINDOW "...)
		} else {
			dst = append(dst, ", "...)
		}
		dst = windows[i].Window.appendSpecification(append(AppendName(dst, windows[i].Name), " AS "...))
	}
	return dst
}

// append writes a window as OVER has it.
func (w *Window) append(dst []byte) []byte {
	if w.Name != "" && len(w.Partition) == 0 && len(w.OrderBy) == 0 && w.Frame == nil {
		return AppendName(dst, w.Name)
	}
	return w.appendSpecification(dst)
}

func (w *Window) appendSpecification(dst []byte) []byte {
	start := len(dst)
	if w.Name != "" {
		dst = AppendName(append(dst, ' '), w.Name)
	}
	for i, e := range w.Partition {
		if i == 0 {
			dst = append(dst, " PARTITION BY "...)
		} else {
			dst = append(dst, ", "...)
		}
		dst = AppendExpression(dst, e)
	}
	dst = appendOrders(dst, w.OrderBy)
	if f := w.Frame; f != nil {
		word := " ROWS BETWEEN "
		if f.Range {
			word = " RANGE BETWEEN "
		}
		dst = f.End.append(append(f.Start.append(append(dst, word...)), " AND "...))
	}
	if len(dst) == start {
		return append(dst, "()"...)
	}
	dst[start] = '(' // in the place of the space
	return append(dst, ')')
}

func (b Bound) append(dst []byte) []byte {
	if b.Offset != nil {
		dst = append(appendBracketed(dst, b.Offset, BindBitOr), ' ')
	}
	return append(dst, [...]string{UnboundedPreceding: "UNBOUNDED PRECEDING", Preceding: "PRECEDING",
		CurrentRow: "CURRENT ROW",
		Following:  "FOLLOWING", UnboundedFollowing: "UNBOUNDED FOLLOWING"}[b.Kind]...)
}
