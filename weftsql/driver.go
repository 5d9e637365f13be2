// SPDX-License-Identifier: Apache-2.0

package weftsql

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"sync"

	"github.com/weftdb/weft"
)

// init registers the driver.
//
// lint:init programs expect that the import of a driver registers it, as database/sql documents
func init() { sql.Register("weft", newSource()) }

// source is the driver "weft": it opens the databases that data sources name. Two data sources of one name share its
// database.
type source struct {
	mu     sync.Mutex
	opened map[string]*opened
}

func newSource() *source { return &source{opened: map[string]*opened{}} }

// opened is a database that is open.
type opened struct {
	db    *weft.DB
	users int // connectors
}

// OpenConnector reads a data source name. The database is opened with the first connection, and closed by Close.
// Errors: names that mean nothing.
func (s *source) OpenConnector(name string) (driver.Connector, error) {
	n, err := parseName(name)
	if err != nil {
		return nil, err
	}
	return &datasource{source: s, name: n}, nil
}

// Open opens a connection by itself, whose Close closes the database; database/sql calls OpenConnector instead.
func (s *source) Open(name string) (driver.Conn, error) {
	n, err := parseName(name)
	if err != nil {
		return nil, err
	}
	d := &datasource{source: s, name: n}
	c, err := d.connect(context.Background())
	if err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return &lone{c, d}, nil
}

// lone is a connection that has its database for itself.
type lone struct {
	*conn
	datasource *datasource
}

// Close closes the connection, then the database.
func (l *lone) Close() error { return errors.Join(l.conn.Close(), l.datasource.Close()) }

// acquire opens a database, or shares the open one.
func (s *source) acquire(ctx context.Context, n *name) (*opened, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if o := s.opened[n.key]; o != nil {
		o.users++
		return o, nil
	}
	db, err := n.open(ctx)
	if err != nil {
		return nil, err
	}
	o := &opened{db, 1}
	if n.key != "" {
		s.opened[n.key] = o
	}
	return o, nil
}

// release closes a database that nobody uses any more.
func (s *source) release(key string, o *opened) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if o.users--; o.users > 0 {
		return nil
	}
	delete(s.opened, key)
	return o.db.Close()
}

// open opens the database that a name means.
func (n *name) open(ctx context.Context) (*weft.DB, error) {
	if n.folder == "" {
		return weft.OpenMemory(ctx, weft.Options{})
	}
	return weft.Open(ctx, n.folder, weft.Options{})
}
