// SPDX-License-Identifier: Apache-2.0

package weftsql

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
)

// name is a data source name, parsed: see the package's comment.
type name struct {
	folder  string // empty: memory
	key     string // of the database among those that are open; empty: it is shared with nobody
	options Options
}

// parseName reads a data source name. Errors: another engine, an unknown setting or value.
func parseName(text string) (*name, error) {
	place, settings, _ := strings.Cut(text, "?")
	n := &name{}
	switch engine, rest, found := strings.Cut(place, ":"); {
	case found && engine == "mem":
		if rest != "" {
			n.key = place
		}
	case found && engine == "file" && rest != "":
		folder, err := filepath.Abs(rest)
		if err != nil {
			return nil, fmt.Errorf("weftsql: the data source %q: %w", text, err)
		}
		n.folder, n.key = folder, "file:"+folder
	default:
		return nil, fmt.Errorf("weftsql: the data source %q names no engine: begin it with file: and a folder, or write mem: alone", text)
	}
	values, err := url.ParseQuery(settings)
	for key, list := range values {
		if err == nil {
			err = n.set(key, list[len(list)-1])
		}
	}
	if err != nil {
		return nil, fmt.Errorf("weftsql: the data source %q: %w", text, err)
	}
	return n, nil
}

// set is one setting. Those that go-sql-driver has, too, have its names.
func (n *name) set(key, value string) (err error) {
	switch key {
	case "database":
		n.options.Database = value
	case "loc":
		n.options.Location, err = time.LoadLocation(value)
	case "multiStatements":
		n.options.MultiStatements, err = strconv.ParseBool(value)
	case "clientFoundRows":
		n.options.FoundRows, err = strconv.ParseBool(value)
	case "parseTime":
		if value != "true" {
			err = errors.New("parseTime is always true: times are answered as time.Time")
		}
	default:
		err = fmt.Errorf("there is no setting %q: there are database, loc, multiStatements and clientFoundRows", key)
	}
	return err
}

// datasource opens connections to the database that a name stands for.
type datasource struct {
	source *source
	name   *name

	mu        sync.Mutex
	opened    *opened // nil before the first connection
	connector *connector
	closed    bool
}

// Driver is the one that is registered.
func (d *datasource) Driver() driver.Driver { return d.source }

// Connect opens a connection, and the database with the first.
func (d *datasource) Connect(ctx context.Context) (driver.Conn, error) {
	c, err := d.connect(ctx)
	if err != nil {
		return nil, err
	}
	return c, nil
}

func (d *datasource) connect(ctx context.Context) (*conn, error) {
	c, err := d.shared()
	if err != nil {
		return nil, err
	}
	return c.connect(ctx)
}

// shared opens the database once. It outlives the context of the first caller.
func (d *datasource) shared() (*connector, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case d.closed:
		return nil, errors.New("weftsql: the database is closed")
	case d.connector != nil:
		return d.connector, nil
	}
	o, err := d.source.acquire(context.Background(), d.name)
	if err != nil {
		return nil, err
	}
	d.opened, d.connector = o, newConnector(d.source, o.db, d.name.options)
	return d.connector, nil
}

// Close closes the database, unless others share it. sql.DB.Close calls it after the last connection was closed.
func (d *datasource) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	o := d.opened
	d.opened, d.closed = nil, true
	if o == nil {
		return nil
	}
	return d.source.release(d.name.key, o)
}
