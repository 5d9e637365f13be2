// SPDX-License-Identifier: Apache-2.0

package sql

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/weftdb/weft/internal/security/account"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/grant"
	"github.com/weftdb/weft/internal/sql/parse/token"
	"github.com/weftdb/weft/internal/sql/result"
	"github.com/weftdb/weft/internal/sql/schemas"
	"github.com/weftdb/weft/internal/sql/tree"
)

// accounts are the users and roles of the database.
func (s *Session) accounts() *account.Accounts { return s.engine.db.Accounts() }

// nameOr is a user of a statement; "" is the session's own.
func (s *Session) nameOr(user string) string { return cmp.Or(user, s.login.User) }

// changeUsers runs CREATE, ALTER and DROP USER and ROLE. Users that are not there, or there already, are reported when
// the others are done, as in MySQL.
func (s *Session) changeUsers(ctx context.Context, read *tree.ChangeUsers, c *call) error {
	for i := range read.Users {
		if err := s.askUser(ctx, read.What, s.nameOr(read.Users[i].Name)); err != nil {
			return err
		}
	}
	var failed []string
	for i := range read.Users {
		u := &read.Users[i]
		name := s.nameOr(u.Name)
		switch err := s.changeUser(ctx, read.What, name, u.Password); {
		case err == nil && read.What == "create user":
			s.noteAdministrator(ctx, name)
		case err == nil && name == s.login.User && s.principal.Credential != "": // this connection goes on
			u, _, err := s.accounts().Get(ctx, name)
			if err != nil {
				return err
			}
			s.principal.Credential = u.Credential()
		case err == nil:
		case !errors.Is(err, account.ErrExists) && !errors.Is(err, account.ErrNotFound):
			return wordAccount(err)
		case read.IfExists && errors.Is(err, account.ErrExists):
			s.note(fault.UserExists, fault.New(fault.UserExists, quoteUser(name)).Message)
		case read.IfExists:
			s.note(fault.UserMissing, fault.New(fault.UserMissing, quoteUser(name)).Message)
		default:
			failed = append(failed, quoteUser(name))
		}
	}
	if failed != nil {
		return fault.New(fault.NoSuchUser, strings.ToUpper(read.What), strings.Join(failed, ","))
	}
	return c.sink.Done(result.Done{})
}

// askUser asks to create, change or drop a user or a role. Everybody may change their own password. Only
// administrators may change or drop a user with more rights than the session's.
func (s *Session) askUser(ctx context.Context, what, name string) error {
	words := strings.Fields(what)
	// as weft:AlterUser
	action := "weft:" + strings.ToUpper(words[0][:1]) + words[0][1:] + strings.ToUpper(words[1][:1]) + words[1][1:]
	own := what == "alter user" && name == s.login.User
	switch outranked, err := s.isOutranked(ctx, name); {
	case own:
	case !s.rights.Everything() && !s.may(account.CreateUser, account.Level{}, false):
		return s.refuseUsers(action, []string{name}, "", fault.New(fault.Privilege, account.CreateUser.String()))
	case err != nil:
		return err
	case outranked:
		return s.refuseUsers(action, []string{name}, "", fault.New(fault.Privilege, account.Super.String()))
	}
	s.rights.TellOfUser(action, name, "", true)
	return nil
}

// isOutranked reports whether a user or role, if there is one, may do what the session's user may not give to others.
func (s *Session) isOutranked(ctx context.Context, name string) (bool, error) {
	u, ok, err := s.accounts().Get(ctx, name)
	if err != nil || !ok {
		return false, err
	}
	roles, err := s.accounts().RolesOf(ctx, &u)
	return s.rights.Outranks(&u, roles, s.lacks), err
}

// lacks returns a privilege of a set that the session's user may not give to others at a level, also because of the
// policy of a table there; 0: none.
func (s *Session) lacks(set account.Privileges, at account.Level) (one account.Privileges) {
	if at.Table != "" || s.rights.Everything() {
		return s.rights.Lacks(set, at, s.policyOf(at))
	}
	if one = s.rights.Lacks(set, at, nil); one != 0 ||
		s.rights.IsAdministrator() { // who may change the policies of tables, too
		return one
	}
	databases := []string{at.Database}
	if at.Database == "" {
		databases = s.engine.db.Databases()
	}
	for _, database := range databases {
		s.engine.relations(database, func(name string) bool {
			below := account.Level{Database: database, Table: name}
			if of := s.policyOf(below); one == 0 && of != nil {
				one = s.rights.Lacks(set&account.TablePrivileges, below, of)
			}
			return one == 0
		})
	}
	return one
}

