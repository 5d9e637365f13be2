// SPDX-License-Identifier: Apache-2.0

package sql

import (
	"context"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/security/account"
	"github.com/weftdb/weft/internal/security/permission"
	"github.com/weftdb/weft/internal/security/policy"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/result"
	"github.com/weftdb/weft/internal/sql/schemas"
)

// need is a right that a statement asks for: one privilege at a level.
type need struct {
	privilege account.Privileges
	account.Level
	rows *rowAccess // which rows and columns it is about; nil: that can't be told
	// or is a privilege that does as well; 0: none does.
	or account.Privileges
}

// asks are the requests that a compiled statement makes each time it runs.
type asks struct{ needs []need }

func (a *asks) requests() *asks { return a }

// right is a decision.
type right struct {
	privilege account.Privileges
	account.Level
	lenient bool
}

// Decisions are used again for rightsAge, and rightsMax of them are kept.
const (
	rightsAge = time.Second
	rightsMax = 256
)

// renewRights finds out what the user may do now. Without rights everybody may do everything.
func (s *Session) renewRights(ctx context.Context) {
	guard := s.engine.options.Guard
	if guard == nil {
		return
	}
	now := s.engine.options.Now()
	rights, err := guard.RightsOf(ctx, &s.principal)
	if s.rightsErr = err; rights.IsOutdated() {
		s.rightsErr = fault.Message(fault.AccessDenied,
			"Access denied for user '%s'@'%s': the password was changed, or the user dropped, since this connection signed in: connect again",
			s.login.User, s.login.Host)
		s.engine.options.Kill(s.login.ConnectionID, false)
	}
	if rights != s.rights || now.Sub(s.rightsAt) >= rightsAge || now.Before(s.rightsAt) {
		s.rights, s.rightsAt = rights, now
		if s.allowed == nil {
			s.allowed = map[right]bool{}
		}
		clear(s.allowed)
	}
}

// ask asks for a right. While a statement is compiled, it is enough if there may be rows that the right is for: check
// decides when the statement runs.
func (s *Session) ask(p account.Privileges, database, table string, rows *rowAccess) error {
	if s.rights.Everything() || p == 0 || schemas.IsVirtual(database) && !isGuarded(database) {
		return nil
	}
	return s.demand(&need{privilege: p, Level: account.Level{Database: database, Table: table}, rows: rows})
}

// askLocks asks to keep others from writing the rows that are read: as in MySQL, that takes a right to write them.
func (s *Session) askLocks(database, table string, rows *rowAccess) error {
	if s.rights.Everything() || schemas.IsVirtual(database) {
		return nil
	}
	return s.demand(&need{privilege: account.Update, Level: account.Level{Database: database, Table: table},
		rows: rows, or: account.Delete})
}

func (s *Session) demand(n *need) error {
	if s.asking == nil {
		return s.check(n, s.parameters)
	}
	*s.asking = append(*s.asking, *n)
	if s.may(n.privilege, n.Level, true) || n.or != 0 && s.may(n.or, n.Level, true) {
		return nil
	}
	return s.refuse(n.privilege, n.Level)
}

// isGuarded reports whether reading a virtual database takes a right: the others show what the reader may see.
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
	if s.rights.Everything() {
		return nil
	}
	for _, one := range []account.Privileges{n.privilege, n.or} {
		if one != 0 && s.holds(one, n, parameters) {
			s.tellAllowed(one, n.Level)
			return nil
		}
	}
	return s.refuse(n.privilege, n.Level)
}

// holds reports whether the user has a privilege on what a need is about.
func (s *Session) holds(p account.Privileges, n *need, parameters []datum.Datum) bool {
	allowed := s.may(p, n.Level, false)
	if !allowed && n.rows != nil {
		values := n.rows.values(parameters)
		allowed = s.decide(p, n.Level, &permission.Request{Values: values.of, Unknown: values.unknown})
	}
	return allowed
}

// tellAllowed tells the allowed part.
func (s *Session) tellAllowed(p account.Privileges, at account.Level) {
	if s.rights.Observed() {
		s.rights.Tell(request(p, at), true)
	}
}

