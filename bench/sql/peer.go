// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/weftdb/weft/bench/loadgen"
	"github.com/weftdb/weft/bench/sqlpeer"
)

// The peers, as they are called on the command line and in the report.
const (
	peerWeft    = "weft"
	peerInnoDB  = "innodb"
	peerMyRocks = "myrocks"
	peerEcho    = "echo"
)

func peerNames() []string { return []string{peerWeft, peerInnoDB, peerMyRocks, peerEcho} }

// peer is a server in a process of its own, with its tables loaded.
type peer struct {
	*sqlpeer.Server
	name   string
	config *config
}

// Name implements loadgen.Peer.
func (p *peer) Name() string { return p.name }

// Run implements loadgen.Peer.
func (p *peer) Run(ctx context.Context, x loadgen.Cell) (loadgen.Result, error) {
	if p.config.Sysbench {
		return p.runSysbench(ctx, x)
	}
	return loadgen.RunWorkers(ctx, p.PID(), x, func(i int) (*worker, error) {
		return newWorker(p, x.Operation, i,
			p.config)
	})
}

// load makes the tables. options is the text behind the columns of CREATE TABLE.
func (p *peer) load(ctx context.Context, c *config, options string) (err error) {
	connection, err := p.Dial("")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, connection.Close()) }()
	if c.Sysbench {
		if _, err := connection.Query("CREATE DATABASE " + database); err != nil {
			return err
		}
		_, err = sysbench(ctx, c, p, "read_write", "prepare")
		return err
	}
	for _, statement := range []string{
		"CREATE DATABASE " + database, "USE " + database,
		"CREATE TABLE narrow (id BIGINT NOT NULL, v VARCHAR(100), n INT, PRIMARY KEY (id))" + options,
		"CREATE TABLE wide (id BIGINT NOT NULL, v VARCHAR(100), n INT, PRIMARY KEY (id))" + options,
		"CREATE TABLE indexed (id BIGINT NOT NULL, v VARCHAR(100), n BIGINT, PRIMARY KEY (id), KEY by_n (n))" + options,
	} {
		if _, err := connection.Query(statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	if err := fill(connection, "narrow", c.Rows); err != nil {
		return err
	}
	if slices.Contains(c.Operations, opGroup) {
		if err := fill(connection, "wide", c.GroupRows); err != nil {
			return err
		}
	}
	if !slices.ContainsFunc(c.Operations, isIndexed) {
		return nil
	}
	return fill(connection, "indexed", c.GroupRows)
}

// open starts a server and loads its tables.
func (c *config) open(ctx context.Context, name string) (*peer, error) {
	switch name {
	case peerWeft:
		return openWeft(ctx, c, name)
	case peerEcho:
		return openEcho(ctx, c, name)
	}
	return openMariaDB(ctx, c, name)
}

// openWeft starts the binary of this tree. It is started anew after loading: the first start brings what was loaded
// from the log into tables, the second has nothing to do.
func openWeft(ctx context.Context, c *config, name string) (p *peer, err error) {
	if err := c.Build(); err != nil {
		return nil, err
	}
	for i := range 3 {
		if p, err = startWeft(ctx, c, name, cacheBytes); err != nil {
			return nil, err
		}
		if i == 0 {
			err = p.load(ctx, c, "")
		}
		if err != nil || i < 2 {
			err = errors.Join(err, p.Close())
		}
		if err != nil {
			return nil, err
		}
	}
	return p, nil
}

// cacheBytes is the memory for blocks that each engine gets while it is compared with others.
const cacheBytes = "512MiB"

// startWeft serves the folder of name.
func startWeft(ctx context.Context, c *config, name, cache string) (*peer, error) {
	server, err := sqlpeer.Weft(ctx, &c.Settings, filepath.Join(c.Dir, name), cache)
	return &peer{server, name, c}, err
}
