// SPDX-License-Identifier: Apache-2.0

package account

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/weftdb/weft/internal/security/policy"
)

// Privileges is a set of SQL's privileges.
type Privileges uint32

// The privileges, in the order in which they are shown.
const (
	Select Privileges = 1 << iota
	Insert
	Update
	Delete
	Create
	Drop
	Alter
	Index
	References
	CreateView
	ShowView
	CreateUser
	Process
	Super
	GrantOption
	privilegesEnd
)

// AllPrivileges are the privileges of ALL at the global level, and TablePrivileges at that of a database or a table:
// GRANT OPTION is never part of it.
const (
	AllPrivileges    = GrantOption - 1
	TablePrivileges  = CreateUser - 1
	serverPrivileges = CreateUser | Process | Super
)

// privilege is a row of the table of privileges.
type privilege struct {
	bit  Privileges
	name string
	// actions are the actions that the privilege allows. SQL's statements need the first.
	actions []string
}

const (
	listTables = "dynamodb:ListTables" // judged on no single table
	// BatchWrite is the action that INSERT and DELETE together allow.
	BatchWrite = "dynamodb:BatchWriteItem"
)

// privileges is SQL's side of the table of actions. // immutable
var privileges = [...]privilege{
	{Select, "SELECT", []string{"dynamodb:PartiQLSelect", "dynamodb:GetItem", "dynamodb:BatchGetItem", "dynamodb:Query",
		"dynamodb:Scan",
		"dynamodb:ConditionCheckItem", "dynamodb:SearchVectors", "dynamodb:DescribeTable",
		"dynamodb:DescribeTimeToLive", "dynamodb:ListTagsOfResource",
		listTables}},
	{Insert, "INSERT", []string{"dynamodb:PartiQLInsert", "dynamodb:PutItem"}},
	{Update, "UPDATE", []string{"dynamodb:PartiQLUpdate", "dynamodb:UpdateItem"}},
	{Delete, "DELETE", []string{"dynamodb:PartiQLDelete", "dynamodb:DeleteItem"}},
	{Create, "CREATE", []string{"dynamodb:CreateTable"}},
	{Drop, "DROP", []string{"dynamodb:DeleteTable"}},
	{Alter, "ALTER", []string{"dynamodb:UpdateTable", "dynamodb:UpdateTimeToLive", "dynamodb:TagResource",
		"dynamodb:UntagResource"}},
	{Index, "INDEX", []string{"weft:ChangeIndex"}},
	{References, "REFERENCES", []string{"weft:References"}},
	{CreateView, "CREATE VIEW", []string{"weft:CreateView"}},
	{ShowView, "SHOW VIEW", []string{"weft:ShowView"}},
	{CreateUser, "CREATE USER", []string{"weft:ManageUsers"}},
	{Process, "PROCESS", []string{"weft:ShowProcesses"}},
	{Super, "SUPER", []string{"weft:ManageServer"}},
	{GrantOption, "GRANT OPTION", []string{"weft:Grant"}},
}

// Action is the action of a statement that needs one privilege.
func (p Privileges) Action() string {
	for i := range privileges {
		if privileges[i].bit == p {
			return privileges[i].actions[0]
		}
	}
	return ""
}

// Actions are all actions that one privilege allows at a level. Lists of tables are about all of them.
func (p Privileges) Actions(at Level) (list []string) {
	for i := range privileges {
		if privileges[i].bit == p {
			list = privileges[i].actions
		}
	}
	return slices.DeleteFunc(slices.Clone(list),
		func(action string) bool { return action == listTables && at.Database != "" })
}

// Writes reports whether one privilege is for changing rows.
func (p Privileges) Writes() bool { return p&(Insert|Update|Delete) != 0 }

// Each yields the privileges of a set one by one.
func (p Privileges) Each(yield func(one Privileges) bool) {
	for one := Privileges(1); one < privilegesEnd; one <<= 1 {
		if p&one != 0 && !yield(one) {
			return
		}
	}
}

// Names lists the names of a set's privileges.
func (p Privileges) Names() (names []string) {
	for i := range privileges {
		if p&privileges[i].bit != 0 {
			names = append(names, privileges[i].name)
		}
	}
	return names
}