// refuseUsers tells that a change of users or roles is denied, and returns why, unless rights are only tried out.
func (s *Session) refuseUsers(action string, names []string, detail string, why error) error {
	for _, name := range names {
		s.rights.TellOfUser(action, s.nameOr(name), detail, false)
	}
	switch {
	case s.rights.Warns():
		return nil
	case s.rightsErr != nil:
		return s.rightsErr
	}
	return why
}

// noteAdministrator tells that the first user of a database may do everything.
func (s *Session) noteAdministrator(ctx context.Context, name string) {
	if u, ok, err := s.accounts().Get(ctx, name); err == nil && ok && grant.IsAdministrator(&u) {
		s.note(fault.Refused, name+" is the first user and has all rights: make another administrator, then REVOKE ALL ON *.* FROM "+name+" takes that away")
	}
}

func (s *Session) changeUser(ctx context.Context, what, name, password string) error {
	users := s.accounts()
	switch what {
	case "create user":
		return users.Add(ctx, name, password)
	case "alter user":
		return users.SetPassword(ctx, name, password)
	case "drop user":
		return users.Drop(ctx, name)
	case "create role":
		return users.CreateRole(ctx, name)
	}
	return users.DropRole(ctx, name)
}

// quoteUser is a user as messages name it.
func quoteUser(name string) string { return "'" + name + "'@'%'" }

// wordAccount words an error of accounts that clients see.
func wordAccount(err error) error {
	for _, known := range []error{account.ErrName, account.ErrSimilar, account.ErrPassword, account.ErrTooManyGrants} {
		if errors.Is(err, known) {
			return fault.Message(fault.Refused, "%s", strings.TrimPrefix(known.Error(), "account: "))
		}
	}
	return err
}

// grant runs GRANT and REVOKE.
func (s *Session) grant(ctx context.Context, read *tree.Grant, c *call) error {
	change, detail, why, err := s.grantChange(ctx, read)
	action := "weft:Grant"
	if read.Revoke {
		action = "weft:Revoke"
	}
	if err == nil && why != nil {
		err = s.refuseUsers(action, read.Users, detail, why)
	}
	if err != nil {
		return err
	}
	for _, user := range read.Users {
		s.rights.TellOfUser(action, s.nameOr(user), detail, true)
	}
	for _, user := range read.Users {
		name := s.nameOr(user)
		err := s.accounts().Change(ctx, name, func(u *account.Account) error { return change(u) })
		if errors.Is(err, account.ErrNotFound) && !read.Revoke {
			return fault.New(fault.GrantToNobody)
		}
		if errors.Is(err, account.ErrNotFound) {
			err = fault.New(fault.NoSuchGrant, name)
		}
		if _, told := fault.Of(err); told && read.IfExists {
			s.note(fault.NoSuchGrant, err.Error())
			continue
		}
		if err != nil {
			return wordAccount(err)
		}
	}
	return c.sink.Done(result.Done{})
}

// grantChange returns the change that a GRANT or REVOKE makes to each user, and what it is about. why says that the
// session's user may not do it.
func (s *Session) grantChange(ctx context.Context, read *tree.Grant) (change func(*account.Account) error,
	detail string, why, err error) {
	switch {
	case read.Everywhere:
		why, err = s.refusesRevoke(ctx, read.Users)
		return func(u *account.Account) error {
			grant.Spell(u)
			u.Grants = nil
			return nil
		}, "everything", why, err
	case len(read.Roles) > 0:
		change, why, err = s.grantingRoles(ctx, read)
		return change, "roles " + strings.Join(read.Roles, ", "), why, err
	}
	at, err := s.levelOf(&read.On)
	if err != nil {
		return nil, "", nil, err
	}
	p, err := grant.Privileges(read, at)
	if err != nil {
		return nil, "", nil, err
	}
	detail, why = p.String()+" on "+grant.LevelName(at), s.refusesGrant(p, at)
	if read.Revoke {
		return func(u *account.Account) error {
			if at.Database == "" {
				grant.Spell(u)
			}
			return noSuchGrant(u.Revoke(at, p), u.Name, at)
		}, detail, why, nil
	}
	if why == nil || s.rights.Warns() {
		err = s.checkGranted(p, at)
	}
	return func(u *account.Account) error { return u.Grant(at, p) }, detail, why, err
}

// refusesRevoke says why the session's user may not take all rights from users.
func (s *Session) refusesRevoke(ctx context.Context, users []string) (why, err error) {
	if !s.rights.Everything() && !s.may(account.CreateUser, account.Level{}, false) {
		return fault.New(fault.Privilege, account.CreateUser.String()), nil
	}
	for _, name := range users {
		if outranked, err := s.isOutranked(ctx, s.nameOr(name)); err != nil || outranked {
			return fault.New(fault.Privilege, account.Super.String()), err
		}
	}
	return nil, nil
}

