// SPDX-License-Identifier: Apache-2.0

package weftsql

import (
	"cmp"
	"context"
	"database/sql/driver"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/weftdb/weft"
	"github.com/weftdb/weft/internal/database/inside"
	"github.com/weftdb/weft/internal/resource/memory"
	"github.com/weftdb/weft/internal/resource/spill"
	"github.com/weftdb/weft/internal/security/permission"
	"github.com/weftdb/weft/internal/sql"
	"github.com/weftdb/weft/internal/sql/result"
)

// Options are the settings of a Connector. The zero value works.
type Options struct {
	// Database is the one that connections begin in. Default: default, whose tables are those of weft.DB.Table.
	Database string
	// User is for whom statements ask: they do what the user's policies and grants allow, and see the rows that these
	// have; others fail with 1142 and the like. Default: the program itself, which may do everything.
	User string
	// Location is the place at whose clock DATETIME and TIMESTAMP are read; see the package's comment. It is UTC or has
	// a name of the IANA time zone database, which time.Local has not. Default: UTC.
	Location *time.Location
	// MultiStatements allows several statements in a text without arguments, with semicolons between them.
	MultiStatements bool
	// FoundRows makes RowsAffected of an UPDATE the rows that it matched, whether they had the new values already or
	// not.
	FoundRows bool
	// MemoryBytes bounds what the statements of all connections hold together; those beyond it fail. Default: 256 MiB.
	MemoryBytes int64
	// Dir is the folder for temporary files of sorts and joins beyond their memory. Default: the system's.
	Dir string
	// Logger takes what an operator should see. Default: slog.Default().
	Logger *slog.Logger
	// Error gives the program errors of another type: what it returns stands in place of each Error. Libraries that
	// look for a type of another driver, as GORM's translation of errors does, find what they know. Default: errors are
	// *Error.
	Error func(*Error) error
}

// memoryBytes is the default of Options.MemoryBytes.
const memoryBytes = 256 << 20

// connector opens connections that share an engine.
type connector struct {
	driver   driver.Driver
	options  Options
	location *time.Location
	logger   *slog.Logger
	db       *weft.DB
	engine   *sql.Engine
	err      error // why connections can't be opened

	mu          sync.Mutex
	last        uint32 // the number of the last connection
	connections map[uint32]*conn
}

// Connector opens connections to a database for sql.OpenDB. Closing the sql.DB leaves the database open; close it after
// the sql.DB.
func Connector(db *weft.DB, o Options) driver.Connector { return newConnector(newSource(), db, o) }

func newConnector(d driver.Driver, db *weft.DB, o Options) *connector {
	c := &connector{driver: d, options: o, db: db, location: cmp.Or(o.Location, time.UTC),
		connections: map[uint32]*conn{},
		logger:      cmp.Or(o.Logger, slog.Default())}
	inner := db.Inside(inside.Key{})
	var guard *permission.Guard
	if o.User != "" {
		guard = permission.New(inner.Accounts(), permission.Options{Logger: c.logger})
	}
	spills, err := spill.Open(cmp.Or(o.Dir, os.TempDir()), 0)
	c.err = err
	c.engine = sql.New(sql.Options{
		DB: inner, Guard: guard, Memory: memory.New(cmp.Or(o.MemoryBytes, memoryBytes)), Spill: spills,
		Logger: c.logger, Processes: c.processes, Kill: c.kill,
	})
	return c
}

// Driver is the driver that database/sql's DB.Driver returns.
func (c *connector) Driver() driver.Driver { return c.driver }

// Connect opens a connection.
func (c *connector) Connect(ctx context.Context) (driver.Conn, error) {
	one, err := c.connect(ctx)
	if err != nil {
		return nil, err
	}
	return one, nil
}

func (c *connector) connect(ctx context.Context) (*conn, error) {
	if c.err != nil {
		return nil, c.err
	}
	one := &conn{connector: c, since: time.Now()}
	c.mu.Lock()
	c.last++
	one.id = c.last
	c.connections[one.id] = one
	c.mu.Unlock()
	if err := one.open(ctx); err != nil {
		c.forget(one)
		return nil, err
	}
	return one, nil
}

// login describes connection id to its session.
func (c *connector) login(id uint32) result.Login {
	return result.Login{
		ConnectionID: id, User: cmp.Or(c.options.User, "root"), Host: "localhost", Database: c.options.Database,
		FoundRows: c.options.FoundRows, MultiStatements: c.options.MultiStatements,
	}
}

// zone is the name of the location in SQL. Errors: it has none.
func (c *connector) zone() (string, error) {
	if c.location == time.Local {
		return "", fmt.Errorf("weftsql: Options.Location is time.Local, which has no name in SQL: use time.LoadLocation, as with Europe/Berlin")
	}
	return c.location.String(), nil
}

func (c *connector) forget(one *conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.connections, one.id)
}

// all are the connections in the order of their numbers.
func (c *connector) all() []*conn {
	c.mu.Lock()
	defer c.mu.Unlock()
	list := make([]*conn, 0, len(c.connections))
	for _, one := range c.connections {
		list = append(list, one)
	}
	slices.SortFunc(list, func(a, b *conn) int { return cmp.Compare(a.id, b.id) })
	return list
}

// processes are the connections for SHOW PROCESSLIST.
func (c *connector) processes() (list []result.Process) {
	for _, one := range c.all() {
		list = append(list, one.describe(time.Now()))
	}
	return list
}

// kill ends the statement of a connection, and the connection unless queryOnly; ok is false if there is none of that
// number.
func (c *connector) kill(id uint32, queryOnly bool) (ok bool) {
	c.mu.Lock()
	one := c.connections[id]
	c.mu.Unlock()
	if one != nil {
		one.kill(queryOnly)
	}
	return one != nil
}
