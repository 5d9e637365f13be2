// SPDX-License-Identifier: Apache-2.0

package judges

import (
	"context"
	"database/sql"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// server is a database server of the test's own, reached over its socket.
type server struct {
	brand      string
	connection *sql.Conn
}

// Brands of servers.
const (
	mySQL   = "MySQL"
	mariaDB = "MariaDB"
)

// mysqlDir is where the installation script puts MySQL.
var mysqlDir = filepath.Join("..", "..", "bin", "judges", "mysql")

// openMariaDB starts MariaDB in a folder of the test; ok is false where it is not on the machine. It merges no derived
// tables: where an outer join makes up a row of NULLs, it would compute COALESCE and the like of them.
func openMariaDB(t *testing.T) (s *server, ok bool) {
	t.Helper()
	program, err := exec.LookPath("mariadbd")
	if err != nil {
		program, err = exec.LookPath("/usr/sbin/mariadbd")
	}
	if err != nil {
		t.Log("MariaDB is not installed (on Debian: apt-get install mariadb-server-core): it does not judge")
		return nil, false
	}
	dir := shortDir(t)
	command(t, exec.Command("mariadb-install-db", "--no-defaults", "--datadir="+dir,
		"--auth-root-authentication-method=normal", "--user=root", "--skip-test-db"))
	s = start(t, mariaDB, dir, program, "--innodb-buffer-pool-size=64M", "--skip-log-bin")
	s.set(t, "SET max_statement_time = 5", "SET optimizer_switch = 'derived_merge=off'")
	return s, true
}

// openMySQL starts MySQL 8 in a folder of the test; ok is false where it is not on the machine.
func openMySQL(t *testing.T) (s *server, ok bool) {
	t.Helper()
	program, err := filepath.Abs(filepath.Join(mysqlDir, "bin", "mysqld"))
	if err == nil {
		_, err = os.Stat(program)
	}
	if err != nil {
		t.Log("MySQL is not installed (test/judges/install fetches it with mvn): it does not judge")
		return nil, false
	}
	dir := shortDir(t)
	data := filepath.Join(dir, "data")
	command(t, exec.Command(program, "--no-defaults", "--initialize-insecure", "--user=root", "--datadir="+data,
		"--innodb-log-file-size=4M"))
	s = start(t, mySQL, data, program, "--innodb-buffer-pool-size=64M", "--skip-log-bin", "--mysqlx=OFF",
		"--innodb-log-file-size=4M", "--innodb-flush-log-at-trx-commit=0")
	s.set(t, "SET max_execution_time = 5000")
	return s, true
}

// shortDir is a folder of the test's: t.TempDir's may be too long for the path of a socket.
func shortDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "judge")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

func command(t *testing.T, c *exec.Cmd) {
	t.Helper()
	if said, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
}

// start starts a server over the data in a folder, and opens an empty database on it.
func start(t *testing.T, brand, dir, program string, options ...string) *server {
	t.Helper()
	socket := filepath.Join(dir, "socket")
	c := exec.Command(program, append([]string{"--no-defaults", "--user=root", "--datadir=" + dir, "--tmpdir=" + dir,
		"--socket=" + socket, "--skip-networking",
		"--character-set-server=utf8mb4", "--collation-server=utf8mb4_bin"}, options...)...)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Process.Kill(); _ = c.Wait() })
	for range 1200 {
		if c, err := net.Dial("unix", socket); err == nil {
			_ = c.Close()
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	db, err := sql.Open("mysql", "root@unix("+socket+")/")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	s := &server{brand: brand}
	if s.connection, err = db.Conn(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.set(t, "CREATE DATABASE d", "USE d", "SET sql_mode = 'STRICT_ALL_TABLES'",
		"SET NAMES utf8mb4 COLLATE utf8mb4_bin")
	return s
}

// set runs statements that must not fail.
func (s *server) set(t *testing.T, statements ...string) {
	t.Helper()
	for _, statement := range statements {
		if a := s.ask(t.Context(), statement); a.err != nil {
			t.Fatalf("%s: %v", statement, a.err)
		}
	}
}

func (s *server) name() string { return s.brand }

// the end of a context would end the connection: the server bounds the time of statements
func (s *server) ask(_ context.Context, statement string) (a answer) {
	rows, err := s.connection.QueryContext(context.Background(), statement)
	if err != nil {
		return answer{err: err}
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return answer{err: err}
	}
	values, places := make([]sql.RawBytes, len(columns)), make([]any, len(columns))
	for i := range values {
		places[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(places...); err != nil {
			return answer{err: err}
		}
		var line []byte
		for _, v := range values {
			if v == nil {
				line = append(line, "NULL|"...)
			} else {
				line = append(appendValue(line, string(v)), '|')
			}
		}
		a.rows = append(a.rows, string(line))
	}
	a.err = rows.Err()
	return a
}
