// SPDX-License-Identifier: Apache-2.0

package sql

import (
	"context"
	"strings"
	"time"

	"github.com/weftdb/weft/internal/account"
	"github.com/weftdb/weft/internal/policy"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/schemas"
)

// Rights are what a user may do. They don't change.
type Rights interface {
	// Decide says what the user's policies say of a request, in which it fills in who asks. The resource is the last part of an ARN; "" is the server.
	Decide(r *policy.Request) policy.Effect
}

// nobody has no rights.
type nobody struct{}

func (nobody) Decide(*policy.Request) policy.Effect { return policy.Deny }

// need is a right that a statement asks for: one privilege at a level.
type need struct {
	privilege account.Privileges
	account.Level
	rows *rowsNamed // which rows and columns it is about; nil: that can't be told
}

// asks are what a compiled statement asks for, each time that it runs.
type asks struct{ needs []need }

func (a *asks) asked() *asks { return a }

// right is what was decided.
type right struct {
	privilege account.Privileges
	account.Level
	lenient bool
}

// Decisions are used again for rightsAge, and rightsMax of them are kept.
const (
	rightsAge = time.Second
	rightsMax = 4096
)

// renewRights finds out what the user may do now. Without rights everybody may do everything.
func (s *Session) renewRights(ctx context.Context) {
	find := s.engine.options.Rights
	if find == nil {
		return
	}
	now := s.engine.options.Now()
	rights, err := find(ctx, &s.login)
	if s.rightsErr = err; err != nil {
		rights = nobody{}
	}
	if rights != s.rights || now.Sub(s.rightsAt) >= rightsAge || now.Before(s.rightsAt) {
		s.rights, s.rightsAt, s.allowed = rights, now, map[right]bool{}
	}
}

// ask asks for a right. While a statement is compiled, it is enough if there may be rows that the right is for: check decides when the statement runs.
func (s *Session) ask(p account.Privileges, database, table string, rows *rowsNamed) error {
	if s.rights == nil || p == 0 || schemas.IsVirtual(database) && !isGuarded(database) {
		return nil
	}
	n := need{p, account.Level{Database: database, Table: table}, rows}
	if s.asking == nil {
		return s.check(&n, s.parameters)
	}
	*s.asking = append(*s.asking, n)
	if s.may(n.privilege, n.Level, true) {
		return nil
	}
	return s.refuse(n.privilege, n.Level)
}

// isGuarded says whether reading a virtual database takes a right: the others show what the reader may see.
func isGuarded(database string) bool { return strings.EqualFold(database, "mysql") }

// allow checks all that a compiled statement asks for.
func (s *Session) allow(needs []need, parameters []datum.Datum) error {
	for i := range needs {
		if err := s.check(&needs[i], parameters); err != nil {
			return err
		}
	}
	return nil
}

// check decides whether the user has a right.
func (s *Session) check(n *need, parameters []datum.Datum) error {
	if s.rights == nil || s.may(n.privilege, n.Level, false) {
		return nil
	}
	if n.rows != nil {
		values := n.rows.values(parameters)
		if s.decide(n.privilege, n.Level, &policy.Request{Values: values.of, Unknown: values.unknown}) {
			return nil
		}
	}
	return s.refuse(n.privilege, n.Level)
}

// may decides by what is known of the level alone: whatever rows a statement is about, or, if lenient, for some of them.
func (s *Session) may(p account.Privileges, at account.Level, lenient bool) bool {
	key := right{p, at, lenient}
	allowed, known := s.allowed[key]
	if !known {
		if len(s.allowed) >= rightsMax {
			clear(s.allowed)
		}
		allowed = s.decide(p, at, &policy.Request{Unknown: isOfRows, Lenient: lenient})
		s.allowed[key] = allowed
	}
	return allowed
}

// isOfRows says whether a condition key is about rows and columns.
func isOfRows(key string) bool { return strings.HasPrefix(key, "dynamodb:") }

// decide asks the user's policies. ALTER covers what INDEX does, as UpdateTable does both.
func (s *Session) decide(p account.Privileges, at account.Level, r *policy.Request) bool {
	switch {
	case at.Table != "":
		r.Resource = account.TableResource(at.Database, at.Table)
	case at.Database != "":
		r.Resource = account.DatabaseResource(at.Database)
	}
	r.Action = p.Action()
	effect := s.rights.Decide(r)
	if p == account.Index {
		r.Action = account.Alter.Action()
		effect = max(effect, s.rights.Decide(r))
	}
	return effect == policy.Allow
}

// refuse words the refusal as MySQL does, or only logs it where rights are tried out.
func (s *Session) refuse(p account.Privileges, at account.Level) error {
	if s.engine.options.RightsWarn && s.rights != nil { // once a second is enough
		s.allowed[right{p, at, true}], s.allowed[right{p, at, false}] = true, true
	}
	var err error
	switch {
	case s.rightsErr != nil:
		err = s.rightsErr
	case at.Database == "":
		err = fault.New(fault.Privilege, p.String())
	case at.Table == "":
		err = fault.New(fault.DatabaseDenied, s.login.User, s.login.Host, at.Database)
	default:
		err = fault.New(fault.TableDenied, p.String(), s.login.User, s.login.Host, at.Table)
	}
	return s.denied(err)
}

func (s *Session) denied(err error) error {
	if !s.engine.options.RightsWarn {
		return err
	}
	s.engine.options.Logger.Warn("this statement would be refused if auth were required", "user", s.login.User, "client", s.login.Host, "error", err)
	return nil
}

// sees says whether the user may know of a table, or of some table of a database: who has any right to it may.
func (s *Session) sees(database, table string) bool {
	if s.rights == nil || s.engine.options.RightsWarn || schemas.IsVirtual(database) && !isGuarded(database) {
		return true
	}
	for p := range account.TablePrivileges.Each {
		if s.may(p, account.Level{Database: database, Table: table}, true) {
			return true
		}
	}
	if table != "" {
		return s.decideShown(account.Level{Database: database, Table: table})
	}
	return s.seesSome(database)
}

// decideShown says whether a policy lets the user describe a table.
func (s *Session) decideShown(at account.Level) bool {
	return s.rights.Decide(&policy.Request{Action: "dynamodb:DescribeTable", Resource: account.TableResource(at.Database, at.Table)}) == policy.Allow
}

// tablesPage is how many names of tables are read at once.
const tablesPage = 1000

// relations yields the names of a database's tables and views.
func (e *Engine) relations(database string, yield func(name string) bool) {
	for _, view := range e.db.StoredViews().List(database) {
		if !yield(view.Name) {
			return
		}
	}
	for after, more := "", true; more; {
		page := e.db.Tables(database, after, tablesPage)
		for _, after = range page {
			if !yield(after) {
				return
			}
		}
		more = len(page) == tablesPage
	}
}

func (s *Session) seesSome(database string) (found bool) {
	s.engine.relations(database, func(name string) bool {
		found = s.sees(database, name)
		return !found
	})
	return found
}
