// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"cmp"
	"encoding/base64"
	"encoding/binary"
	"hash/fnv"
	"slices"

	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/definition"
	"github.com/weftdb/weft/internal/sql/evaluate"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/result"
	"github.com/weftdb/weft/internal/sql/tree"
)

// NextCursor is the Slot of an item that tells where the page behind its row begins. Whoever sends rows fills it in.
const NextCursor = -2

// A cursor is text: pageVersion, the mark of the statement it belongs to (8 bytes) and a position on the index that was
// walked, in base64. It holds nothing secret: a forged one leads to rows that the same statement shows without it.
const (
	pageVersion  = 1
	pageHead     = 9
	pageBytesMax = 32 << 10 // of a cursor's text; keys end at 7 KiB
)

// pageState is the state of a SELECT with the hint _l_allow_cursor_.
type pageState struct {
	current *constant // what _l_current_cursor_ has to equal; nil: WHERE doesn't name it
	tells   bool      // some item is _l_next_cursor_
	where   []tree.Expression
	order   []tree.Order
	table   uint64
}

// Pages reports whether the rows of the statement form a page.
func (s *Select) Pages() bool { return s.paging != nil && (s.paging.tells || s.paging.current != nil) }

// TellsNext reports whether rows tell where the next page begins.
func (s *Select) TellsNext() bool { return s.paging != nil && s.paging.tells }

// cutCursor takes the condition on _l_current_cursor_ out of WHERE.
func (c *compiler) cutCursor() (where tree.Expression, err error) {
	if c.table == nil || !slices.ContainsFunc(c.statement.Hints,
		func(h tree.Hint) bool { return h.Name == "_l_allow_cursor_" }) {
		return c.statement.Where, nil
	}
	p := &pageState{table: uint64(c.table.Descriptor.ID), order: c.statement.OrderBy}
	c.selected.paging = p
	for _, e := range conjuncts(c.statement.Where, nil) {
		value, ok := cursorValue(e)
		if !ok {
			p.where = append(p.where, e)
			continue
		}
		current, ok := new(Source).constant(value)
		if !ok || p.current != nil {
			return nil, fault.New(fault.WrongArguments,
				definition.CurrentCursor+": compare it once, by =, with the "+definition.NextCursor+" of a row")
		}
		p.current = &current
	}
	for _, e := range p.where {
		if where == nil {
			where = e
		} else {
			where = &tree.Binary{Operator: tree.And, Left: where, Right: e}
		}
	}
	return where, nil
}

// cursorValue returns the value that a condition compares _l_current_cursor_ with.
func cursorValue(e tree.Expression) (value tree.Expression, ok bool) {
	equal, ok := e.(*tree.Binary)
	if !ok || equal.Operator != tree.Equal {
		return nil, false
	}
	column, ok := equal.Left.(*tree.Column)
	return equal.Right, ok && column.Name == definition.CurrentCursor
}

// nextCursor compiles an item that is _l_next_cursor_; ok is false for others.
func (c *compiler) nextCursor(item *tree.SelectItem) (ok bool, err error) {
	column, isColumn := item.Expression.(*tree.Column)
	if !isColumn || column.Name != definition.NextCursor || c.selected.paging == nil {
		return false, nil
	}
	program, err := evaluate.Compile(&tree.Literal{}, c.scopeOf("field list"))
	c.selected.paging.tells = true
	c.selected.Items = append(c.selected.Items, Item{Program: program, Slot: NextCursor})
	c.selected.Columns = append(c.selected.Columns,
		result.Column{Name: cmp.Or(item.Alias, item.Text), Type: datum.Type{Base: datum.Varchar, Length: pageBytesMax}})
	return true, err
}

