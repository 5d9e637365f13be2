// SPDX-License-Identifier: Apache-2.0

package sql

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/resource/memory"
	"github.com/weftdb/weft/internal/security/account"
	"github.com/weftdb/weft/internal/sql/algebra"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/definition"
	"github.com/weftdb/weft/internal/sql/evaluate"
	"github.com/weftdb/weft/internal/sql/execute"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/parse"
	"github.com/weftdb/weft/internal/sql/plan"
	"github.com/weftdb/weft/internal/sql/schemas"
	"github.com/weftdb/weft/internal/sql/tree"
)

// queryStatement is a compiled query.
type queryStatement struct {
	asks
	*algebra.Query
	views []database.StoredView // that it was compiled with
	notes []warning
	// replicas says that a hint lets it read any replica.
	replicas bool
	// known says that a query over several tables was compiled for values of its parameters, which had these kinds, and
	// cost is the cost that was estimated then.
	known bool
	kinds []datum.Kind
	cost  float64
	unfit atomic.Bool // an execution read much more
}

func (q *queryStatement) kind() Kind {
	if q.Single != nil {
		return KindSelect
	}
	return KindRelational
}

// costMax is the largest cost at which a plan is kept: one that reads more may be wrong for other values, or when its
// tables have grown, and finding it anew costs little beside it.
const costMax = 1000

// isKept reports whether the plan may serve other executions. A table that is read alone is planned for each.
func (q *queryStatement) isKept() bool {
	return q.Single != nil || q.known && q.cost <= costMax && !q.unfit.Load()
}

// fits reports whether a kept statement may serve an execution: its parameters are of the kinds that it was planned
// for.
func fits(st statement, c *call) bool {
	q := queryIn(st)
	return q == nil || q.Single != nil || q.isKept() && slices.EqualFunc(q.kinds, c.parameters,
		func(k datum.Kind, d datum.Datum) bool { return k == d.Kind() })
}

// queryIn is the query that a statement is, or that finds what it writes; nil: there is none.
func queryIn(st statement) *queryStatement {
	switch st := st.(type) {
	case *queryStatement:
		return st
	case *writeStatement:
		return st.query
	}
	return nil
}

// noteCounts counts what an execution has read, and remembers whether that was much more than expected.
func (q *queryStatement) noteCounts(s *Session, c *database.Counts) {
	s.countReads(c)
	if float64(c.Looked()) > 100+4*q.cost {
		q.unfit.Store(true)
	}
}

// compileSingle compiles a SELECT over one table or none, for the table's current version. text writes it for messages.
func (s *Session) compileSingle(read *tree.Select, text func() string) (q *queryStatement, err error) {
	var t *definition.Table
	var names []string
	if read.From != nil {
		var p heldTable
		if t, p, err = s.table(*read.From, account.Select); err != nil {
			return nil, s.viewInstead(*read.From, err)
		}
		defer p.release()
		t.Spell(read)
		if err := s.askSelect(read, t); err != nil {
			return nil, err
		}
		names = p.AttributeNames()
	}
	q = &queryStatement{}
	if q.Query, err = algebra.CompileSingle(read, t, names, text); err != nil {
		return nil, err
	}
	hints := read.Hints
	if q.Single.Pages() {
		hints = slices.DeleteFunc(slices.Clone(hints), func(h tree.Hint) bool { return h.Name == "_l_allow_cursor_" })
	}
	q.notes, q.replicas = s.hintNotes(hints, KindSelect), hasReplicaHint(hints)
	return q, nil
}

// compileRead compiles a query. c has the parameters that estimates of one over several tables are made with; nil: none
// are known. text writes it for messages.
func (s *Session) compileRead(read tree.Query, c *call, settings plan.Settings,
	text func() string) (*queryStatement, error) {
	one, ok := read.(*tree.Select)
	if ok && tree.IsPlain(one) && (one.From == nil || !s.isView(*one.From)) {
		return s.compileSingle(one, text)
	}
	return s.compileQueryBy(read, c, algebra.Options{Parameters: tree.Placeholders(read), Text: text,
		Execution: plan.Execution{Settings: settings}})
}

// compileQuery compiles a query of a statement that has so many parameters by package algebra, as compileRead does.
func (s *Session) compileQuery(read tree.Query, parameters int, c *call) (*queryStatement, error) {
	return s.compileQueryBy(read, c, algebra.Options{Parameters: parameters, Text: statementText,
		Execution: plan.Execution{Settings: s.planSettings()}})
}

