// SPDX-License-Identifier: Apache-2.0

package sql

import (
	"context"
	"strings"

	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/result"
	"github.com/weftdb/weft/internal/sql/schemas"
	"github.com/weftdb/weft/internal/sql/tree"
)

// compile finds who runs a statement, if the user may run it. c has the parameters that a query over several tables is
// planned with, and that tell which rows the statement is about; nil: none are known.
func (s *Session) compile(read tree.Statement, c *call) (st statement, err error) {
	if s.rights.Everything() {
		return s.compileUnchecked(read, c)
	}
	needs, before := []need{}, s.asking
	s.asking = &needs
	defer func() { s.asking = before }()
	if err = s.askFor(read); err != nil {
		return nil, err
	}
	if st, err = s.compileUnchecked(read, c); err != nil {
		return nil, err
	}
	st.requests().needs = needs
	if c != nil {
		err = s.allow(needs, c.parameters)
	}
	return st, err
}

func (s *Session) compileUnchecked(read tree.Statement, c *call) (statement, error) {
	if one, ok := read.(*tree.Select); ok && one.CountsFound && one.Limit != nil {
		return s.compilePage(one, c)
	}
	switch read := read.(type) {
	case tree.Query:
		return s.compileRead(read, c, s.planSettings(), statementText)
	case *tree.Insert, *tree.Update, *tree.Delete:
		return s.compileWrite(read, c)
	}
	return &plain{read: read}, nil
}

// isShared reports whether a compiled statement may be kept for others.
func isShared(st statement) bool {
	if q := queryIn(st); q != nil {
		return q.isKept()
	}
	_, isPlain := st.(*plain)
	return !isPlain
}

// plain is a statement that is run from its tree.
type plain struct {
	asks
	read    tree.Statement
	columns []result.Column // of the answer, where they are known
}

func (p *plain) kind() Kind { return kindOf(p.read) }

func (p *plain) run(ctx context.Context, s *Session, c *call) error {
	s.parameters = c.parameters
	if isDefinition(p.read) && !isTemporary(p.read) {
		if err := s.commit(ctx); err != nil {
			return err
		}
	}
	if done, err := s.control(ctx, p.read, c); done {
		return err
	}
	switch read := p.read.(type) {
	case *tree.Set:
		return s.set(ctx, read, c)
	case *tree.DropTable:
		rest, done, err := s.dropTemporary(read, c)
		if done || err != nil {
			return err
		}
		return s.schemas(ctx, rest, c)
	case *tree.CreateTable:
		if read.Temporary {
			return s.createTemporary(ctx, read, c)
		}
		if read.Query != nil {
			return s.createAs(ctx, read, c)
		}
	case *tree.SelectInto:
		return s.selectInto(ctx, read, c)
	case *tree.Select:
		return s.selectPage(ctx, read, c)
	case *tree.AlterSystem:
		return s.alterSystem(ctx, read, c)
	case *tree.Kill:
		return s.kill(ctx, read, c)
	case *tree.Explain:
		return s.explain(ctx, read, c)
	case *tree.Prepare:
		return s.prepareNamed(ctx, read, c)
	case *tree.ExecutePrepared:
		return s.executeNamed(ctx, read, c)
	case *tree.Deallocate:
		return s.deallocate(read, c)
	case *tree.ChangeUsers:
		return s.changeUsers(ctx, read, c)
	case *tree.Grant:
		return s.grant(ctx, read, c)
	case *tree.SetRole:
		return s.setRole(ctx, read, c)
	case *tree.CreateView, *tree.DropView:
		return s.changeViews(ctx, read, c)
	case *tree.Nothing:
		if strings.HasSuffix(read.What, "lock tables") {
			s.warn(fault.NotSupported, strings.ToUpper(read.What)+
				" does nothing: no table is locked; a transaction locks the rows that it writes, and those that it reads FOR UPDATE")
		}
		return c.sink.Done(result.Done{})
	case *tree.Show:
		if done, err := s.show(ctx, read, c); done {
			return err
		}
	}
	return s.schemas(ctx, p.read, c)
}

// control runs the statements that begin and end transactions, and USE. done is false for others.
func (s *Session) control(ctx context.Context, read tree.Statement, c *call) (done bool, err error) {
	switch read := read.(type) {
	case *tree.Begin:
		err = s.begin(ctx, read.ReadOnly || !read.ReadWrite && s.nextReadOnly())
	case *tree.Commit:
		err = s.commitChained(ctx, read.Chain)
	case *tree.Rollback:
		chained := s.open != nil && s.open.readOnly
		if s.rollback(); read.Chain {
			err = s.begin(ctx, chained)
		}
	case *tree.Savepoint:
		err = s.savepoint(ctx, read)
	case *tree.Use:
		err = s.Use(ctx, read.Database)
	default:
		return false, nil
	}
	if err == nil {
		err = c.sink.Done(result.Done{})
	}
	s.released = s.released || err == nil && releases(read)
	return true, err
}

// releases reports whether a statement ends its session.
func releases(read tree.Statement) bool {
	switch read := read.(type) {
	case *tree.Commit:
		return read.Release
	case *tree.Rollback:
		return read.Release
	}
	return false
}

func (s *Session) commitChained(ctx context.Context, chain bool) error {
	readOnly := s.open != nil && s.open.readOnly
	if err := s.commit(ctx); err != nil || !chain {
		return err
	}
	return s.begin(ctx, readOnly)
}

// alterSystem sets a global variable.
func (s *Session) alterSystem(ctx context.Context, read *tree.AlterSystem, c *call) error {
	d, err := s.constant(ctx, read.Value, c.parameters)
	if err != nil {
		return err
	}
	d = d.Clone()
	if err := s.engine.variables.SetGlobal(read.Name, &d); err != nil {
		return err
	}
	return c.sink.Done(result.Done{})
}

// schemasSession is the session as statements about tables, and virtual tables, see it.
func (s *Session) schemasSession() schemas.Session {
	return schemas.Session{Unchecked: s.values.KeysUnchecked, Zoned: s.values.Zone != nil, Own: s.ownTable,
		Database: s.database, User: s.login.User, Sees: s.sees, SeesRows: s.seesRows, SeesQuery: s.seesQuery,
		Privileges: s.privileges, Process: s.seesProcess,
		Warn: s.note,
		Variables: func(global bool, visit func(name, shown string) error) error {
			values := s.values
			if global {
				values = s.engine.variables.Global()
			}
			return s.engine.variables.Each(values, visit)
		},
	}
}

// schemas runs what is about tables rather than rows.
func (s *Session) schemas(ctx context.Context, read tree.Statement, c *call) error {
	in := s.schemasSession()
	in.Parameters = c.parameters
	handled, err := s.engine.schemas.Run(ctx, read, in, c.sink)
	if drop, ok := read.(*tree.DropDatabase); ok && err == nil && drop.Database == s.database {
		s.database = ""
	}
	if !handled && err == nil {
		err = fault.New(fault.NotSupported, "This statement")
	}
	return err
}
