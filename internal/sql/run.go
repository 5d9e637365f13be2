// SPDX-License-Identifier: Apache-2.0

package sql

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"time"

	"github.com/weftdb/weft/internal/advice/digest"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/resource/memory"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/parse/token"
	"github.com/weftdb/weft/internal/sql/tree"
)

// statement is a compiled statement. It serves many sessions at once, and is not changed.
type statement interface {
	kind() Kind
	requests() *asks
	// run runs it. errStale says that it has to be compiled again.
	run(ctx context.Context, s *Session, c *call) error
}

// call is one execution of a statement.
type call struct {
	parameters []datum.Datum
	sink       *answer
}

// errStale says that a statement was compiled for another version of its table. Nothing was done.
var errStale = errors.New("sql: the table has changed since the statement was compiled")

// stalesMax is the number of times that a statement is compiled again before it gives up.
const stalesMax = 10

// run runs one statement and reports the outcome.
func (s *Session) run(ctx context.Context, text []byte, a *answer) error {
	e := s.engine
	begun := e.options.Now()
	ctx = s.starts(ctx)
	e.db.Await(ctx)
	kind, err := KindFailed, s.enter(text)
	if err == nil {
		err = s.dialect().Check(text)
	}
	var share memory.Share
	defer share.Release()
	if err == nil {
		err = s.admit(&share, text)
	}
	if err == nil {
		kind, err = s.dispatch(ctx, text, a)
	}
	return s.countStatement(ctx, text, kind, begun, err)
}

// countStatement counts a statement and words its error.
func (s *Session) countStatement(ctx context.Context, text []byte, kind Kind, begun time.Time, err error) error {
	e := s.engine
	if err != nil {
		s.victim(ctx, err)
	}
	s.leave()
	s.sweep()
	s.context.Reset()
	e.counts.statements.Add(1)
	e.counts.kinds[kind].Add(1)
	code := fault.Code(0)
	if err != nil || len(s.warnings) > 0 {
		err = s.completeMessage(text, faultOf(ctx, err))
	}
	if err != nil {
		if f, ok := fault.Of(err); ok {
			code = f.Code
		}
		s.keepError(err)
	}
	s.tally.Kind, s.tally.Code, s.tally.Took = kind, code, e.options.Now().Sub(begun)
	if e.options.Observer != nil {
		e.options.Observer.End(&s.tally)
	}
	s.addCost(text, begun)
	return err
}

// addCost adds what a statement took to the others of its text, and keeps it if it was slow.
func (s *Session) addCost(text []byte, begun time.Time) {
	digests, now := s.engine.digests, begun.Add(s.tally.Took)
	cost := digest.Cost{
		Took: s.tally.Took, Waited: s.waits.Waited(), Examined: s.tally.Examined, Returned: s.tally.Returned,
		Written: s.tally.Written, Seeks: s.tally.Seeks, Failed: s.tally.Code != 0, Whole: s.tally.Whole,
	}
	if s.digest == 0 {
		s.digest = digests.ID(digest.SQL, s.database, text)
	}
	entry := digests.Find(s.digest)
	if entry == nil {
		entry = digests.Note(s.digest, digest.SQL, s.database, s.dialect().Digest(token.Show(text), digest.TextMax),
			now)
	}
	entry.Add(&cost, now)
	if cost.Took < s.values.LongQuery {
		return
	}
	shown := bytes.TrimSpace(token.Show(text))
	digests.KeepSlow(&digest.Statement{
		Session: s.login.ConnectionID, User: s.login.User, Host: s.login.Host, Database: s.database,
		Text: string(shown[:min(len(shown), digest.SlowTextMax)]), Begun: begun, Cost: cost,
	})
}

// starts begins to count a statement; ended is its counterpart.
func (s *Session) starts(ctx context.Context) context.Context {
	s.waits.Reset()
	ctx = s.waits.Context(ctx)
	s.renewRights(ctx)
	s.tally, s.running, s.timeout, s.slept, s.ofTable, s.digest = Outcome{}, ctx, s.values.StatementTimeout, 0, false, 0
	if o := s.engine.options.Observer; o != nil {
		o.Begin()
	}
	return ctx
}

// victim rolls the open transaction back after a deadlock's error: others wait for its rows.
func (s *Session) victim(ctx context.Context, err error) {
	if f, ok := fault.Of(faultOf(ctx, err)); ok && f.Code == fault.Deadlock {
		s.rollback()
	}
}

