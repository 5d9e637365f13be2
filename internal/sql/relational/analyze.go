// SPDX-License-Identifier: Apache-2.0

package relational

import (
	"fmt"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"

	"github.com/weftdb/weft/internal/sql/relational/failure"
	"github.com/weftdb/weft/internal/sql/relational/joinkey"
)

// manner is how a planner plans.
type manner struct {
	// plain leaves subqueries where they are written, which is slower and goes wrong less.
	plain bool
	// sorts keeps each sort where it is written. The engine leaves out one over ranges of an index without asking whether the index has an order.
	sorts bool
}

// newAnalyzer makes the planner.
func newAnalyzer(databases sql.DatabaseProvider, m manner) *analyzer.Analyzer {
	b := analyzer.NewBuilder(databases).RemoveAfterAllRule(analyzer.TrackProcessId)
	if m.plain {
		b = b.RemoveDefaultRule(ruleNamed("unnestInSubqueries")).RemoveOnceAfterRule(ruleNamed("unnestExistsSubqueries"))
	}
	if m.sorts {
		b = b.RemoveOnceAfterRule(ruleNamed("replaceIdxSort"))
	}
	a := b.Build()
	a.ExecBuilder = newBuilder()
	return a
}

// manner is how the statement has to be planned.
func (s *statement) manner() manner {
	m := manner{plain: s.plain}
	for _, t := range s.tables {
		for _, of := range t.Indexes() {
			m.sorts = m.sorts || !(&index{of: of}).ordered()
		}
	}
	return m
}

// ruleNamed finds a rule, most of which have no exported number; -1 if there is none of the name.
func ruleNamed(name string) analyzer.RuleId {
	const rulesMax = 200
	for id := analyzer.RuleId(0); id < rulesMax; id++ {
		if id.String() == name {
			return id
		}
	}
	return -1
}

// analyze makes a plan. UPDATE and DELETE get a plain one, since the engine loses columns of theirs in joins that stand for subqueries. A statement
// that the planner's ways with subqueries fail on is bound and planned again without them.
func (r *run) analyze(bind func() (sql.Node, *sql.QueryFlags, error)) (sql.Node, *sql.QueryFlags, error) {
	m := r.statement.manner()
	node, flags, err := planWith(r.ctx, r.engine.analyzers[m], bind)
	if _, panicked := err.(*plannerPanic); panicked && !m.plain {
		m.plain = true
		return planWith(r.ctx, r.engine.analyzers[m], bind)
	}
	return node, flags, err
}

func planWith(ctx *sql.Context, a *analyzer.Analyzer, bind func() (sql.Node, *sql.QueryFlags, error)) (node sql.Node, flags *sql.QueryFlags, err error) {
	defer func() {
		if met := recover(); met != nil {
			if e, ok := met.(error); ok && failure.Known(e) != nil {
				err = e
				return
			}
			err = &plannerPanic{met: met}
		}
	}()
	node, flags, err = bind()
	if err != nil {
		return nil, nil, err
	}
	if node, err = a.Analyze(ctx, node, nil, flags); err == nil {
		node, err = joinkey.Sound(node)
	}
	return node, flags, err
}

// plannerPanic is what the planner panicked with.
type plannerPanic struct{ met any }

func (p *plannerPanic) Error() string {
	return fmt.Sprintf("The statement met a fault of the relational engine: %.200v", p.met)
}
