// SPDX-License-Identifier: Apache-2.0

package dynamodb

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"

	"github.com/weftdb/weft/internal/dynamodb/exception"
	"github.com/weftdb/weft/internal/security/account"
	"github.com/weftdb/weft/internal/security/permission"
	"github.com/weftdb/weft/internal/testing/testdb"
)

// guarded is a database whose users have rights. Its clock moves on with each request, so that rights are read anew.
type guarded struct {
	api   *API
	users []string
	clock time.Time
}

// TestAuthorization runs testdata/authorization. A script has the commands
//
//	table NAME            makes a table, as in TestItems, that can't be deleted
//	user NAME             adds a user with the policy that follows, or the predefined one of that name; the first user of a database is made before
//	policy TABLE          gives a table a policy
//	matrix TABLE ..       asks for the operation of each line as each user on each table: + is allowed, - is denied. $TABLE and $ARN are the table, $user the user
//	as USER OPERATION     runs an operation and shows the answer
//
// Every operation is in a matrix.
func TestAuthorization(t *testing.T) {
	asked := map[string]bool{}
	datadriven.Walk(t, "testdata/authorization", func(t *testing.T, path string) {
		g := &guarded{api: &API{DB: testdb.Open(t)}, clock: time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC),
			users: []string{"nobody", "root"}}
		accounts := g.api.DB.Accounts()
		if err := accounts.Add(t.Context(), "root", "secret"); err != nil {
			t.Fatal(err)
		}
		guard := permission.New(accounts,
			permission.Options{Account: "000000000000", Region: "us-east-1", Now: func() time.Time {
				g.clock = g.clock.Add(time.Hour)
				return g.clock
			}})
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			g.api.Guard = nil
			switch d.Cmd {
			case "table":
				answer := makeTable(t, g.api, d.CmdArgs[0].Key, d.Input)
				if _, err := g.api.Do(t.Context(), "UpdateTable",
					[]byte(`{"TableName":"`+d.CmdArgs[0].Key+`","DeletionProtectionEnabled":true}`), nil); err != nil {
					t.Fatal(err)
				}
				return answer
			case "user":
				g.users = append(g.users, d.CmdArgs[0].Key)
				return addUser(t, accounts, d.CmdArgs[0].Key, d.Input)
			case "policy":
				text, err := json.Marshal(map[string]string{"ResourceArn": arnOf(d.CmdArgs[0].Key), "Policy": d.Input})
				if err != nil {
					t.Fatal(err)
				}
				if _, err := g.api.Do(t.Context(), "PutResourcePolicy", text, nil); err != nil {
					return show(nil, err)
				}
				return ""
			case "as":
				g.api.Guard = guard
				return show(g.do(d.CmdArgs[0].Key, d.CmdArgs[1].Key, d.Input))
			case "matrix":
				g.api.Guard = guard
				return g.matrix(t, d, asked)
			}
			d.Fatalf(t, "unknown command %s", d.Cmd)
			return ""
		})
	})
	for _, o := range Operations() {
		if !asked[o.Name] {
			t.Errorf("%s is in no matrix", o.Name)
		}
	}
}

func addUser(t *testing.T, accounts *account.Accounts, name, policy string) string {
	t.Helper()
	if err := accounts.Add(t.Context(), name, "secret"); err != nil {
		t.Fatal(err)
	}
	if policy == "" {
		return ""
	}
	err := accounts.Change(t.Context(), name, func(u *account.Account) error {
		if strings.HasPrefix(policy, "{") {
			return u.PutPolicy("own", policy)
		}
		return u.PutPolicy(policy, "")
	})
	if err != nil {
		return err.Error()
	}
	return ""
}

func arnOf(table string) string { return "arn:aws:dynamodb:us-east-1:000000000000:table/" + table }

// do runs an operation as a user.
func (g *guarded) do(user, operation, body string) ([]byte, error) {
	p := &permission.Principal{User: user, Address: netip.MustParseAddr("192.0.2.7"), Agent: "test"}
	if user == "nobody" {
		p.User = ""
	}
	return g.api.Do(permission.NewContext(context.Background(), p), operation, []byte(body), nil)
}

// matrix shows a line for each operation and table, with what each user may do.
func (g *guarded) matrix(t *testing.T, d *datadriven.TestData, asked map[string]bool) string {
	t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, "%-47s %s\n", "", strings.Join(g.users, " "))
	for number, line := range strings.Split(d.Input, "\n") {
		operation, body, _ := strings.Cut(strings.TrimSpace(line), " ")
		if FindOperation(operation) == nil {
			t.Fatalf("there is no operation %s", operation)
		}
		asked[operation] = true
		tables := make([]string, len(d.CmdArgs))
		for i := range tables {
			tables[i] = d.CmdArgs[i].Key
		}
		if !strings.Contains(body, "$TABLE") && !strings.Contains(body, "$ARN") {
			tables = []string{""}
		}
		for _, table := range tables {
			fmt.Fprintf(&b, "%2d %-44s", number+1, operation+" "+table)
			for _, user := range g.users {
				text := strings.NewReplacer("$TABLE", table, "$ARN", arnOf(table), "$user", user).Replace(body)
				answer, err := g.do(user, operation, text)
				shown := sign(t, operation, text, err)
				if bytes.Contains(answer, []byte(`"Code":"AccessDenied"`)) { // of a statement in a batch
					shown = "-"
				}
				fmt.Fprintf(&b, " %-*s", len(user), shown)
			}
			b.WriteString("\n")
		}
	}
	lines := strings.Split(b.String(), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}

// allowedFaults are what requests of the matrix are refused for after they were allowed.
var allowedFaults = []exception.Kind{exception.KindResourceInUse, exception.KindResourceNotFound,
	exception.KindNoRecovery, exception.KindPolicyNotFound, exception.KindValidation,
	exception.KindConditionFailed, exception.KindDuplicateItem, exception.KindBackupNotFound,
	exception.KindTableNotFound, exception.KindExportNotFound, exception.KindImportNotFound}

// sign is + for what is allowed, and - for what is denied.
func sign(t *testing.T, operation, body string, err error) string {
	t.Helper()
	fault, _ := errors.AsType[*Error](err)
	switch {
	case err == nil:
		return "+"
	case fault.Kind == exception.KindAccessDenied:
		if _, denied := errors.AsType[*permission.Denied](fault.Cause); !denied {
			t.Errorf("%s %s: %v", operation, body, err)
		}
		return "-"
	case !slices.Contains(allowedFaults, fault.Kind), fault.Kind == exception.KindValidation && isOnItems(operation):
		t.Errorf("%s %s: %v", operation, body, err)
	}
	return "+"
}

func isOnItems(operation string) bool {
	return slices.ContainsFunc(itemOperations, func(o Operation) bool { return o.Name == operation })
}