// countReads counts what a walk has read.
func (s *Session) countReads(c *database.Counts) {
	s.tally.Examined += c.Looked()
	s.tally.Seeks += c.Seeks
	s.tally.Whole = s.tally.Whole || c.Whole > 0
	s.tally.Jumps += c.Jumps
	s.tally.FalsePositives += c.FalsePositives()
}

// textMax is the number of bytes of a statement in a message.
const textMax = 1024

// completeMessage puts the statement's text into messages that leave a place for it.
func (s *Session) completeMessage(text []byte, err error) error {
	f, ok := fault.Of(err)
	text = bytes.TrimSpace(text)
	if len(text) > textMax {
		text = text[:textMax]
	}
	for i := range s.warnings {
		s.warnings[i].message = strings.ReplaceAll(s.warnings[i].message, marker, string(text))
	}
	if !ok || !strings.Contains(f.Message, marker) {
		return err
	}
	told := *f
	told.Message = strings.ReplaceAll(f.Message, marker, string(text))
	return &told
}

// dispatch finds the compiled statement of a text and runs it.
func (s *Session) dispatch(ctx context.Context, text []byte, a *answer) (Kind, error) {
	dialect := s.dialect()
	key, literals, shared := dialect.Fingerprint(text, s.cacheKey(), s.literals[:0])
	s.key, s.literals = key[:0], literals[:0]
	c := &call{sink: a}
	if shared {
		s.digest = s.engine.digests.ID(digest.SQL, "", key)
		c.parameters = literals
		if st, ok := s.engine.plans.Get(key); ok && fits(st, c) {
			s.warnings = s.warnings[:0]
			err := s.allow(st.requests().needs, literals)
			if err == nil {
				err = st.run(ctx, s, c)
			}
			if !errors.Is(err, errStale) {
				s.tally.Plan = PlanKept
				return st.kind(), err
			}
		}
		read, err := dialect.ParseFingerprinted(text)
		_, reads := read.(tree.Query)
		if err == nil && (reads || tree.IsPlain(read)) {
			s.typeVariables(text, read, false)
			s.warnings = s.warnings[:0]
			return s.compileAndRun(ctx, read, bytes.Clone(key), c)
		}
		c.parameters = nil
	}
	read, err := dialect.Parse(text)
	if err != nil {
		s.warnings = s.warnings[:0]
		return KindFailed, err
	}
	s.typeVariables(text, read, true)
	if !keepsWarnings(read) {
		s.warnings = s.warnings[:0]
	}
	return s.compileAndRun(ctx, read, nil, c)
}

// compileAndRun compiles a statement and runs it, again if its table changes meanwhile. A key puts it into the cache.
func (s *Session) compileAndRun(ctx context.Context, read tree.Statement, key []byte, c *call) (Kind, error) {
	kind := kindOf(read)
	if s.readsOnly && kind != KindSelect && kind != KindShow {
		return kind, fault.New(fault.ReadOnlyTransaction)
	}
	err := whileStale(func() error {
		if err := ctx.Err(); err != nil { // reading a long text takes its time, as does planning it
			return err
		}
		st, err := s.compile(read, c)
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		if isShared(st) {
			s.engine.counts.planned.Add(1)
			s.tally.Plan = PlanMade
		}
		if err = st.run(ctx, s, c); errors.Is(err, errStale) {
			return err
		}
		if kind = st.kind(); key != nil && isShared(st) {
			s.engine.plans.Put(key, st, planBytes+costOf(key))
		}
		return err
	})
	return kind, err
}

// whileStale does work again while tables change before it has begun.
func whileStale(work func() error) error {
	for range stalesMax {
		if err := work(); !errors.Is(err, errStale) {
			return err
		}
	}
	return fault.Message(fault.LockWaitTimeout, "the table was changed %d times while the statement began; try again",
		stalesMax)
}

// cacheKey begins the key of a compiled statement: the settings on which it depends besides its text.
func (s *Session) cacheKey() []byte {
	flags := byte('0') // whose lowest four and highest two bits are free
	mode := byte('0') + byte(s.dialect().Mode)
	if s.values.DynamicVarbinary {
		flags |= 1
	}
	if s.values.UnboundedDelete {
		flags |= 2
	}
	flags += byte(s.values.Insert)<<2 + s.values.Inefficient<<6
	return append(append(append(append(s.key[:0], s.database...), 0), flags, mode), s.temporaries.version...)
}

// keepsWarnings reports whether a statement asks for the warnings of the one before.
func keepsWarnings(read tree.Statement) bool {
	show, ok := read.(*tree.Show)
	return ok && (show.What == "warnings" || show.What == "errors" || show.What == "count warnings" ||
		show.What == "count errors")
}