// may decides by what is known of the level alone: whatever rows a statement is about, or, if lenient, for some of
// them.
func (s *Session) may(p account.Privileges, at account.Level, lenient bool) bool {
	if database.IsTemporary(at.Database) {
		return true // resolve finds the session's own alone
	}
	key := right{p, at, lenient}
	allowed, known := s.allowed[key]
	if !known {
		if len(s.allowed) >= rightsMax {
			clear(s.allowed)
		}
		allowed = s.decide(p, at, &permission.Request{Unknown: isOfRows, Lenient: lenient})
		s.allowed[key] = allowed
	}
	return allowed
}

// isOfRows reports whether a condition key is about rows and columns.
func isOfRows(key string) bool {
	switch key {
	case "dynamodb:leadingkeys", "dynamodb:attributes", "dynamodb:select", "dynamodb:fulltablescan":
		return true
	}
	return false
}

// request returns the request for a privilege at a level.
func request(p account.Privileges, at account.Level) *permission.Request {
	r := &permission.Request{Action: p.Action(), Resource: "*"}
	switch {
	case at.Table != "":
		r.Resource = account.TableResource(at.Database, at.Table)
	case at.Database != "":
		r.Resource = account.DatabaseResource(at.Database)
	}
	return r
}

// decide asks the policies of the user and of the table, with what else is known of the request. Who may do what ALTER
// does may do what INDEX does, unless that is denied: UpdateTable does both.
func (s *Session) decide(p account.Privileges, at account.Level, known *permission.Request) bool {
	r := s.requestOn(p.Action(), at)
	r.Values, r.Unknown, r.Lenient = known.Values, known.Unknown, known.Lenient
	effect := s.rights.Decide(r)
	if p == account.Index {
		r.Action = account.Alter.Action()
		effect = max(effect, s.rights.Decide(r))
	}
	return effect == policy.Allow
}

// requestOn returns the request for an action at a level, with the policy and the tags of the table. A policy that is
// damaged denies everything.
func (s *Session) requestOn(action string, at account.Level) *permission.Request {
	pinned, err := s.engine.db.PinIn(at.Database, at.Table)
	if err != nil {
		r := request(0, at)
		r.Action = action
		return r
	}
	defer pinned.Release()
	of, err := s.engine.options.Guard.Table(action, pinned.Descriptor(), "")
	if err != nil {
		s.engine.options.Logger.Error("failed to read the policy of a table", "table", at.Table, "error", err)
		of.Policy = policy.DenyEverything()
	}
	return &of
}

// policyOf is the policy of a table; nil for none.
func (s *Session) policyOf(at account.Level) *policy.Policy { return s.requestOn("", at).Policy }

// refuse words the refusal as MySQL does, or only logs it where rights are tried out.
func (s *Session) refuse(p account.Privileges, at account.Level) error {
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
	return s.denial(p, at, err)
}

// denial is the error that words a denial, unless rights are only tried out.
func (s *Session) denial(p account.Privileges, at account.Level, err error) error {
	s.rights.Tell(request(p, at), false)
	if s.rights.Warns() {
		return nil
	}
	return err
}

// sees reports whether the user may know of a table, or of some table of a database: a user with any right to it may.
func (s *Session) sees(database, table string) bool {
	if s.rights.Everything() || s.rights.Warns() || schemas.IsVirtual(database) && !isGuarded(database) {
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

// seesRows reports whether the user may read all rows of a table.
func (s *Session) seesRows(database, table string) bool {
	return s.rights.Everything() || s.rights.Warns() || s.may(account.Select,
		account.Level{Database: database, Table: table}, false)
}

// seesQuery reports whether the user may know the query of a view.
func (s *Session) seesQuery(database, view string) bool {
	return s.rights.Everything() || s.rights.Warns() ||
		s.may(account.ShowView, account.Level{Database: database, Table: view}, false)
}

// decideShown reports whether a policy lets the user describe a table.
func (s *Session) decideShown(at account.Level) bool {
	return s.rights.Decide(s.requestOn("dynamodb:DescribeTable", at)) == policy.Allow
}

// tablesPage is the number of names of tables that are read at once.
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

// principalOf returns the session's principal.
func principalOf(login *result.Login) permission.Principal {
	address, _ := netip.ParseAddr(login.Host) // the zero value for a host that is no address
	return permission.Principal{User: login.User, Credential: login.Credential, Address: address,
		Agent: login.Attributes["program_name"], Secure: login.TLS,
		Request: "connection " + strconv.FormatUint(uint64(login.ConnectionID), 10)}
}
