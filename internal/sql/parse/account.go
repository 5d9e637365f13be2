// SPDX-License-Identifier: Apache-2.0

package parse

import (
	"strings"

	"github.com/weftdb/weft/internal/sql/parse/token"
	"github.com/weftdb/weft/internal/sql/tree"
)

// changeUsers reads CREATE, ALTER and DROP USER and ROLE behind the verb.
func (p *parser) changeUsers(verb string) tree.Statement {
	s := &tree.ChangeUsers{What: verb + " " + p.AcceptAny("user", "role")}
	if verb == "create" {
		s.IfExists = p.ifNotExists()
	} else {
		s.IfExists = p.ifExists()
	}
	for {
		u := tree.User{Name: p.user()}
		if u.Name == "" && s.What != "alter user" {
			p.Expected("a name")
		}
		if s.What == "create user" || s.What == "alter user" {
			u.Password = p.password()
		}
		s.Users = append(s.Users, u)
		if !p.More() {
			break
		}
	}
	if p.Accept("require") && !p.Accept("none") {
		p.Refuse("REQUIRE is not supported: the server's settings say whether clients must use TLS")
	}
	p.accountOptions()
	return s
}

// accountOptions refuses what else MySQL says of users.
func (p *parser) accountOptions() {
	switch p.At.Word {
	case "with", "account", "password", "default", "comment", "attribute", "failed_login_attempts":
		p.Refuse(strings.ToUpper(p.At.Word) +
			" is not supported for a user: a user has a name, a password, roles and grants")
	}
}

// user reads the name of a user or a role; "" is the session's own user.
func (p *parser) user() string {
	if word := p.At.Word; word == "current_user" || word == "user" && p.Peek().Word == "(" {
		p.Advance()
		if p.Accept("(") {
			p.Expect(")")
		}
		return ""
	}
	name := ""
	if p.At.Kind == token.Text {
		name = p.Text("a user's name")
	} else {
		name = p.AnyName("a user's name")
	}
	if name == "" {
		p.Refuse("a user needs a name: there are no anonymous users")
	}
	if p.At.Kind == token.Variable {
		if host := strings.Trim(p.SourceOf(p.At)[1:], "'\"`"); host != "%" {
			p.Refuse("a user signs in from anywhere: use '%' as the host, or none")
		}
		p.Advance()
	}
	return name
}

// password reads IDENTIFIED [WITH plugin] BY 'password'.
func (p *parser) password() string {
	if !p.Accept("identified") {
		p.Refuse("a user needs a password: use IDENTIFIED BY 'password'")
	}
	if p.Accept("with") {
		switch plugin := p.Word("a plugin's name"); strings.ToLower(plugin) {
		case "mysql_native_password", "caching_sha2_password":
		default:
			p.Refuse("the plugins mysql_native_password and caching_sha2_password are supported; a password serves for both")
		}
	}
	if p.Is("as") {
		p.Refuse("IDENTIFIED .. AS is not supported: give the password by BY")
	}
	p.Expect("by")
	if p.Is("password") || p.Is("random") {
		p.Refuse("IDENTIFIED BY needs the password itself, in quotes")
	}
	password := p.Text("a password in quotes")
	if p.Is("replace") || p.Is("retain") {
		p.Refuse(strings.ToUpper(p.At.Word) + " is not supported for a user")
	}
	return password
}

// setPassword reads SET PASSWORD [FOR user] = 'password' behind SET.
func (p *parser) setPassword() tree.Statement {
	p.Expect("password")
	u := tree.User{}
	if p.Accept("for") {
		u.Name = p.user()
	}
	if p.AcceptAny("=", ":=", "to") == "" {
		p.Expected("=")
	}
	if p.Is("random") {
		p.Refuse("SET PASSWORD TO RANDOM is not supported: give a password in quotes")
	}
	call := p.Accept("password")
	if call {
		p.Expect("(")
	}
	if u.Password = p.Text("a password in quotes"); call {
		p.Expect(")")
	}
	return &tree.ChangeUsers{What: "alter user", Users: []tree.User{u}}
}

