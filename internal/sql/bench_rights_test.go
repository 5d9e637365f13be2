// SPDX-License-Identifier: Apache-2.0

package sql_test

import (
	"testing"

	"github.com/weftdb/weft/internal/security/account"
	"github.com/weftdb/weft/internal/security/permission"
	"github.com/weftdb/weft/internal/sql"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/result"
	"github.com/weftdb/weft/internal/testing/testdb"
)

// BenchmarkRights reads a row by a prepared statement: with nobody asked, as an administrator, by a grant, and by a
// policy of leading keys.
func BenchmarkRights(b *testing.B) {
	db := testdb.OpenPebble(b)
	must(b, openAs(b, sql.New(sql.Options{DB: db}), "root"), "CREATE TABLE t (id INT PRIMARY KEY, v INT)",
		"INSERT INTO t VALUES (1, 1)")
	accounts := db.Accounts()
	for _, user := range []string{"root", "granted", "limited"} {
		if err := accounts.Add(b.Context(), user, "secret"); err != nil {
			b.Fatal(err)
		}
		err := accounts.Change(b.Context(), user, func(u *account.Account) error {
			switch user {
			case "granted":
				return u.Grant(account.Level{Database: "default", Table: "t"}, account.Select)
			case "limited":
				return u.PutPolicy("own", `{"Statement": {"Effect": "Allow", "Action": "dynamodb:PartiQLSelect", "Resource": "*",
					"Condition": {"ForAllValues:StringEquals": {"dynamodb:LeadingKeys": "1"}}}}`)
			}
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	guard := permission.New(accounts, permission.Options{Account: "000000000000", Region: "local"})
	for _, each := range []struct {
		name, user string
		guard      *permission.Guard
	}{{"off", "root", nil}, {"administrator", "root", guard}, {"grant", "granted", guard}, {"leading-keys", "limited",
		guard}} {
		b.Run(each.name, func(b *testing.B) {
			p, err := openAs(b, sql.New(sql.Options{DB: db, Guard: each.guard}), each.user).Prepare(b.Context(),
				[]byte("SELECT v FROM t WHERE id = ?"))
			if err != nil {
				b.Fatal(err)
			}
			defer p.Close()
			b.ReportAllocs()
			parameters := []datum.Datum{datum.Int(1)}
			for b.Loop() {
				if err := p.Execute(b.Context(), parameters, nowhere{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func openAs(b *testing.B, engine *sql.Engine, user string) *sql.Session {
	s, err := engine.Open(b.Context(), result.Login{User: user})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(s.Close)
	return s
}
