// SPDX-License-Identifier: Apache-2.0

package tree

// ChangeUsers creates, alters or drops users or roles. What is "create user", "alter user", "drop user", "create role"
// or "drop role". Its text may have passwords: it is not to be shown or kept.
type ChangeUsers struct {
	What     string
	IfExists bool // of CREATE: IF NOT EXISTS
	Users    []User
}

// User is a user or a role, with the password that it is to have. The name "" is the session's own user.
type User struct{ Name, Password string }

// GrantLevel is the object of privileges. A table without a database is in the session's, and so is `*` by itself:
// Database is "" and All is not set.
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
