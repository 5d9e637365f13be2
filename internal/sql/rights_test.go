// SPDX-License-Identifier: Apache-2.0

package sql_test

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/cockroachdb/datadriven"

	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/resource/spill"
	"github.com/weftdb/weft/internal/security/account"
	"github.com/weftdb/weft/internal/security/permission"
	"github.com/weftdb/weft/internal/sql"
	"github.com/weftdb/weft/internal/sql/result"
	"github.com/weftdb/weft/internal/testing/testdb"
)

// superuser is the user who may do everything in these tests.
const superuser = "main"

// guarded is a harness whose users have rights: as with --auth required.
type guarded struct {
	*harness
	accounts *account.Accounts
	log      bytes.Buffer
	told     strings.Builder // decisions
}

func newGuarded(t *testing.T, db *database.DB, warn, observe bool) *guarded {
	g := &guarded{harness: newHarness(t, db), accounts: db.Accounts()}
	if err := g.accounts.Add(t.Context(), superuser, "secret"); err != nil { // the first user may do everything
		t.Fatal(err)
	}
	options := permission.Options{Account: "000000000000", Region: "local", Warn: warn,
		Logger: slog.New(slog.NewTextHandler(&g.log, nil))}
	if observe {
		options.Observe = func(d *permission.Decision) {
			fmt.Fprint(&g.told, d.Principal.User, " ", d.Action, " ", strings.TrimPrefix(d.Resource,
				"arn:aws:dynamodb:local:000000000000:"), " denied: ", d.Denied != nil)
			if d.Detail != "" {
				fmt.Fprint(&g.told, " (", d.Detail, ")")
			}
			fmt.Fprintln(&g.told)
		}
	}
	g.engine = sql.New(sql.Options{
		DB: db, Spill: &spill.Folder{Dir: t.TempDir()}, Guard: permission.New(g.accounts, options),
		Kill: func(uint32, bool) bool { return true },
		Processes: func() []result.Process {
			return []result.Process{{ID: 1, User: superuser, Info: "SELECT 1"}, {ID: 2, User: "ann", Info: "SELECT 2"}}
		},
	})
	return g
}

// give gives a user a policy, and makes the user if there is none.
func (g *guarded) give(t *testing.T, user, document string) {
	t.Helper()
	if err := g.accounts.Add(t.Context(), user, "secret"); err != nil && !errors.Is(err, account.ErrExists) {
		t.Fatal(err)
	}
	if err := g.accounts.Change(t.Context(), user,
		func(u *account.Account) error { return u.PutPolicy("test", document) }); err != nil {
		t.Fatal(err)
	}
}

// TestRights runs each file of testdata/rights as TestScripts does, with users who have rights. Sessions are named for
// their users; main may do everything.
//
//	policy on=ann     the policy that ann has, besides grants
//	told              the decisions that were told of since the last time
//	log               what was logged, where rights are tried out
func TestRights(t *testing.T) {
	datadriven.Walk(t, "testdata/rights", func(t *testing.T, path string) {
		synctest.Test(t, func(t *testing.T) {
			var g *guarded
			datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
				if g == nil {
					g = newGuarded(t, testdb.Open(t), d.HasArg("warn"), d.HasArg("observe"))
				}
				switch d.Cmd {
				case "policy":
					name := ""
					d.ScanArgs(t, "on", &name)
					g.give(t, name, d.Input)
					return ""
				case "told":
					defer g.told.Reset()
					return g.told.String()
				case "log":
					return g.log.String()
				}
				return g.command(t, d)
			})
		})
	})
}
