// SPDX-License-Identifier: Apache-2.0

package sql

import (
	"bytes"
	"context"
	"errors"

	"github.com/weftdb/weft/internal/advice/digest"
	"github.com/weftdb/weft/internal/resource/memory"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/result"
	"github.com/weftdb/weft/internal/sql/tree"
)

// preparedStatement is a statement that was prepared in a session.
type preparedStatement struct {
	session    *Session
	text       []byte
	read       tree.Statement
	compiled   statement // nil: it is compiled when it is executed
	columns    []result.Column
	parameters int
	key        []byte // what it was compiled for, as cacheKey has it
	memory     memory.Share
}

// Prepare compiles one statement. Errors: *fault.Error.
func (s *Session) Prepare(ctx context.Context, text []byte) (result.Prepared, error) {
	p, err := s.prepare(ctx, text)
	if err != nil {
		return nil, s.completeMessage(text, faultOf(ctx, err))
	}
	return p, nil
}

// prepare counts the statement's memory until it is closed.
func (s *Session) prepare(ctx context.Context, text []byte) (p *preparedStatement, err error) {
	memory := memory.Share{Of: s.engine.options.Memory}
	if !memory.Grow(planBytes + costOf(text)) {
		return nil, noMemory("a prepared statement of this length")
	}
	defer func() {
		if err != nil {
			memory.Release()
		}
	}()
	if p, err = s.compilePrepared(ctx, text); err == nil {
		p.memory = memory
	}
	return p, err
}

func (s *Session) compilePrepared(ctx context.Context, text []byte) (*preparedStatement, error) {
	s.running = ctx
	s.renewRights(ctx)
	dialect := s.dialect()
	one, rest, err := dialect.Split(text)
	if err != nil {
		return nil, err
	}
	if len(rest) > 0 {
		return nil, fault.New(fault.Syntax,
			"You have an error in your SQL syntax; only one statement can be prepared at a time, near '"+
				near([]byte(Show(string(rest))))+"'")
	}
	if err := dialect.Check(one); err != nil {
		return nil, err
	}
	p := &preparedStatement{session: s, text: bytes.Clone(one), key: bytes.Clone(s.cacheKey())}
	if p.read, err = dialect.Parse(p.text); err != nil {
		return nil, err
	}
	s.typeVariables(p.text, p.read, false)
	p.parameters = tree.Placeholders(p.read)
	p.compiled, err = s.compile(p.read, nil)
	if err != nil {
		return nil, err
	}
	switch compiled := p.compiled.(type) {
	case *queryStatement:
		p.columns = compiled.Columns
	case *plain:
		p.columns = compiled.columns
	}
	return p, nil
}

// Parameters is the number of placeholders.
func (p *preparedStatement) Parameters() int { return p.parameters }

// Columns are the columns of the answer; nil when they are not known before it is executed.
func (p *preparedStatement) Columns() []result.Column { return p.columns }

// Close forgets the statement.
func (p *preparedStatement) Close() { p.memory.Release() }

// Execute runs it.
func (p *preparedStatement) Execute(ctx context.Context, parameters []datum.Datum, sink result.Sink) error {
	s := p.session
	begun := s.engine.options.Now()
	kind := kindOf(p.read)
	ctx = s.starts(ctx)
	s.digest = s.engine.digests.ID(digest.SQL, s.database, p.text)
	err := s.enter(p.text)
	if err == nil {
		if !keepsWarnings(p.read) {
			s.warnings = s.warnings[:0]
		}
		err = p.execute(ctx, &call{parameters: parameters, sink: &answer{Sink: sink, session: s}})
		if p.compiled != nil {
			kind = p.compiled.kind()
		}
	}
	return s.countStatement(ctx, p.text, kind, begun, err)
}

// execute runs the compiled statement, which is compiled again when its table has changed.
func (p *preparedStatement) execute(ctx context.Context, c *call) error {
	s := p.session
	if len(c.parameters) != p.parameters {
		return fault.New(fault.WrongArguments, "EXECUTE")
	}
	s.tally.Plan = PlanKept
	return whileStale(func() error {
		if p.compiled == nil || !bytes.Equal(p.key, s.cacheKey()) || !fits(p.compiled, c) {
			compiled, err := s.compile(p.read, c)
			if err != nil {
				return err
			}
			p.compiled, p.key, s.tally.Plan = compiled, append(p.key[:0], s.cacheKey()...), PlanMade
		}
		if !isShared(p.compiled) {
			s.tally.Plan = PlanNone
		}
		err := s.allow(p.compiled.requests().needs, c.parameters)
		if err == nil {
			err = p.compiled.run(ctx, s, c)
		}
		if errors.Is(err, errStale) {
			p.compiled = nil
		}
		return err
	})
}

// namedMax is the number of statements a session may prepare by PREPARE.
const namedMax = 1000

// prepareNamed is PREPARE name FROM text.
func (s *Session) prepareNamed(ctx context.Context, read *tree.Prepare, c *call) error {
	d, err := s.constant(ctx, read.Text, c.parameters)
	if err != nil {
		return err
	}
	s.forget(read.Name)
	if len(s.named) >= namedMax {
		return fault.Message(fault.Refused, "a session may have at most %d prepared statements: deallocate some",
			namedMax)
	}
	p, err := s.prepare(ctx, d.Clone().Bytes())
	if err != nil {
		return err
	}
	switch p.read.(type) {
	case *tree.Prepare, *tree.ExecutePrepared, *tree.Deallocate:
		p.Close()
		return fault.New(fault.NotSupported, "PREPARE, EXECUTE and DEALLOCATE can't be prepared")
	}
	if s.named == nil {
		s.named = map[string]*preparedStatement{}
	}
	s.named[read.Name] = p
	return c.sink.Done(result.Done{})
}

// executeNamed is EXECUTE name USING @a, ..
func (s *Session) executeNamed(ctx context.Context, read *tree.ExecutePrepared, c *call) error {
	p := s.named[read.Name]
	if p == nil {
		return fault.New(fault.UnknownStatement, read.Name, "EXECUTE")
	}
	parameters := make([]datum.Datum, len(read.Using))
	for i := range read.Using {
		var err error
		if parameters[i], err = s.Variable(&read.Using[i]); err != nil {
			return err
		}
	}
	return s.completeMessage(p.text, faultOf(ctx, p.execute(ctx, &call{parameters: parameters, sink: c.sink})))
}

// deallocate is DEALLOCATE PREPARE name.
func (s *Session) deallocate(read *tree.Deallocate, c *call) error {
	if s.named[read.Name] == nil {
		return fault.New(fault.UnknownStatement, read.Name, "DEALLOCATE PREPARE")
	}
	s.forget(read.Name)
	return c.sink.Done(result.Done{})
}

// forget drops a statement of PREPARE, if it is there.
func (s *Session) forget(name string) {
	if p := s.named[name]; p != nil {
		p.Close()
		delete(s.named, name)
	}
}
