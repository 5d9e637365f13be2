// SPDX-License-Identifier: Apache-2.0

package sql

import (
	"database/sql"
	"errors"
	"net"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"

	"github.com/weftdb/weft/test/harness"
)

// TestUsers signs in where that is required: nobody can without a user; users are added, changed and dropped in a
// folder and on a running server.
func TestUsers(t *testing.T) {
	data := t.TempDir()
	admin := freePort(t)
	users := func(password string, args ...string) string {
		t.Helper()
		command := harness.Command(t.Context(), binary, append([]string{"user"}, args...)...)
		command.Stdin = strings.NewReader(password)
		out, err := command.CombinedOutput()
		if err != nil {
			return "failed: " + string(out)
		}
		return string(out)
	}
	if got := users("s3cret\n", "add", "ann", "--data", data); !strings.Contains(got, "no store") {
		t.Errorf("a user is added to a folder without a database: %s", got)
	}
	if err := harness.Start(t, binary, harness.Options{Data: data,
		Args: []string{"--auth", "required", "--dynamodb-addr", "off", "--admin-addr", admin}}).Stop(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ password, args, want string }{
		{"", "list", ""},
		{"s3cret\n", "add ann", "user ann added"},
		{"other\n", "add ann", "failed"},
		{"\n", "add bob", "failed"},
		{"", "drop bob", "failed"},
		{"", "list", "ann\t"},
	} {
		got := users(c.password, append(strings.Fields(c.args), "--data", data)...)
		if !strings.Contains(got, c.want) {
			t.Errorf("weft user %s: %s", c.args, got)
		}
	}
	t.Setenv("WEFT_ADMIN_TOKEN", strings.TrimPrefix(
		strings.TrimSpace(users("", "token", "create", "ann", "--data", data)), "WEFT_ADMIN_TOKEN="))
	s := harness.Start(t, binary, harness.Options{Data: data,
		Args: []string{"--auth", "required", "--dynamodb-addr", "off", "--admin-addr", admin}})
	signIn := func(user string, want uint16) {
		t.Helper()
		if got := codeOf(t, s, user); got != want {
			t.Errorf("%s: error %d, not %d", user, got, want)
		}
	}
	signIn("root", 1045)
	signIn("root:", 1045)
	signIn("ann", 1045)
	signIn("ann:wrong", 1045)
	signIn("nobody:s3cret", 1045)
	signIn("ann:s3cret", 0)
	here := []string{"--admin-addr", admin}
	if got := users("pass2\n", append([]string{"passwd", "ann"}, here...)...); !strings.Contains(got, "changed") {
		t.Error(got)
	}
	signIn("ann:s3cret", 1045)
	signIn("ann:pass2", 0)
	if got := users("more\n", append([]string{"add", "bob"}, here...)...); !strings.Contains(got, "added") {
		t.Error(got)
	}
	signIn("bob:more", 0)
	if got := users("", append([]string{"drop", "ann"}, here...)...); !strings.Contains(got, "dropped") {
		t.Error(got)
	}
	signIn("ann:pass2", 1045)
	// it went with its user
	if got := users("", append([]string{"list"}, here...)...); !strings.Contains(got, "no such token") {
		t.Error(got)
	}
	if err := s.Stop(); err != nil {
		t.Error(err)
	}
	if got := users("", "list", "--data", data); !strings.HasPrefix(got, "bob\t") || strings.Contains(got, "ann") {
		t.Error(got)
	}
}

// TestNoUsers serves everybody on this machine, whatever name and password they give, while nobody has to sign in.
func TestNoUsers(t *testing.T) {
	for _, user := range []string{"root", "root:any", "ann:any"} {
		if got := codeOf(t, server, user); got != 0 {
			t.Errorf("%s: error %d", user, got)
		}
	}
	if got := codeOf(t, server, ""); got != 0 {
		t.Errorf("no name: error %d", got)
	}
}

// TestConnectionsMax refuses clients beyond a setting.
func TestConnectionsMax(t *testing.T) {
	s := harness.Start(t, binary, harness.Options{Args: []string{"--mysql-connections", "2"}})
	one := connect(t, s, "", "")
	connect(t, s, "", "")
	if got := codeOf(t, s, "root"); got != 1040 {
		t.Errorf("the third: error %d", got)
	}
	var name, shown string
	if err := one.QueryRowContext(t.Context(), "SHOW VARIABLES LIKE 'max_connections'").Scan(&name,
		&shown); err != nil || shown != "2" {
		t.Error(shown, err)
	}
	if err := s.Stop(); err != nil {
		t.Error(err)
	}
}

// codeOf signs in and returns MySQL's number of the error, 0 for none.
func codeOf(t testing.TB, s *harness.Server, user string) uint16 {
	t.Helper()
	db, err := sql.Open("mysql", user+"@tcp("+s.SQL()+")/")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	err = db.PingContext(t.Context())
	if known := (*mysql.MySQLError)(nil); errors.As(err, &known) {
		return known.Number
	}
	if err != nil {
		t.Fatal(err)
	}
	return 0
}

// freePort is an address that nobody listens on.
func freePort(t testing.TB) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}
