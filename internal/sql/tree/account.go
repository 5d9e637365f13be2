// SPDX-License-Identifier: Apache-2.0

package tree

import "strings"

// ChangeUsers creates, alters or drops users or roles. What is "create user", "alter user", "drop user", "create role" or "drop role". Its text may have
// passwords: it is not to be shown or kept.
type ChangeUsers struct {
	What     string
	IfExists bool // of CREATE: IF NOT EXISTS
	Users    []User
}

// User is a user or a role, with the password that it is to have. The name "" is the session's own user.
type User struct{ Name, Password string }

// GrantLevel is the object of privileges. A table without a database is in the session's, and so is `*` by itself: Database is "" and All is not set.
type GrantLevel struct {
	All             bool // *.*
	Database, Table string
}

// Grant is GRANT and, with Revoke, REVOKE: of privileges at a level, or of roles.
type Grant struct {
	Revoke     bool
	IfExists   bool     // of REVOKE
	Roles      []string // empty: privileges
	Privileges []string // in upper case, "ALL" and "USAGE" among them
	On         GrantLevel
	Everywhere bool     // REVOKE ALL PRIVILEGES, GRANT OPTION FROM users: at all levels
	Users      []string // users or roles; "" is the session's own user
	Option     bool     // WITH GRANT OPTION
}

// SetRole is SET ROLE and, of users, SET DEFAULT ROLE. Which is "ALL", "DEFAULT", "NONE", or "" for the named roles.
type SetRole struct {
	Which string
	Roles []string
	Users []string // of SET DEFAULT ROLE; empty: SET ROLE
}

func (*ChangeUsers) statement() {}
func (*Grant) statement()       {}
func (*SetRole) statement()     {}

// appendUser appends a user's name.
func appendUser(dst []byte, name string) []byte {
	if name == "" {
		return append(dst, "CURRENT_USER()"...)
	}
	return AppendText(dst, name)
}

func appendUsers(dst []byte, names []string) []byte {
	for i, name := range names {
		dst = appendUser(append(dst, ifWord("", i > 0, ", ")...), name)
	}
	return dst
}

func (x *ChangeUsers) append(dst []byte) []byte {
	dst = append(append(dst, strings.ToUpper(x.What)...), ' ')
	if x.IfExists {
		dst = append(dst, ifWord("IF ", strings.HasPrefix(x.What, "create"), "NOT ")+"EXISTS "...)
	}
	for i, u := range x.Users {
		dst = appendUser(append(dst, ifWord("", i > 0, ", ")...), u.Name)
		if strings.HasSuffix(x.What, "user") && x.What != "drop user" {
			dst = AppendText(append(dst, " IDENTIFIED BY "...), u.Password)
		}
	}
	return dst
}

func (l GrantLevel) append(dst []byte) []byte {
	switch {
	case l.All:
		return append(dst, "*.*"...)
	case l.Database != "":
		dst = append(appendQuoted(dst, l.Database), '.')
	}
	if l.Table == "" {
		return append(dst, '*')
	}
	return appendQuoted(dst, l.Table)
}

// appendPrivileges appends privileges: words, or in quotes a text that the statement has in place of one.
func appendPrivileges(dst []byte, privileges []string) []byte {
	for i, p := range privileges {
		dst = append(dst, ifWord("", i > 0, ", ")...)
		if strings.Trim(p, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_ ") == "" {
			dst = append(dst, p...)
		} else {
			dst = AppendText(dst, p)
		}
	}
	return dst
}

func (x *Grant) append(dst []byte) []byte {
	if x.Revoke {
		dst = append(dst, ifWord("REVOKE ", x.IfExists, "IF EXISTS ")...)
	} else {
		dst = append(dst, "GRANT "...)
	}
	switch {
	case x.Everywhere:
		dst = append(dst, "ALL PRIVILEGES, GRANT OPTION"...)
	case len(x.Roles) > 0:
		dst = appendUsers(dst, x.Roles)
	default:
		dst = x.On.append(append(appendPrivileges(dst, x.Privileges), " ON "...))
	}
	if x.Revoke {
		return appendUsers(append(dst, " FROM "...), x.Users)
	}
	dst = appendUsers(append(dst, " TO "...), x.Users)
	return append(dst, ifWord("", x.Option, " WITH GRANT OPTION")...)
}

func (x *SetRole) append(dst []byte) []byte {
	dst = append(append(dst, ifWord("SET ", len(x.Users) > 0, "DEFAULT ")...), "ROLE "...)
	dst = appendUsers(append(dst, x.Which...), x.Roles)
	if len(x.Users) > 0 {
		dst = appendUsers(append(dst, " TO "...), x.Users)
	}
	return dst
}
