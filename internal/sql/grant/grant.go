// SPDX-License-Identifier: Apache-2.0

// Package grant reads and writes what GRANT, REVOKE and SHOW GRANTS say of privileges.
//
// Knows: the words for grantees, levels and privileges, and which grants stand for an administrator's policy.
// Never: rights to grant, the storage of users.
package grant

import (
	"slices"

	"github.com/weftdb/weft/internal/security/account"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/tree"
)

// Grantee is a user or a role as SHOW GRANTS names it.
func Grantee(name string) string { return tree.Quote(name) + "@`%`" }

// Privileges are the privileges of a GRANT. Errors: 1221 for privileges that are not for the level.
func Privileges(read *tree.Grant, at account.Level) (p account.Privileges, err error) {
	allowed := account.AllPrivileges
	if at.Database != "" {
		allowed = account.TablePrivileges
	}
	for _, name := range read.Privileges {
		one, ok := account.ParsePrivilege(name)
		switch {
		case name == "ALL":
			one = allowed
		case name == "USAGE":
		case !ok:
			return 0, fault.Message(fault.Unsupported,
				"the privilege %s is not supported: SHOW PRIVILEGES lists those that are", name)
		case one&^(allowed|account.GrantOption) != 0:
			return 0, fault.New(fault.WrongUsage, "DB GRANT", "GLOBAL PRIVILEGES")
		}
		p |= one
	}
	if read.Option {
		p |= account.GrantOption
	}
	return p, nil
}

// All are the grants of a user who may do everything.
func All() []account.Grant {
	return []account.Grant{{Privileges: account.AllPrivileges | account.GrantOption}}
}

// IsAdministrator reports whether a user or role has the predefined policy that allows everything. SHOW GRANTS shows it
// as the grants that allow the same.
func IsAdministrator(u *account.Account) bool {
	return slices.ContainsFunc(u.Policies, func(p account.NamedPolicy) bool {
		return p.Name == account.Administrator && p.Document == ""
	})
}

// Spell puts grants in the place of the policy that IsAdministrator is about, so that they can be revoked.
func Spell(u *account.Account) {
	if IsAdministrator(u) && u.DropPolicy(account.Administrator) == nil {
		u.Grants = All()
	}
}

// LevelName is a level as GRANT has it.
func LevelName(at account.Level) string {
	switch {
	case at.Database == "":
		return "*.*"
	case at.Table == "":
		return tree.Quote(at.Database) + ".*"
	}
	return tree.Quote(at.Database) + "." + tree.Quote(at.Table)
}

// Statement is the statement that grants the same.
func Statement(g account.Grant, name string) string {
	all := account.TablePrivileges
	if g.Database == "" {
		all = account.AllPrivileges
	}
	p := g.Privileges &^ account.GrantOption
	names := p.String()
	switch p {
	case all:
		names = "ALL PRIVILEGES"
	case 0:
		names = "USAGE"
	}
	statement := "GRANT " + names + " ON " + LevelName(g.Level) + " TO " + Grantee(name)
	if g.Privileges&account.GrantOption != 0 {
		statement += " WITH GRANT OPTION"
	}
	return statement
}