func noSuchGrant(err error, user string, at account.Level) error {
	switch {
	case !errors.Is(err, account.ErrNoGrant):
		return err
	case at.Table != "":
		return fault.New(fault.NoSuchTableGrant, user, at.Table)
	}
	return fault.New(fault.NoSuchGrant, user)
}

// levelOf is the level of a GRANT, with the database that the session is in. Errors: 1046.
func (s *Session) levelOf(l *tree.GrantLevel) (at account.Level, err error) {
	if l.All {
		return at, nil
	}
	at.Database, at.Table, err = s.base(tree.Name{Database: l.Database, Name: l.Table})
	return at, err
}

// refusesGrant says why the session's user may not grant or revoke privileges: it has them not, not all that they
// allow, or may not hand them on.
func (s *Session) refusesGrant(p account.Privileges, at account.Level) error {
	switch one := s.lacks(p|account.GrantOption, at); {
	case one == 0:
		return nil
	case at.Database == "":
		return fault.New(fault.AccessDenied, s.login.User, s.login.Host, "YES")
	case at.Table == "":
		return fault.New(fault.DatabaseDenied, s.login.User, s.login.Host, at.Database)
	}
	return fault.New(fault.TableDenied, "GRANT", s.login.User, s.login.Host, at.Table)
}

// checkGranted refuses to grant on a table that is not there, but for the privilege to create it. Errors: 1146.
func (s *Session) checkGranted(p account.Privileges, at account.Level) error {
	if at.Table == "" || p&account.Create != 0 || schemas.IsVirtual(at.Database) ||
		s.isView(tree.Name{Database: at.Database, Name: at.Table}) {
		return nil
	}
	_, pinned, err := s.tableOf(at.Database, at.Table)
	if err == nil {
		pinned.release()
	}
	return err
}

// grantingRoles returns the change that a GRANT or REVOKE of roles makes to each user. A grant of a role gives all that
// it allows, and needs the right to give that. Errors: 3523, 3530.
func (s *Session) grantingRoles(ctx context.Context, read *tree.Grant) (change func(*account.Account) error, why,
	err error) {
	if !s.rights.Everything() && !s.may(account.CreateUser, account.Level{}, false) {
		return nil, fault.New(fault.Privilege, account.CreateUser.String()), nil
	}
	for _, role := range read.Roles {
		one, ok, err := s.accounts().Get(ctx, role)
		switch {
		case err != nil:
			return nil, nil, err
		case !read.Revoke && (!ok || !one.IsRole):
			return nil, nil, fault.New(fault.NoSuchRole, grant.Grantee(role))
		case ok && s.rights.Outranks(&one, nil, func(p account.Privileges, at account.Level) account.Privileges {
			return s.lacks(p|account.GrantOption, at)
		}):
			why = fault.New(fault.Privilege, account.Super.String())
		}
	}
	now := s.engine.options.Now().UnixMilli()
	return func(u *account.Account) error {
		if u.IsRole {
			return fault.Message(fault.NotSupported, "a role can't be granted to a role: grant both to the user")
		}
		for _, role := range read.Roles {
			if !read.Revoke {
				if err := u.GrantRole(role, now); err != nil {
					return err
				}
			} else if u.RevokeRole(role) != nil {
				return fault.New(fault.RoleNotGranted, grant.Grantee(role), grant.Grantee(u.Name))
			}
		}
		return nil
	}, why, nil
}

// setRole runs SET ROLE and SET DEFAULT ROLE: all roles of a user are always active.
func (s *Session) setRole(_ context.Context, read *tree.SetRole, c *call) error {
	if read.Which != "ALL" && (read.Which != "DEFAULT" || len(read.Users) > 0) {
		return fault.Message(fault.NotSupported, "all roles of a user are always active: use REVOKE to take one away")
	}
	if slices.ContainsFunc(read.Users, func(user string) bool { return s.nameOr(user) != s.login.User }) {
		if err := s.ask(account.CreateUser, "", "", nil); err != nil {
			return err
		}
	}
	return c.sink.Done(result.Done{})
}