// compileQueryBy is compileQuery with options.
func (s *Session) compileQueryBy(read tree.Query, c *call, o algebra.Options) (*queryStatement, error) {
	first := tree.Leftmost(read)
	names := &names{session: s, locks: first != nil && first.ForUpdate}
	defer names.release()
	o.Catalog = names
	hints := hintsOf(read)
	q := &queryStatement{notes: s.hintNotes(hints, KindRelational), replicas: hasReplicaHint(hints)}
	if c != nil && len(c.parameters) == o.Parameters {
		o.Execution.Context, q.known = s.beginExecution(c.parameters), true
		for i := range c.parameters {
			q.kinds = append(q.kinds, c.parameters[i].Kind())
		}
	}
	var err error
	if q.Query, err = algebra.Compile(read, o); err != nil {
		return nil, err
	}
	q.views, q.cost = names.views, q.Cost()
	return q, nil
}

// names finds what names stand for, and keeps the versions of tables until they are released.
type names struct {
	session *Session
	locks   bool // the rows that are read: whoever says so needs the right on all tables
	pins    []heldTable
	views   []database.StoredView
}

func (n *names) release() {
	for i := range n.pins {
		n.pins[i].release()
	}
}

// count makes sure that the size of a table is known, within the statement's time.
func (s *Session) count(p database.Pinned) error {
	ctx := s.running
	if s.timeout > 0 {
		limited, cancel := context.WithTimeout(ctx, s.timeout)
		defer cancel()
		ctx = limited
	}
	err := p.Count(ctx)
	if err != nil && ctx.Err() != nil && s.running.Err() == nil {
		err = fault.Because(err, fault.StatementTimeout)
	}
	return err
}

// Relation is algebra.Catalog's.
func (n *names) Relation(database, name string, inView bool) (r algebra.Relation, err error) {
	s := n.session
	of := tree.Name{Database: database, Name: name}
	if inView {
		r.Database, r.Name, err = s.base(of)
	} else if r.Database, r.Name, err = s.resolve(of); err == nil {
		r.Home, _, _ = s.base(of)
	}
	if err != nil {
		return r, err
	}
	err = s.ask(account.Select, r.Database, r.Name, nil)
	if err == nil && n.locks && !s.isView(tree.Name{Database: r.Database, Name: r.Name}) {
		err = s.askLocks(r.Database, r.Name, nil)
	}
	if err != nil {
		return r, err
	}
	if schemas.IsVirtual(r.Database) {
		v, err := schemas.FindVirtual(r.Database, r.Name)
		if err != nil {
			return r, err
		}
		r.Virtual, r.VirtualColumns, r.SchemaColumn, r.TableColumn = v, v.Columns, v.SchemaColumn, v.TableColumn
		return r, nil
	}
	if view, ok := s.engine.db.StoredViews().Get(r.Database, r.Name); ok {
		n.views = append(n.views, view)
		r.View, r.Columns, err = readView(view)
		return r, err
	}
	t, p, err := s.tableOf(r.Database, r.Name)
	if err != nil {
		return r, err
	}
	n.pins = append(n.pins, p)
	if err := s.count(p.Pinned); err != nil {
		return r, err
	}
	r.Table, r.Pinned, r.Names = t, p.Pinned, p.AttributeNames()
	return r, nil
}

// readView reads the query of a view and the names that it gives its columns.
func readView(view database.StoredView) (tree.Query, []string, error) {
	read, err := parse.Parse([]byte(view.Statement))
	if err != nil {
		return nil, nil, err
	}
	made, ok := read.(*tree.CreateView)
	if !ok {
		return nil, nil, fault.Message(fault.Unsupported, "the view '%s' can't be read; make it again", view.Name)
	}
	return made.Query, made.Columns, nil
}

// run reads and sends rows.
func (q *queryStatement) run(ctx context.Context, s *Session, c *call) error {
	defer s.ends()
	if err := q.begin(ctx, s, c); err != nil {
		return err
	}
	s.tell(q.notes)
	for _, warning := range q.Warnings {
		s.warn(fault.Refused, warning)
	}
	if limit := s.values.SelectLimit; limit > 0 {
		c.sink.limit(limit)
	}
	request := &s.request
	if q.ForUpdate && request.Tx == nil {
		tx, err := s.beginAlone(ctx)
		if err != nil {
			return err
		}
		defer tx.Rollback()
		request.View, request.Tx, request.Kept = tx.View(), tx, &memory.Share{Of: s.engine.options.Memory}
		defer request.Kept.Release()
	}
	if request.Tx == nil && (q.replicas || s.values.AnyReplica) {
		ctx = s.engine.db.Reading(ctx, false)
	}
	summary, err := execute.Query(ctx, request)
	q.noteCounts(s, &summary.Read.Counts)
	if summary.Warning != "" {
		s.warn(fault.Refused, summary.Warning)
	}
	return err
}