// String is the names with commas between them.
func (p Privileges) String() string { return strings.Join(p.Names(), ", ") }

// ParsePrivilege finds a privilege by its name in upper case; ok is false if there is none.
func ParsePrivilege(name string) (p Privileges, ok bool) {
	for i := range privileges {
		if privileges[i].name == name {
			return privileges[i].bit, true
		}
	}
	return 0, false
}

// MarshalText is for records: names mean the same whatever privileges there will be.
func (p Privileges) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalText reads what MarshalText wrote. A name that is not known is of a later version.
func (p *Privileges) UnmarshalText(text []byte) error {
	*p = 0
	for name := range strings.SplitSeq(string(text), ", ") {
		one, ok := ParsePrivilege(name)
		if !ok {
			return fmt.Errorf("account: the privilege %.40q is not known to this version", name)
		}
		*p |= one
	}
	return nil
}

// Level is the object of privileges: everything, all tables of a database, or one table.
type Level struct {
	Database string `json:"database,omitempty"` // "": everything
	Table    string `json:"table,omitempty"`    // "": all of the database
}

// covers reports whether what is granted at a level holds at another one.
func (l Level) covers(other Level) bool {
	return l.Database == "" || l.Database == other.Database && (l.Table == "" || l.Table == other.Table)
}

// Grant holds the privileges of a user or a role at a level.
type Grant struct {
	Level
	Privileges Privileges `json:"privileges"`
}

// GrantedRole is a role that was granted.
type GrantedRole struct {
	Name string `json:"name"`
	AtMS int64  `json:"atMS"` // Unix milliseconds: a later role of that name is another one
}

// grantsMax and rolesMax bound what an account holds, and with it what a decision costs.
const (
	grantsMax = 1000
	rolesMax  = 100
)

// Errors of grants.
var (
	ErrTooManyGrants = fmt.Errorf("account: a user or role may have grants on %d databases and tables, and a user %d roles: grant on whole databases", grantsMax, rolesMax)
	ErrNoGrant       = errors.New("account: there is no such grant")
)

// CreateRole makes a role: a name that holds grants, and signs in nowhere. Errors: ErrExists, ErrName, ErrSimilar,
// those of the store.
func (a *Accounts) CreateRole(ctx context.Context, name string) error {
	if _, err := a.unlike(ctx, name); err != nil {
		return err
	}
	return a.edit(ctx, name, func(old *Account) (*Account, error) {
		if old != nil {
			return nil, ErrExists
		}
		return &Account{Name: name, IsRole: true, CreatedAtMS: a.now().UnixMilli()}, nil
	})
}

// Change edits the record of a user or a role that is there. Errors: ErrNotFound, that of edit, those of the store.
func (a *Accounts) Change(ctx context.Context, name string, edit func(*Account) error) error {
	return a.edit(ctx, name, func(old *Account) (*Account, error) {
		if old == nil {
			return nil, ErrNotFound
		}
		return old, edit(old)
	})
}

// Grant adds privileges at a level. Errors: ErrTooManyGrants.
func (u *Account) Grant(at Level, p Privileges) error {
	if i := u.grantAt(at); i >= 0 {
		u.Grants[i].Privileges |= p
		return nil
	}
	if len(u.Grants) >= grantsMax {
		return ErrTooManyGrants
	}
	if p != 0 {
		u.Grants = append(u.Grants, Grant{at, p})
	}
	return nil
}

// Revoke takes privileges away that were granted at this very level. Errors: ErrNoGrant if none were.
func (u *Account) Revoke(at Level, p Privileges) error {
	i := u.grantAt(at)
	if i < 0 {
		if at.Database == "" { // everybody has USAGE there
			return nil
		}
		return ErrNoGrant
	}
	if u.Grants[i].Privileges &^= p; u.Grants[i].Privileges == 0 {
		u.Grants = slices.Delete(u.Grants, i, i+1)
	}
	return nil
}

func (u *Account) grantAt(at Level) int {
	return slices.IndexFunc(u.Grants, func(g Grant) bool { return g.Level == at })
}

