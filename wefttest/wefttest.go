// SPDX-License-Identifier: Apache-2.0

// Package wefttest gives each test of a Go program a database of its own, in the test's process: empty, in memory, and
// there within milliseconds. It takes the place of DynamoDB Local and of containers, for programs that speak to
// DynamoDB, MySQL or HBase.
//
//	func TestOrders(t *testing.T) {
//		endpoint := wefttest.DynamoDB(t)
//		..
//
// The servers listen on ports of the loopback interface that the system chooses, so that tests may run side by side.
// They and the database are closed when the test ends. What an operator should see of them is in the test's output.
//
// Knows: how to open a database in memory, and to serve each protocol over it.
// Never: what the tests are about.
package wefttest

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/weftdb/weft"
	"github.com/weftdb/weft/internal/database/inside"
	"github.com/weftdb/weft/internal/hbase"
	"github.com/weftdb/weft/internal/resource/spill"
	"github.com/weftdb/weft/internal/server/hbasethrift"
	"github.com/weftdb/weft/internal/server/mysqlwire"
	"github.com/weftdb/weft/internal/sql"
	"github.com/weftdb/weft/internal/sql/result"
	"github.com/weftdb/weft/internal/sql/variable"
	"github.com/weftdb/weft/weftdynamo"
)

// DB returns an empty database in memory.
func DB(t testing.TB) *weft.DB {
	t.Helper()
	db, err := weft.OpenMemory(context.Background(), weft.Options{Logger: logger(t)})
	if err != nil {
		t.Fatal(err)
	}
	closeAtEnd(t, db)
	return db
}

// Restore lets the database be, when the test ends, what it is now: for tests that run one after another on tables and
// items that were prepared once. It takes milliseconds, however much there is. See weft.Mark.
func Restore(t testing.TB, db *weft.DB) {
	t.Helper()
	mark, err := db.Mark(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(mark.Return(context.Background()), mark.Forget()); err != nil {
			t.Error(err)
		}
	})
}

// DynamoDB returns the endpoint of an empty DynamoDB, such as http://127.0.0.1:41234: the BaseEndpoint of an AWS SDK's
// client. Any region and any credentials will do.
func DynamoDB(t testing.TB) (endpoint string) {
	t.Helper()
	return DynamoDBOf(t, DB(t))
}

// DynamoDBOf is DynamoDB over a database that is open, and has items already or is looked at afterwards.
func DynamoDBOf(t testing.TB, db *weft.DB) (endpoint string) {
	t.Helper()
	server := httptest.NewServer(weftdynamo.Handler(db, weftdynamo.Options{Logger: logger(t)}))
	t.Cleanup(server.Close)
	return server.URL
}

// DynamoDBWithFaults is DynamoDBOf, with rules that let requests fail or wait on purpose:
//
//	endpoint, faults := wefttest.DynamoDBWithFaults(t, db)
//	err := faults.Add(weftdynamo.Fault{Operation: "PutItem", Error: weftdynamo.Throttling, Times: 2})
func DynamoDBWithFaults(t testing.TB, db *weft.DB) (endpoint string, faults *weftdynamo.Faults) {
	t.Helper()
	faults = new(weftdynamo.Faults)
	server := httptest.NewServer(weftdynamo.Handler(db, weftdynamo.Options{Logger: logger(t), Faults: faults}))
	t.Cleanup(server.Close)
	return server.URL, faults
}

// MySQL returns the data source name of an empty server of MySQL's protocol for the driver
// github.com/go-sql-driver/mysql, such as root@tcp(127.0.0.1:41234)/default?parseTime=true. Any user and any password
// will do. Programs that use database/sql with any driver need no server: see package weftsql.
func MySQL(t testing.TB) (dsn string) {
	t.Helper()
	return MySQLOf(t, DB(t))
}

// MySQLOf is MySQL over a database that is open.
func MySQLOf(t testing.TB, db *weft.DB) (dsn string) {
	t.Helper()
	spills, err := spill.Open(t.TempDir(), 0)
	if err != nil {
		t.Fatal(err)
	}
	listener := listen(t)
	_, port, _ := net.SplitHostPort(listener.Addr().String()) // which is an address
	variables := variable.NewCatalog()
	if err := variables.Preset("port", port); err != nil {
		t.Fatal(err)
	}
	var server *mysqlwire.Server
	engine := sql.New(sql.Options{
		DB: db.Inside(inside.Key{}), Variables: variables, Logger: logger(t), Spill: spills,
		Processes: func() []result.Process { return server.Processes() },
		Kill:      func(id uint32, queryOnly bool) bool { return server.Kill(id, queryOnly) == nil },
	})
	server = mysqlwire.New(mysqlwire.Options{Version: variable.ServerVersion, Logger: logger(t),
		Open: func(ctx context.Context, login result.Login) (mysqlwire.Session, error) {
			session, err := engine.Open(ctx, login)
			if err != nil {
				return nil, err // a nil *sql.Session would be a Session
			}
			return session, nil
		}})
	serve(t, server, listener)
	return "root@tcp(" + listener.Addr().String() + ")/default?parseTime=true"
}

// HBase returns the address of an empty HBase, host:port, which speaks HBase's Thrift2 API over HTTP and over plain
// sockets, framed or not.
func HBase(t testing.TB) (address string) {
	t.Helper()
	return HBaseOf(t, DB(t))
}

// HBaseOf is HBase over a database that is open.
func HBaseOf(t testing.TB, db *weft.DB) (address string) {
	t.Helper()
	listener := listen(t)
	address = listener.Addr().String()
	serve(t, hbasethrift.New(hbasethrift.Options{API: &hbase.API{DB: db.Inside(inside.Key{})}, Version: hbasethrift.Two,
		Addr: address, Logger: logger(t)}), listener)
	return address
}

// logger writes warnings and errors to the test's output.
func logger(t testing.TB) *slog.Logger {
	return slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn}))
}

func closeAtEnd(t testing.TB, c io.Closer) {
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
}

// listen opens a port that nobody else has.
func listen(t testing.TB) net.Listener {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return listener
}

// shutdownMax bounds the time of requests that still run when a test ends.
const shutdownMax = time.Second

// serve answers clients until the test ends.
func serve(t testing.TB, server interface {
	Serve(net.Listener) error
	Shutdown(context.Context) error
}, listener net.Listener) {
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), shutdownMax)
		defer cancel()
		_ = server.Shutdown(ctx) // whose error is that requests were cut off
		_ = listener.Close()     // Serve may not have had it yet
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
}
