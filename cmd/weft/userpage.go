// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"net/http"
	"time"

	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/security/account"
)

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