// GrantRole gives a user a role. Errors: ErrTooManyGrants.
func (u *Account) GrantRole(role string, atMS int64) error {
	u.Roles = slices.DeleteFunc(u.Roles, func(r GrantedRole) bool { return r.Name == role })
	if len(u.Roles) >= rolesMax {
		return ErrTooManyGrants
	}
	u.Roles = append(u.Roles, GrantedRole{role, atMS})
	return nil
}

// RevokeRole takes a role away. Errors: ErrNoGrant.
func (u *Account) RevokeRole(role string) error {
	before := len(u.Roles)
	if u.Roles = slices.DeleteFunc(u.Roles,
		func(r GrantedRole) bool { return r.Name == role }); len(u.Roles) == before {
		return ErrNoGrant
	}
	return nil
}

// RolesOf reads the roles of a user, all of which are active. A role that was dropped is none, even if there is one of
// its name again.
func (a *Accounts) RolesOf(ctx context.Context, user *Account) (roles []Account, err error) {
	for _, granted := range user.Roles {
		role, ok, err := a.Get(ctx, granted.Name)
		if err != nil {
			return nil, err
		}
		if ok && role.IsRole && role.CreatedAtMS <= granted.AtMS {
			roles = append(roles, role)
		}
	}
	return roles, nil
}

// GrantPolicies compiles grants, those of a user and of its roles together, to policies that allow the same.
func GrantPolicies(grants []Grant) (policies []*policy.Policy, err error) {
	for _, g := range grants {
		p := g.Privileges
		for _, other := range grants {
			if other.covers(g.Level) {
				p |= other.Privileges
			}
		}
		text, err := json.Marshal(map[string]any{"Version": "2012-10-17", "Statement": p.statements(g.resources())})
		if err != nil {
			return nil, err
		}
		one, err := policy.Parse(text, policy.Identity)
		if err != nil {
			return nil, err
		}
		policies = append(policies, one)
	}
	return policies, nil
}

// statement is a statement in the form that policy.Parse reads.
type statement struct {
	Effect    string
	Action    []string
	Resource  []string
	Condition map[string]map[string]string `json:",omitempty"`
}

// statements returns the policy of a set of privileges. A write may return the old item only to users who may read it,
// and a batch may delete, so that it takes both privileges.
func (p Privileges) statements(resources []string) (list []statement) {
	allow := func(condition map[string]map[string]string, actions ...string) {
		list = append(list, statement{"Allow", actions, resources, condition})
	}
	for i := range privileges {
		one := &privileges[i]
		switch {
		case p&one.bit == 0:
		case one.bit.Writes() && p&Select == 0:
			allow(map[string]map[string]string{"StringEqualsIfExists": {"dynamodb:ReturnValues": "NONE"}},
				one.actions...)
		default:
			allow(nil, one.actions...)
		}
	}
	if p&(Insert|Delete) == Insert|Delete {
		allow(nil, BatchWrite)
	}
	return list
}

// resources are the patterns that a level covers, in all regions and accounts.
func (l Level) resources() []string {
	list := l.Resources()
	for i := range list {
		if l.Database != "" {
			list[i] = ResourcePrefix + "*:*:" + list[i]
		}
	}
	return list
}

// Resources are the patterns that a level covers, as the last parts of ARNs. Tables of the default database are
// DynamoDB's; those of others have the database in their names.
func (l Level) Resources() []string {
	if l.Database == "" {
		return []string{"*"}
	}
	database := policy.Escape(l.Database)
	if l.Table == "" {
		return []string{TableResource(database, "*"), DatabaseResource(database)}
	}
	table := TableResource(database, policy.Escape(l.Table))
	return []string{table, table + "/*"}
}

// ResourcePrefix begins the ARN of a table; the region and the account follow.
const ResourcePrefix = "arn:aws:dynamodb:"

// TableResource is the last part of a table's ARN. DynamoDB's API has the tables of the default database.
func TableResource(database, table string) string {
	if database == "default" {
		return "table/" + table
	}
	return DatabaseResource(database) + "/table/" + table
}

// DatabaseResource is the last part of a database's ARN.
func DatabaseResource(database string) string { return "database/" + database }
