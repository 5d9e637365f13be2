// SPDX-License-Identifier: Apache-2.0

package mysqlwire

import (
	"context"
	"database/sql"
	"fmt"
	"net"
	"testing"

	"github.com/go-sql-driver/mysql"
)

func listen(t testing.TB) net.Listener {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return listener
}

func open(t testing.TB, address, login, parameters string) *sql.DB {
	t.Helper()
	db, err := sql.Open("mysql", fmt.Sprintf("%s@tcp(%s)/%s", login, address, parameters))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func number(err error) uint16 {
	if e, ok := err.(*mysql.MySQLError); ok {
		return e.Number
	}
	return 0
}

func TestDriverText(t *testing.T) {
	_, address := serve(t, newDialect(), Options{})
	db := open(t, address, "root:secret", "d")
	var n int
	if err := db.QueryRow("SELECT 1").Scan(&n); err != nil || n != 1 {
		t.Fatal(n, err)
	}
	r, err := db.Exec("insert")
	if err != nil {
		t.Fatal(err)
	}
	affected, _ := r.RowsAffected()
	id, _ := r.LastInsertId()
	if affected != 3 || id != 7 {
		t.Fatal(affected, id)
	}
	if _, err := db.Exec("fail"); number(err) != 1146 {
		t.Fatal(err)
	}
	if _, err := db.Exec("plain"); number(err) != 1105 || err.Error() != "Error 1105 (HY000): plain failure" {
		t.Fatal(err)
	}
}

func TestDriverPrepared(t *testing.T) {
	_, address := serve(t, newDialect(), Options{})
	db := open(t, address, "root", "")
	var n int
	if err := db.QueryRow("SELECT ?", 5).Scan(&n); err != nil || n != 5 {
		t.Fatal(n, err)
	}
	if err := db.PingContext(context.Background()); err != nil {
		t.Fatal(err)
	}
}
