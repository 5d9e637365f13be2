// SPDX-License-Identifier: Apache-2.0

package inprocess

import (
	"database/sql"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/weftdb/weft/test/harness"
	_ "github.com/weftdb/weft/weftsql"
	"github.com/weftdb/weft/wefttest"
)

// The benchmarks of this file are what a test pays that starts a process of its own: until it answers, for a table and
// an item, and for its end.

// BenchmarkServer is `weft serve` in memory.
func BenchmarkServer(b *testing.B) {
	binary := harness.Build(b)
	for b.Loop() {
		server := harness.Start(b, binary, harness.Options{Args: []string{"--engine", "mem"}})
		useDynamoDB(b, "http://"+server.Addr())
		server.Kill()
	}
}

// BenchmarkDynalite is dynalite, whose program DYNALITE names.
func BenchmarkDynalite(b *testing.B) {
	program := os.Getenv("DYNALITE")
	if program == "" {
		b.Skip("DYNALITE names no program: npm install dynalite")
	}
	for b.Loop() {
		address := freeAddress(b)
		_, port, _ := net.SplitHostPort(address) // which is an address
		command := exec.Command("node", program, "--port", port, "--createTableMs", "0")
		start(b, command)
		await(b, "tcp", address)
		useDynamoDB(b, "http://"+address)
		end(b, command)
	}
}

// BenchmarkSQL is package weftsql on a database in memory.
func BenchmarkSQL(b *testing.B) {
	for b.Loop() {
		useSQL(b, "weft", "mem:")
	}
}

// BenchmarkMySQL is MySQL's protocol in the test's process.
func BenchmarkMySQL(b *testing.B) {
	for b.Loop() {
		s := &scope{TB: b}
		useSQL(b, "mysql", wefttest.MySQL(s))
		s.end()
	}
}

// BenchmarkMariaDB is a server with a folder of its own, copied from a new one.
func BenchmarkMariaDB(b *testing.B) {
	program, err := exec.LookPath("mariadbd")
	if err != nil {
		b.Skip("there is no mariadbd: ", err)
	}
	master := b.TempDir()
	if said, err := exec.Command("mariadb-install-db", "--no-defaults", "--datadir="+master,
		"--auth-root-authentication-method=normal", "--user=root", "--skip-test-db").CombinedOutput(); err != nil {
		b.Skipf("a folder can't be made: %v: %s", err, said)
	}
	for b.Loop() {
		dir, err := os.MkdirTemp("", "maria") // short: the path of a socket is
		if err != nil {
			b.Fatal(err)
		}
		data, socket := filepath.Join(dir, "data"), filepath.Join(dir, "socket")
		if err := os.CopyFS(data, os.DirFS(master)); err != nil {
			b.Fatal(err)
		}
		command := exec.Command(program, "--no-defaults", "--user=root", "--datadir="+data, "--socket="+socket,
			"--skip-networking", "--innodb-buffer-pool-size=64M", "--skip-log-bin")
		start(b, command)
		await(b, "unix", socket)
		useSQL(b, "mysql", "root@unix("+socket+")/mysql")
		end(b, command)
		if err := os.RemoveAll(dir); err != nil {
			b.Error(err)
		}
	}
}

// useSQL makes a table and a row.
func useSQL(t testing.TB, driver, source string) {
	t.Helper()
	db, err := sql.Open(driver, source)
	if err != nil {
		t.Fatal(err)
	}
	if _, err = db.Exec("CREATE TABLE orders (id VARCHAR(20), PRIMARY KEY (id))"); err == nil {
		_, err = db.Exec("INSERT INTO orders VALUES (?)", "a")
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Error(err)
	}
}

func start(t testing.TB, command *exec.Cmd) {
	t.Helper()
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = command.Process.Kill() }) // it may have ended
}

func end(t testing.TB, command *exec.Cmd) {
	t.Helper()
	if err := command.Process.Kill(); err != nil {
		t.Error(err)
	}
	_ = command.Wait() // whose error is that it was killed
}

// await returns when an address is listened on.
func await(t testing.TB, network, address string) {
	t.Helper()
	for range 30_000 {
		if c, err := net.Dial(network, address); err == nil {
			_ = c.Close() // it was a look
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Fatalf("nobody listens on %s", address)
}

// freeAddress is one that nobody listens on now.
func freeAddress(t testing.TB) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return fmt.Sprint(listener.Addr())
}

// MySQL's driver is not told that a server was killed.
var _ = mysql.SetLogger(&mysql.NopLogger{})