// setRole reads SET [DEFAULT] ROLE behind SET.
func (p *parser) setRole() tree.Statement {
	isDefault := p.Accept("default")
	p.Expect("role")
	s := &tree.SetRole{}
	switch word := p.AcceptAny("all", "none", "default"); {
	case word != "":
		s.Which = strings.ToUpper(word)
	default:
		s.Roles = p.users()
	}
	if isDefault {
		p.Expect("to")
		s.Users = p.users()
	}
	return s
}

func (p *parser) users() []string {
	return listed(p, nil, p.user)
}

// grant reads GRANT and REVOKE.
func (p *parser) grant() tree.Statement {
	s := &tree.Grant{Revoke: p.AcceptAny("grant", "revoke") == "revoke"}
	s.IfExists = s.Revoke && p.ifExists()
	names, privileges := p.grantList()
	if !p.Is("on") {
		s.Roles = names
	} else {
		p.Advance()
		s.Privileges, s.On = privileges, p.grantLevel()
	}
	if s.Everywhere = s.Revoke && strings.Join(privileges, ",") == "ALL,GRANT OPTION" && s.Roles != nil; s.Everywhere {
		s.Roles = nil
	}
	p.Expect([]string{"to", "from"}[map[bool]int{true: 1}[s.Revoke]])
	s.Users = p.users()
	if p.Is("identified") {
		p.Refuse("GRANT makes no users and sets no passwords: use CREATE USER or ALTER USER")
	}
	if !s.Revoke && p.Accept("with") {
		if p.Is("admin") {
			p.Refuse("WITH ADMIN OPTION is not supported: users with CREATE USER may grant roles")
		}
		p.Expect("grant", "option")
		if s.Option = true; s.Roles != nil {
			p.Expected("the end of the statement")
		}
	}
	return s
}

// privilegeWords are the privileges that have more than one word, and those that this server has nothing for. //
// immutable
var privilegeWords = [...][]string{
	{"all", "privileges"}, {"grant", "option"}, {"create", "view"}, {"show", "view"}, {"create", "user"},
	{"create", "temporary", "tables"},
	{"create", "routine"}, {"create", "role"}, {"create", "tablespace"}, {"alter", "routine"}, {"drop", "role"},
	{"lock", "tables"}, {"show", "databases"},
	{"replication", "client"}, {"replication", "slave"},
}

// grantList reads what stands between GRANT and ON or TO: as names of roles, and as privileges in upper case.
func (p *parser) grantList() (names, privileges []string) {
	for {
		privilege := ""
		for _, words := range privilegeWords {
			if privilege == "" && p.Is(words[0]) && p.Accepts(words...) {
				privilege = strings.ToUpper(strings.Join(words, " "))
			}
		}
		name := strings.ToLower(privilege)
		if privilege == "" {
			name = p.user()
			privilege = strings.ToUpper(name)
		}
		if p.Is("(") {
			p.Refuse("privileges on columns are not supported: grant on the table, or attach a policy with the condition key dynamodb:Attributes")
		}
		names, privileges = append(names, name), append(privileges, strings.TrimSuffix(privilege, " PRIVILEGES"))
		if !p.More() {
			return names, privileges
		}
	}
}

// grantLevel reads what privileges are about.
func (p *parser) grantLevel() (l tree.GrantLevel) {
	if p.AcceptAny("procedure", "function") != "" {
		p.Refuse("there are no procedures and functions to grant privileges on")
	}
	if next := p.Peek(); p.Is("table") && next.Word != "." {
		p.Advance()
	}
	if p.Accept("*") {
		if p.Accept(".") {
			p.Expect("*")
			l.All = true
		}
		return l
	}
	if l.Table = p.AnyName("a database or a table"); !p.Accept(".") {
		return l
	}
	l.Database, l.Table = strings.NewReplacer(`\_`, "_", `\%`, "%").Replace(l.Table), ""
	if strings.ContainsAny(l.Database, `%\`) {
		p.Refuse("patterns of databases are not supported: name the database")
	}
	if !p.Accept("*") {
		l.Table = p.AnyName("a table")
	}
	return l
}
