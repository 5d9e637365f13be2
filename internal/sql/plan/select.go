// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"cmp"
	"slices"

	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/definition"
	"github.com/weftdb/weft/internal/sql/evaluate"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/result"
	"github.com/weftdb/weft/internal/sql/tree"
)

// Select is a compiled SELECT. It is not changed once it is made, and may be used by any number of sessions.
type Select struct {
	// Source is FROM and WHERE; without FROM it has no table.
	Source *Source
	// Items are the expressions of the select list, and Columns what clients see of them.
	Items   []Item
	Columns []result.Column
	// Groups is nil where nothing is grouped.
	Groups *Groups
	Having *evaluate.Program // nil: none
	// Windows are computed after HAVING, one after the other.
	Windows []Window
	Order   []SortKey
	// Distinct drops rows that were sent before.
	Distinct bool
	// Stored says that the answer is the rows as they are stored, in its only column, whose program is not to be run.
	Stored bool
	Locking

	limit, offset *constant
	orderings     []database.Ordering // Order as columns; nil if some of it is none
	orderIsPlain  bool
	distance      *tree.Call // ORDER BY distance(..) alone, with a LIMIT; nil: another order
	near          *nearOrder // distance, where the Source has a table
	ranked        int        // the conjunct of Source by whose scores rows are wanted, counted from 1; 0: another order
	// the query of ORDER BY's MATCH, which must be that of the conjunct; nil: there is no ORDER BY
	rankedBy *constant
	hasStar  bool
	// distinctColumns are the columns that DISTINCT is about; nil where it is about anything else.
	distinctColumns []string
	tree            *tree.Select
	paging          *pageState // nil: the hint _l_allow_cursor_ was not given
}

// Locking is a SELECT's treatment of the rows that it reads.
type Locking struct {
	// ForUpdate holds or guards them: what others write to them waits, or makes the commit fail.
	ForUpdate bool
	// ForShare makes ForUpdate hold rows that other transactions can hold likewise.
	ForShare bool
	// NoWait and SkipLocked say what it does about rows that others hold, instead of waiting.
	NoWait, SkipLocked bool
}

func lockingOf(t *tree.Select) Locking {
	return Locking{ForUpdate: t.ForUpdate, ForShare: t.ForShare, NoWait: t.NoWait, SkipLocked: t.SkipLocked}
}

// Item is one expression of a select list.
type Item struct {
	Program *evaluate.Program
	// Slot is the slot of the row that the item is; -1: it has to be computed; or NextCursor.
	Slot int
}

// SortKey is one element of ORDER BY.
type SortKey struct {
	// Item is the item of the select list that it is; -1: Program computes it.
	Item       int
	Program    *evaluate.Program
	Descending bool
}

// compiler compiles a SELECT.
type compiler struct {
	statement *tree.Select
	selected  *Select
	origin    Origin
	table     *definition.Table // nil: the origin is no table
	list      []tree.SelectItem
	orderBy   []tree.Order // of the statement, with its windows written out
	windowed  []windowCall
	windowOf  []int // of Select.Windows, for each of windowed
}

// Compile compiles a SELECT for a version of its table, whose attribute names so far are names; both are nil without
// FROM. text writes the statement for messages; it may be nil. Errors: those of a statement that is wrong, such as 1054
// and 1055.
func Compile(statement *tree.Select, table *definition.Table, names []string, text func() string) (*Select, error) {
	s := &Select{tree: statement, Distinct: statement.Distinct, Locking: lockingOf(statement)}
	c := &compiler{statement: statement, selected: s, table: table, origin: nowhere{}}
	var err error
	if s.Source, err = c.source(text); err != nil {
		return nil, err
	}
	if table == nil {
		return s, c.compileAll()
	}
	over := &tableOrigin{Source: s.Source, seen: names}
	c.origin = over
	err = c.compileAll()
	s.hasStar = over.star
	return s, err
}

