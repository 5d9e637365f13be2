// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/weftdb/weft/cmd/weft/commandline"
	"github.com/weftdb/weft/cmd/weft/output"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/security/account"
)

// userFlags are the flags of `weft user`.
type userFlags struct {
	admin, data   string
	administrator bool
	passwordStdin bool
	json          bool // of list
}

// userRequest is one call of `weft user`, as the admin port takes it.
type userRequest struct {
	Do       string `json:"do"`             // add, list, passwd, drop, or "key" or "policy" and what to do with one
	Name     string `json:"name,omitempty"` // of a user, or the id of an access key
	Password string `json:"password,omitempty"`
	// Administrator says that a user who is added may do everything.
	Administrator bool   `json:"administrator,omitempty"`
	Policy        string `json:"policy,omitempty"`   // its name
	Document      string `json:"document,omitempty"` // of a policy that is put; "" for a predefined one
}

// userCommand is `weft user`.
func (p *program) userCommand() *cobra.Command {
	var f userFlags
	command := &cobra.Command{
		Use:   "user",
		Short: "Manage the users who may sign in",
		Long: `Add, list and drop users and change their passwords. With --auth required, MySQL clients must sign in as one of
them, and DynamoDB requests must be signed with an access key of one of them (weft user key).

By default the command talks to the admin port of a running server; --data opens a folder that no server has open. Passwords are
typed without echo, or read from standard input.`,
		Args: commandline.UnknownCommand,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	flags := command.PersistentFlags()
	flags.StringVar(&f.admin, "admin-addr", "127.0.0.1:8080", "the server's admin port, as `HOST:PORT`")
	flags.StringVar(&f.data, "data", "", "a data `FOLDER` that no server has open")
	flags.BoolVar(&f.passwordStdin, "password-stdin", false, "read the password from the first line of standard input")
	for _, sub := range []struct {
		use, short string
		args       int
	}{
		{"add NAME", "Add a user", 1}, {"list", "List all users", 0}, {"passwd NAME", "Change a user's password", 1},
		{"drop NAME", "Remove a user", 1},
	} {
		one := &cobra.Command{Use: sub.use, Short: sub.short, Args: cobra.ExactArgs(sub.args),
			RunE: func(c *cobra.Command, args []string) error {
				request := userRequest{Do: c.Name(), Administrator: f.administrator}
				if len(args) > 0 {
					request.Name = args[0]
				}
				return p.user(c.Context(), request, &f)
			}}
		if one.Name() == "list" {
			one.Flags().BoolVar(&f.json, "json", false, "print users and roles with what they may do as JSON")
		}
		if one.Name() == "add" {
			one.Flags().BoolVar(&f.administrator, "admin", false,
				"let the user do everything; the first user may in any case")
		}
		command.AddCommand(one)
	}
	command.AddCommand(p.accessKeyCommands(&f), p.policyCommands(&f), p.tokenCommands(&f))
	return command
}

// user does one command.
func (p *program) user(ctx context.Context, request userRequest, f *userFlags) (err error) {
	if f.json {
		return p.listUsers(ctx, f)
	}
	if request.Do == "add" || request.Do == "passwd" {
		if request.Password, err = p.readPassword(os.Stdin, f.passwordStdin); err != nil {
			return err
		}
	}
	if f.data == "" {
		ctx, cancel := context.WithTimeout(ctx, usersTimeout)
		defer cancel()
		return p.sendAdmin(ctx, http.MethodPost, f.admin, "/users", request)
	}
	return p.withConfiguredFolder(ctx, f.data, func(c *config, db *database.DB) error {
		answer, err := changeUsers(ctx, c, db, request)
		if err == nil {
			_, err = io.WriteString(p.stdout, answer)
		}
		return err
	})
}

// listUsers prints what GET /api/users answers.
func (p *program) listUsers(ctx context.Context, f *userFlags) error {
	var list []shownUser
	if f.data != "" {
		err := p.withConfiguredFolder(ctx, f.data, func(c *config, db *database.DB) error {
			users, err := c.accountsOf(db)
			if err == nil {
				list, err = showUsers(ctx, users)
			}
			return err
		})
		if err != nil {
			return err
		}
		return output.WriteJSON(p.stdout, list)
	}
	answer, err := p.askAdmin(ctx, http.MethodGet, f.admin, "/api/users", nil)
	if err != nil {
		return err
	}
	defer answer.Close()
	if err := json.NewDecoder(io.LimitReader(answer, adminBytesMax)).Decode(&list); err != nil {
		return fmt.Errorf("the server's answer is no list of users: %w", err)
	}
	return output.WriteJSON(p.stdout, list)
}

// readPassword asks for a password twice on a terminal; elsewhere it is the first line.
func (p *program) readPassword(in *os.File, plain bool) (string, error) {
	if plain || !term.IsTerminal(int(in.Fd())) {
		line, err := bufio.NewReader(io.LimitReader(in, 4096)).ReadString('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return "", err
		}
		return strings.TrimRight(line, "\r\n"), nil
	}
	fmt.Fprint(p.stderr, "Password: ")
	first, err := term.ReadPassword(int(in.Fd()))
	if err != nil {
		return "", err
	}
	fmt.Fprint(p.stderr, "\nAgain: ")
	second, err := term.ReadPassword(int(in.Fd()))
	fmt.Fprintln(p.stderr)
	if err == nil && !bytes.Equal(first, second) {
		err = errors.New("the two passwords differ: nothing was changed; try again")
	}
	return string(first), err
}

// changeUsers does one command on an open database, and returns what to print.
func changeUsers(ctx context.Context, c *config, db *database.DB, request userRequest) (string, error) {
	users, err := c.accountsOf(db)
	if err != nil {
		return "", err
	}
	switch request.Do {
	case "add":
		return addUser(ctx, users, request)
	case "passwd":
		return "password of " + request.Name + " changed\n", users.SetPassword(ctx, request.Name, request.Password)
	case "drop":
		return "user " + request.Name + " dropped\n", users.Drop(ctx, request.Name)
	case "list":
		all, err := users.List(ctx)
		var b strings.Builder
		for i := range all {
			if all[i].IsRole {
				continue
			}
			fmt.Fprintf(&b, "%s\t%s\n", all[i].Name, time.UnixMilli(all[i].CreatedAtMS).UTC().Format(time.RFC3339))
		}
		if b.Len() == 0 && err == nil {
			return "there are no users; add one with weft user add NAME\n", nil
		}
		return b.String(), err
	}
	if strings.HasPrefix(request.Do, "policy ") {
		return changePolicies(ctx, users, request)
	}
	if strings.HasPrefix(request.Do, "token ") {
		return changeTokens(ctx, users, request)
	}
	return changeAccessKeys(ctx, users, request)
}

// addUser adds a user. An administrator gets a token: with --auth required, the admin port takes no changes without
// one.
func addUser(ctx context.Context, users *database.Accounts, request userRequest) (string, error) {
	err := users.Add(ctx, request.Name, request.Password)
	if err == nil && request.Administrator {
		err = users.Change(ctx, request.Name,
			func(u *account.Account) error { return u.PutPolicy(account.Administrator, "") })
	}
	if err != nil {
		return "", err
	}
	u, _, err := users.Get(ctx, request.Name)
	if err != nil || len(u.Policies) == 0 {
		return "user " + request.Name + " added without any right: grant rights with weft user policy put, or GRANT in SQL\n", err
	}
	token, err := users.CreateToken(ctx, request.Name)
	return "user " + request.Name + " added with all rights\n" + adminTokenVariable + "=" + token + "\n", err
}

// usersTimeout is the time a server may take to change a user.
const usersTimeout = 30 * time.Second

// usersHandler answers POST /users of the admin port.
func (s *server) usersHandler(w http.ResponseWriter, r *http.Request) {
	var request userRequest
	if !decodeRequest(w, r, &request) {
		return
	}
	if !s.checkReady(w) {
		return
	}
	answer, err := changeUsers(r.Context(), s.config, s.database.(*openedDatabase).db, request)
	if !strings.HasSuffix(request.Do, "list") {
		s.auditChange(r, &request, err)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusUnprocessableEntity)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = io.WriteString(w, answer) // the client is gone; nobody to tell
}

// shownUser is a user or a role in the answer of GET /api/users. No secret and no verifier of a password is in it.
type shownUser struct {
	Name      string          `json:"name"`
	IsRole    bool            `json:"role,omitempty"`
	CreatedAt string          `json:"createdAt"` // RFC 3339
	Policies  []string        `json:"policies"`
	Grants    []string        `json:"grants"`
	Roles     []string        `json:"roles"`
	Keys      []shownUsersKey `json:"accessKeys"`
}

type shownUsersKey struct {
	ID        string `json:"id"`
	Disabled  bool   `json:"disabled,omitempty"`
	CreatedAt string `json:"createdAt"` // RFC 3339
}

// listUsersHandler is GET /api/users.
func (s *server) listUsersHandler(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), usersTimeout)
	defer cancel()
	list, err := showUsers(ctx, s.gate.accounts)
	if err != nil {
		s.log.ErrorContext(ctx, "failed to list the users", "error", err)
		http.Error(w, "the users can't be read: see the log", http.StatusInternalServerError)
		return
	}
	answerJSON(w, list)
}

