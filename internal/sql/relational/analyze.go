// SPDX-License-Identifier: Apache-2.0

package relational

import (
	"fmt"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
)

// newAnalyzer makes the planner. Plain ones leave subqueries where they are written, which is slower and goes wrong less.
func newAnalyzer(databases sql.DatabaseProvider, plain bool) *analyzer.Analyzer {
	b := analyzer.NewBuilder(databases).RemoveAfterAllRule(analyzer.TrackProcessId)
	if plain {
		b = b.RemoveDefaultRule(ruleNamed("unnestInSubqueries")).RemoveOnceAfterRule(ruleNamed("unnestExistsSubqueries"))
	}
	a := b.Build()
	a.ExecBuilder = newBuilder()
	return a
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

// analyze makes a plan. UPDATE and DELETE get a plain one, since the engine loses columns of theirs in joins that stand for subqueries. A statement that the planner's ways with subqueries fail on is bound and planned again without them.
func (r *run) analyze(bind func() (sql.Node, *sql.QueryFlags, error)) (sql.Node, *sql.QueryFlags, error) {
	if r.statement.plain {
		return planWith(r.ctx, r.engine.plain, bind)
	}
	node, flags, err := planWith(r.ctx, r.engine.engine.Analyzer, bind)
	if _, panicked := err.(*plannerPanic); panicked {
		return planWith(r.ctx, r.engine.plain, bind)
	}
	return node, flags, err
}

func planWith(ctx *sql.Context, a *analyzer.Analyzer, bind func() (sql.Node, *sql.QueryFlags, error)) (node sql.Node, flags *sql.QueryFlags, err error) {
	defer func() {
		if met := recover(); met != nil {
			if e, ok := met.(error); ok && faultIn(e) != nil {
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
	node, err = a.Analyze(ctx, node, nil, flags)
	return node, flags, err
}

// plannerPanic is what the planner panicked with.
type plannerPanic struct{ met any }

func (p *plannerPanic) Error() string {
	return fmt.Sprintf("The statement met a fault of the relational engine: %.200v", p.met)
}