// checkPages refuses what has no pages.
func (c *compiler) checkPages() error {
	s := c.selected
	why := ""
	switch {
	case !s.Pages():
	case s.Groups != nil || s.Distinct || s.Having != nil || len(s.Windows) > 0:
		why = "a statement that groups or compares rows; page by a condition on the key instead"
	case s.ForUpdate:
		why = "a statement that locks rows; page by a condition on the key instead"
	case s.Source.hints.cells != nil:
		why = "versions of cells; leave the hints of versions away"
	}
	if why == "" {
		return nil
	}
	return fault.New(fault.NotSupported, definition.NextCursor+" and "+definition.CurrentCursor+" do not go with "+why)
}

// checkPage refuses an access without places to go on from.
func (s *Select) checkPage(access *Access) error {
	if s.Pages() && access.Class != Nothing && (access.Query.Near != nil || !access.Sorted) {
		return fault.New(fault.NotSupported,
			"pages follow the order of a key or an index: omit ORDER BY, or order by the columns of the key or index that the conditions use")
	}
	return nil
}

// resume reads the cursor of an execution; nil: it begins at the first row.
func (s *Select) resume(x *Execution) (position []byte, err error) {
	if s.paging == nil || s.paging.current == nil {
		return nil, nil
	}
	b := binder{context: x.Context}
	d := b.value(s.paging.current)
	if b.err != nil || d.IsNull() {
		return nil, b.err
	}
	if d.Kind() != datum.KindText && d.Kind() != datum.KindBinary || len(d.Bytes()) > pageBytesMax {
		return nil, wrongCursor("it is none")
	}
	cursor, err := base64.RawURLEncoding.Strict().AppendDecode(nil, d.Bytes())
	if err != nil || len(cursor) <= pageHead || cursor[0] != pageVersion {
		return nil, wrongCursor("it is none")
	}
	if binary.BigEndian.Uint64(cursor[1:]) != s.Mark(x) {
		return nil, wrongCursor("it was made for another table, or for other conditions or another order")
	}
	return cursor[pageHead:], nil
}

func wrongCursor(why string) error {
	return fault.New(fault.WrongArguments,
		definition.CurrentCursor+": "+why+"; take the "+definition.NextCursor+
			" of a row that the same statement returned, or start without one")
}

// AppendCursor appends the cursor of the row whose entry is at the position. mark is Select.Mark's.
func AppendCursor(dst []byte, mark uint64, position []byte) []byte {
	cursor := append(binary.BigEndian.AppendUint64([]byte{pageVersion}, mark), position...)
	return base64.RawURLEncoding.AppendEncode(dst, cursor)
}

// Mark identifies the table, the conditions with their values, and the order, whatever the select list and LIMIT are.
func (s *Select) Mark(x *Execution) uint64 {
	hash := fnv.New64a()
	var text []byte
	write := func(e tree.Expression) {
		e = tree.Rebuild(e, func(e tree.Expression) tree.Expression {
			if p, ok := e.(*tree.Parameter); ok && p.Index < len(x.Context.Parameters) {
				return &tree.Literal{Value: x.Context.Parameters[p.Index]}
			}
			return nil
		})
		text = append(tree.AppendExpression(text, e), 0)
	}
	text = binary.BigEndian.AppendUint64(text, s.paging.table)
	for _, e := range s.paging.where {
		write(e)
	}
	text = append(text, 0)
	for i := range s.paging.order {
		write(s.paging.order[i].By)
		if s.paging.order[i].Descending {
			text = append(text, 1)
		}
	}
	_, _ = hash.Write(text) // it never fails
	return hash.Sum64()
}

// goOn makes an access begin behind a position.
func (access *Access) goOn(pinned database.Pinned, position []byte) error {
	if position == nil || access.Class == Nothing {
		return nil
	}
	if access.Point != nil {
		return wrongCursor("nothing follows the only row of a key")
	}
	if at, err := pinned.IndexAt(position); err != nil || at != access.Plan.Index.Name {
		return wrongCursor("it was made on another index than the statement takes")
	}
	access.Query.Position = position
	return nil
}