// showGrants answers SHOW GRANTS. Errors: 1044 for another user's, 1141.
func (s *Session) showGrants(ctx context.Context, read *tree.Show, c *call) error {
	name := s.nameOr(read.User)
	if name != s.login.User && !s.rights.Everything() && !s.may(account.CreateUser, account.Level{}, false) {
		why := fault.New(fault.DatabaseDenied, s.login.User, s.login.Host, "mysql")
		if err := s.refuseUsers("weft:ShowGrants", []string{name}, "", why); err != nil {
			return err
		}
	}
	u, ok, err := s.accounts().Get(ctx, name)
	switch {
	case err != nil:
		return err
	case !ok && name == s.login.User && s.rights.Everything(): // nobody has to sign in
		u.Grants = grant.All()
	case !ok:
		return fault.New(fault.NoSuchGrant, name)
	}
	if grant.IsAdministrator(&u) {
		u.Grants = grant.All()
	}
	var list [][]datum.Datum
	if !slices.ContainsFunc(u.Grants, func(g account.Grant) bool { return g.Database == "" }) {
		list = append(list, []datum.Datum{text("GRANT USAGE ON *.* TO " + grant.Grantee(name))})
	}
	for _, g := range u.Grants {
		list = append(list, []datum.Datum{text(grant.Statement(g, name))})
	}
	roles, err := s.accounts().RolesOf(ctx, &u)
	if err != nil {
		return err
	}
	for i := range roles {
		list = append(list, []datum.Datum{text("GRANT " + grant.Grantee(roles[i].Name) + " TO " + grant.Grantee(name))})
	}
	return rows(c, texts("Grants for "+name+"@%"), list)
}

// showPrivileges answers SHOW PRIVILEGES.
func (s *Session) showPrivileges(_ *tree.Show, c *call) error {
	var list [][]datum.Datum
	for one := range (account.AllPrivileges | account.GrantOption).Each {
		where := "Databases,Tables"
		if one&(account.TablePrivileges|account.GrantOption) == 0 {
			where = "Server Admin"
		}
		list = append(list, []datum.Datum{text(one.String()), text(where), text("Allows " + one.Action())})
	}
	return rows(c, texts("Privilege", "Context", "Comment"), list)
}

// privileges visits the privileges that the session's user may know of: its own and those of its roles, or all.
func (s *Session) privileges(ctx context.Context, visit func(schemas.Privilege) error) error {
	list, err := s.knownAccounts(ctx)
	for i := range list {
		u := &list[i]
		grants := u.Grants
		if grant.IsAdministrator(u) {
			grants = grant.All()
		}
		if !slices.ContainsFunc(grants, func(g account.Grant) bool { return g.Database == "" }) {
			err = errors.Join(err, visit(schemas.Privilege{Grantee: u.Name, Name: "USAGE"}))
		}
		for _, g := range grants {
			for _, name := range (g.Privileges &^ account.GrantOption).Names() {
				if err == nil {
					err = visit(schemas.Privilege{Grantee: u.Name, Database: g.Database, Table: g.Table, Name: name,
						Grantable: g.Privileges&account.GrantOption != 0})
				}
			}
		}
	}
	return err
}

func (s *Session) knownAccounts(ctx context.Context) ([]account.Account, error) {
	if s.rights.Everything() || s.may(account.CreateUser, account.Level{}, false) {
		list, err := s.accounts().List(ctx)
		// nobody has to sign in
		if s.rights.Everything() && !slices.ContainsFunc(list,
			func(u account.Account) bool { return u.Name == s.login.User }) {
			list = append(list, account.Account{Name: s.login.User, Grants: grant.All()})
		}
		return list, err
	}
	u, ok, err := s.accounts().Get(ctx, s.login.User)
	if err != nil || !ok {
		return nil, err
	}
	roles, err := s.accounts().RolesOf(ctx, &u)
	return append([]account.Account{u}, roles...), err
}

// Roles returns the value of CURRENT_ROLE(): all roles of the user.
func (s *Session) Roles() string {
	u, _, err := s.accounts().Get(s.running, s.login.User)
	roles, rolesErr := s.accounts().RolesOf(s.running, &u)
	if err != nil || rolesErr != nil || len(roles) == 0 {
		return "NONE"
	}
	names := make([]string, len(roles))
	for i := range roles {
		names[i] = grant.Grantee(roles[i].Name)
	}
	return strings.Join(names, ",")
}

// seesProcess reports whether the user may see a connection: other users' need PROCESS.
func (s *Session) seesProcess(p *result.Process) bool {
	return s.rights.Everything() || s.rights.Warns() || p.User == s.login.User ||
		s.may(account.Process, account.Level{}, false)
}

// askKill refuses to end what others run. Errors: 1095.
func (s *Session) askKill(id int64) error {
	if s.rights.Everything() || s.may(account.Super, account.Level{}, false) {
		return nil
	}
	if s.engine.options.Processes != nil {
		for _, p := range s.engine.options.Processes() {
			if int64(p.ID) == id && p.User == s.login.User {
				return nil
			}
		}
	}
	return s.denial(account.Super, account.Level{}, fault.New(fault.NotYourThread, id))
}

// Show returns the part of a statement that others may see, without the password that it may hold.
func Show(statement string) string { return string(token.Show([]byte(statement))) }