// begin prepares the session's request for an execution. ends must follow, after an error too. errStale says that the
// query is to be compiled again.
func (q *queryStatement) begin(ctx context.Context, s *Session, c *call) error {
	request := q.request(s, s.beginExecution(c.parameters))
	request.Sink, request.Limit = c.sink, &s.limit
	s.timeout = s.values.StatementTimeout
	if q.Timeout > 0 {
		s.timeout = q.Timeout
	}
	if s.ofTable = q.Single == nil || len(q.Tables) > 0; !s.ofTable {
		return nil
	}
	if err := s.beginImplicit(ctx); err != nil {
		return err
	}
	if err := q.pinTables(s); err != nil {
		return err
	}
	for _, p := range request.Pinned {
		if err := s.awaitSearch(ctx, p); err != nil {
			return err
		}
	}
	if tx := s.tx(); tx != nil {
		if err := s.reads(ctx); err != nil {
			return err
		}
		request.View, request.Tx, request.Kept = tx.View(), tx, &s.open.memory
	}
	return nil
}

// request begins the session's request of an execution, without tables, transaction and sink.
func (q *queryStatement) request(s *Session, x *evaluate.Context) *execute.Request {
	s.request = execute.Request{Query: q.Query, Pinned: s.request.Pinned[:0], Context: x, Settings: s.planSettings(),
		DB: s.engine.db}
	if q.Single == nil {
		s.request.BytesMax, s.request.DepthMax = s.values.RelationalBytesMax, s.recursionMax()
		s.request.Virtual = s.virtual
	}
	return &s.request
}

// ends gives back what the execution of a query took.
func (s *Session) ends() {
	for i := range s.pins {
		s.pins[i].release()
	}
	s.pins = s.pins[:0]
}

// pinTables takes the tables' versions for an execution, until ends. errStale says that the query is to be compiled
// again.
func (q *queryStatement) pinTables(s *Session) error {
	for _, view := range q.views {
		if now, ok := s.engine.db.StoredViews().Get(view.Database, view.Name); !ok || now != view {
			return errStale
		}
	}
	for i := range q.Tables {
		t := &q.Tables[i]
		p, err := s.pinKnown(t.Table)
		if err == nil && t.Grows && p.AttributeCount() != t.Names {
			err = errStale
		}
		if err != nil {
			return err
		}
		s.request.Pinned = append(s.request.Pinned, p.Pinned)
	}
	return nil
}

// pinKnown takes the version of a table for which a statement was compiled, until ends. errStale says that there is
// another now.
func (s *Session) pinKnown(t *definition.Table) (heldTable, error) {
	p, err := s.pin(t.Database, t.Name)
	if isNoTable(err) { // a view may be in its place, or the error be that of the view that names it
		err = errStale
	}
	if err != nil {
		return p, err
	}
	if s.pins = append(s.pins, p); p.Descriptor() != t.Descriptor {
		err = errStale
	}
	return p, err
}

// recursionMax is the number of rounds a recursive common table expression may take.
func (s *Session) recursionMax() int64 {
	d, err := s.engine.variables.Get(s.values, "cte_max_recursion_depth")
	if err != nil {
		return 1000
	}
	return int64(d.NumberFloat())
}

// virtual reads a table that is made up.
func (s *Session) virtual(ctx context.Context, of any, schema, table string,
	yield func(row []datum.Datum) error) error {
	v, ok := of.(*schemas.Virtual)
	if !ok {
		return fault.Message(fault.Unsupported, "this table can't be read")
	}
	return s.engine.schemas.Read(ctx, v, s.schemasSession(), schemas.About{Schema: schema, Table: table}, yield)
}

// awaitSearch waits for the asynchronous search indexes of a table, if the session asks for it. A transaction shows a
// moment that is over.
func (s *Session) awaitSearch(ctx context.Context, p database.Pinned) error {
	limit := s.values.SearchWait
	if limit == 0 || s.tx() != nil {
		return nil
	}
	waiting, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	err := p.AwaitIndexes(waiting)
	if err != nil && waiting.Err() != nil && ctx.Err() == nil {
		return fault.New(fault.Refused, fmt.Sprintf(
			"the asynchronous search index of table %s did not follow within %v: SHOW INDEX tells how far it is behind; raise weft_search_wait, or set it to 0 to search what it has", p.Descriptor().Name, limit))
	}
	return err
}

// planSettings are the session's settings for finding rows.
func (s *Session) planSettings() plan.Settings {
	v := s.values
	settings := plan.Settings{
		MultiGetKeysMax: v.MultiGetMax, Inefficient: plan.Inefficient(v.Inefficient),
		Timeout: cmp.Or(v.StatementTimeout, -1), SortBytesMax: int(v.SortBytesMax),
		GroupBytesMax: int(v.GroupBytesMax), Memory: s.engine.options.Memory,
	}
	if v.SortSpill {
		settings.Spill = s.engine.options.Spill
	}
	return settings
}

// marker stands for the statement's text in messages of compiled statements, which many texts share.
const marker = "\x00statement\x00"

func statementText() string { return marker }