// showUsers lists users and roles with what they may do.
func showUsers(ctx context.Context, accounts *database.Accounts) ([]shownUser, error) {
	users, err := accounts.List(ctx)
	if err != nil {
		return nil, err
	}
	keys, err := accounts.AccessKeys(ctx, "")
	if err != nil {
		return nil, err
	}
	of := map[string][]shownUsersKey{}
	for i := range keys {
		of[keys[i].User] = append(of[keys[i].User],
			shownUsersKey{keys[i].ID, keys[i].Disabled, timeOf(keys[i].CreatedAtMS)})
	}
	list := make([]shownUser, len(users))
	for i := range users {
		list[i] = showUser(&users[i])
		list[i].Keys = append(list[i].Keys, of[users[i].Name]...)
	}
	return list, nil
}

func showUser(u *account.Account) shownUser {
	shown := shownUser{Name: u.Name, IsRole: u.IsRole, CreatedAt: timeOf(u.CreatedAtMS), Policies: []string{},
		Grants: []string{}, Roles: []string{}, Keys: []shownUsersKey{}}
	for i := range u.Policies {
		shown.Policies = append(shown.Policies, u.Policies[i].Name)
	}
	for i := range u.Grants {
		shown.Grants = append(shown.Grants, u.Grants[i].Privileges.String()+" on "+levelOf(u.Grants[i].Level))
	}
	for _, role := range u.Roles {
		shown.Roles = append(shown.Roles, role.Name)
	}
	return shown
}

// levelOf names what a grant is on, as GRANT does.
func levelOf(l account.Level) string {
	switch {
	case l.Database == "":
		return "*.*"
	case l.Table == "":
		return l.Database + ".*"
	}
	return l.Database + "." + l.Table
}

// timeOf writes Unix milliseconds for people and programs.
func timeOf(ms int64) string { return time.UnixMilli(ms).UTC().Format(time.RFC3339) }