// CompileStored compiles the reading of the rows that an UPDATE or DELETE changes. Errors: those of Compile.
func CompileStored(q From, order []tree.Order, limit tree.Expression) (*Select, error) {
	q.Writes = true
	s := &Select{tree: &tree.Select{OrderBy: order, Limit: limit}, Stored: true}
	var err error
	if s.Source, err = CompileSource(q); err != nil {
		return nil, err
	}
	row, err := evaluate.Compile(&tree.Literal{}, nil)
	if err != nil {
		return nil, err
	}
	s.Items = []Item{{Program: row, Slot: -1}}
	c := &compiler{statement: s.tree, selected: s, table: q.Table, origin: &tableOrigin{Source: s.Source}}
	if err = c.compileAll(); err == nil && s.Groups != nil {
		err = fault.New(fault.GroupWithoutBy)
	}
	return s, err
}

// compileAll compiles what stands above FROM and WHERE.
func (c *compiler) compileAll() error {
	steps := [...]func() error{c.expand, c.nameWindows, c.group, c.windows, c.items, c.distinct, c.having, c.order,
		c.limits, c.checkPages}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

func (c *compiler) source(text func() string) (*Source, error) {
	t := c.statement
	if t.From == nil {
		return compileNowhere(t.Where)
	}
	where, err := c.cutCursor()
	if err != nil {
		return nil, err
	}
	return CompileSource(From{Table: c.table, Alias: t.Alias, Where: where, Hints: t.Hints, ForceIndex: t.ForceIndex,
		IgnoreIndex:    t.IgnoreIndex,
		AllowFiltering: t.AllowFiltering, Statement: text})
}

// compileNowhere is the source of a SELECT without FROM: one row without columns.
func compileNowhere(where tree.Expression) (*Source, error) {
	s := &Source{}
	for _, e := range conjuncts(where, nil) {
		program, err := evaluate.Compile(e, originScope{nowhere{}, "where clause"})
		if err != nil {
			return nil, err
		}
		s.Conjuncts = append(s.Conjuncts, program)
	}
	return s, nil
}

// Grows reports whether `*` stands for names that the table has seen, and so for more when it has seen others.
func (s *Select) Grows() bool {
	return s.hasStar && (s.Source.Table.Dynamic || len(s.Source.Table.Wildcards) > 0)
}

// expand writes the columns that `*` stands for.
func (c *compiler) expand() error {
	for _, item := range c.statement.List {
		star, ok := item.Expression.(*tree.Star)
		if !ok {
			item.Expression = c.markMatches(item.Expression)
			c.list = append(c.list, item)
			continue
		}
		list, err := c.origin.Star(star.Table)
		if err != nil {
			return err
		}
		c.list = append(c.list, list...)
	}
	return nil
}

// items compiles the select list.
func (c *compiler) items() error {
	for i := range c.list {
		item := &c.list[i]
		if is, err := c.nextCursor(item); is || err != nil {
			if err != nil {
				return err
			}
			continue
		}
		program, err := c.compile(item.Expression, "field list", i+1)
		if err != nil {
			return err
		}
		compiled := Item{Program: program, Slot: -1}
		if column, ok := item.Expression.(*tree.Column); ok && c.selected.Groups == nil {
			if compiled.Slot, _, err = c.origin.Column(column, "field list"); err != nil {
				return err
			}
		}
		c.selected.Items = append(c.selected.Items, compiled)
		c.selected.Columns = append(c.selected.Columns, c.describe(item, program))
	}
	return nil
}

// distinct finds the columns that DISTINCT is about.
func (c *compiler) distinct() error {
	if !c.selected.Distinct || c.selected.Groups != nil {
		return nil
	}
	var columns []string
	for i := range c.list {
		column, ok := c.list[i].Expression.(*tree.Column)
		if !ok {
			return nil
		}
		columns = append(columns, column.Name)
	}
	c.selected.distinctColumns = columns
	return nil
}

// compile compiles an expression over rows, or over groups if there are some. number is its place in the select list or
// in ORDER BY, 0 elsewhere.
func (c *compiler) compile(e tree.Expression, where string, number int) (*evaluate.Program, error) {
	if c.selected.Groups != nil {
		return c.compileGrouped(e, where, number)
	}
	e, err := c.replaceComputed(e)
	if err != nil {
		return nil, err
	}
	return evaluate.Compile(e, c.scopeOf(where))
}

// describe returns the column that clients see for an item.
func (c *compiler) describe(item *tree.SelectItem, program *evaluate.Program) result.Column {
	described := result.Column{Name: cmp.Or(item.Alias, item.Text), Type: program.Type()}
	column, ok := item.Expression.(*tree.Column)
	if !ok {
		return described
	}
	of, ok := c.origin.Describe(column)
	if !ok {
		return described
	}
	if of.Type == (datum.Type{}) {
		of.Type = described.Type
	}
	if item.Alias != "" {
		of.Name = item.Alias
	}
	if c.statement.Rollup { // sums of groups have NULL there
		of.NotNull, of.PrimaryKey = false, false
	}
	return of
}

// alias finds an item by its alias; ok is false if there is none.
func (c *compiler) alias(e tree.Expression) (item int, ok bool) {
	column, isColumn := e.(*tree.Column)
	if !isColumn || column.Table != "" {
		return 0, false
	}
	i := slices.IndexFunc(c.list, func(item tree.SelectItem) bool { return item.Alias == column.Name })
	return i, i >= 0
}

// position finds an item by its number in the list, as in ORDER BY 2.
func (c *compiler) position(e tree.Expression, clause string) (item int, ok bool, err error) {
	literal, ok := e.(*tree.Literal)
	if !ok || literal.Value.Kind() != datum.KindInt {
		return 0, false, nil
	}
	n := literal.Value.Int()
	if n < 0 { // -1 is an expression, as in MySQL
		return 0, false, nil
	}
	if n < 1 || n > int64(len(c.list)) {
		return 0, false, fault.New(fault.UnknownColumn, literal.Value.String(), clause)
	}
	return int(n) - 1, true, nil
}

// replaceAliases writes out the aliases that an expression uses.
func (c *compiler) replaceAliases(e tree.Expression) tree.Expression {
	return tree.Rebuild(e, func(e tree.Expression) tree.Expression {
		if i, ok := c.alias(e); ok {
			return c.list[i].Expression
		}
		return nil
	})
}

func (c *compiler) having() (err error) {
	if c.statement.Having == nil {
		return nil
	}
	for _, column := range evaluate.Columns(c.statement.Having) {
		if i, ok := c.alias(column); ok && len(windowCalls(c.list[i].Expression)) > 0 {
			return fault.New(fault.WindowAlias, column.Name)
		}
	}
	if calls := windowCalls(c.statement.Having); len(calls) > 0 {
		return fault.New(fault.WindowFunction, calls[0].Name)
	}
	c.selected.Having, err = c.compile(c.replaceAliases(c.statement.Having), "having clause", 0)
	return err
}

// order compiles ORDER BY.
func (c *compiler) order() error {
	s := c.selected
	s.orderIsPlain = s.Groups == nil
	for i, order := range c.orderBy {
		item, ok, err := c.position(order.By, "order clause")
		if err != nil {
			return err
		}
		if !ok {
			item, ok = c.alias(order.By)
		}
		sorting := SortKey{Item: -1, Descending: order.Descending}
		by := order.By
		if ok {
			sorting.Item, by = item, c.list[item].Expression
		} else if by = c.replaceAliases(by); true {
			if sorting.Program, err = c.compile(by, "order clause", i+1); err != nil {
				return err
			}
		}
		s.Order = append(s.Order, sorting)
		if column, ok := by.(*tree.Column); ok {
			s.orderings = append(s.orderings, database.Ordering{Column: column.Name, Descending: order.Descending})
			s.orderIsPlain = s.orderIsPlain && !hasNumbers(c.table, column)
		} else if !IsConstant(by) {
			s.orderIsPlain = false
		}
		if call, ok := by.(*tree.Call); ok && len(c.orderBy) == 1 && !order.Descending && s.Groups == nil &&
			!s.Distinct && c.statement.Limit != nil {
			s.distance = call
		}
	}
	if s.distance != nil && c.table != nil {
		s.near = s.Source.near(s.distance)
	}
	c.rank()
	if _, ok := c.origin.(nowhere); ok {
		s.Order = nil // one row at most
	}
	return nil
}

// hasNumbers reports whether a column is an ENUM or SET, which is ordered by numbers, while keys and indexes have its
// texts.
func hasNumbers(t *definition.Table, column *tree.Column) bool {
	if t == nil {
		return false
	}
	declared, ok := t.Column(column.Name)
	return ok && declared.Type.IsList()
}

// rank finds the MATCH in the order of whose scores rows are wanted.
func (c *compiler) rank() {
	s := c.selected
	if c.table == nil || s.Groups != nil || s.Distinct || s.Stored || s.ForUpdate || len(s.Windows) > 0 || s.Pages() {
		return
	}
	switch {
	case len(c.orderBy) == 0:
		s.ranked = s.Source.naturalRank() + 1
	case len(c.orderBy) == 1 && c.orderBy[0].Descending:
		by := c.orderBy[0].By
		if at := s.Order[0].Item; at >= 0 {
			by = c.list[at].Expression
		}
		s.ranked, s.rankedBy = s.Source.rankOf(by)
		s.ranked++
	}
}

func (c *compiler) limits() error {
	for _, one := range [...]struct {
		from tree.Expression
		to   **constant
	}{{c.statement.Limit, &c.selected.limit}, {c.statement.Offset, &c.selected.offset}} {
		if one.from == nil {
			continue
		}
		value, ok := c.selected.Source.constant(one.from)
		if !ok {
			return fault.New(fault.WrongArguments, "LIMIT")
		}
		*one.to = &value
	}
	return nil
}

// Limits are LIMIT and OFFSET of an execution; limit is negative where there is none. Errors: 1210.
func (s *Select) Limits(x *evaluate.Context) (limit, offset int, err error) {
	b := binder{context: x}
	if limit, err = b.count(s.limit, -1); err != nil {
		return 0, 0, err
	}
	offset, err = b.count(s.offset, 0)
	return limit, offset, err
}

// countMax is a LIMIT that no answer reaches.
const countMax = 1 << 60

func (b *binder) count(c *constant, missing int) (int, error) {
	if c == nil {
		return missing, nil
	}
	d := b.value(c)
	switch d.Kind() {
	case datum.KindInt:
		if d.Int() < 0 {
			return 0, fault.New(fault.WrongArguments, "LIMIT")
		}
		return int(min(d.Int(), countMax)), nil
	case datum.KindUint:
		return countMax, nil
	case datum.KindFloat:
		if f := d.Float(); f >= 0 && f == float64(int64(f)) {
			return int(min(int64(f), countMax)), nil
		}
	}
	return 0, fault.New(fault.WrongArguments, "LIMIT")
}

// Bind finds how the rows of an execution are reached; see Source.Bind. rowsMax is the number of rows that are wanted
// after sorting, negative for all.
func (s *Select) Bind(x *Execution, rowsMax int, access *Access) error {
	need := Need{RowsMax: rowsMax, AnyOrder: s.Groups != nil ||
		len(s.Order) > 0, Whole: s.Stored, near: s.near, ranked: s.ranked, rankedBy: s.rankedBy}
	if s.Groups != nil {
		need.RowsMax, need.Group = -1, s.Groups.columns
	} else {
		if s.orderIsPlain {
			need.Order = s.orderings
		}
		need.Group = s.distinctColumns
	}
	position, err := s.resume(x)
	if err != nil {
		return err
	}
	need.position = position
	err = s.Source.Bind(x, &need, access)
	if s.Distinct && s.Groups == nil {
		access.Grouped = access.Grouped && s.distinctColumns != nil
	}
	if s.Groups == nil && !s.orderIsPlain && len(s.Order) > 0 {
		access.Sorted = access.Query.Near != nil || access.Query.Rank != nil
	}
	if s.Groups != nil {
		access.Sorted = len(s.Order) == 0
		access.Grouped = access.Grouped && s.Groups.isPlain
	}
	if err == nil {
		err = s.checkPage(access)
	}
	return err
}
