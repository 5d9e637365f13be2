// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
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
	name string
}

// load makes the tables. options is what follows CREATE TABLE.
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
	} {
		if _, err := connection.Query(statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	if err := fill(connection, "narrow", c.Rows); err != nil {
		return err
	}
	if !slices.Contains(c.Operations, opGroup) {
		return nil
	}
	return fill(connection, "wide", c.GroupRows)
}

// openPeers starts the servers and loads their tables. After an error, too, the peers are the caller's to close.
func openPeers(ctx context.Context, c *config) (peers []*peer, skipped []string, err error) {
	for _, name := range peerNames() {
		if !slices.Contains(c.Peers, name) {
			continue
		}
		fmt.Fprintf(c.Log, "starting %s and loading its tables\n", name)
		open := openMariaDB
		switch name {
		case peerWeft:
			open = openWeft
		case peerEcho:
			open = openEcho
		}
		p, err := open(ctx, c, name)
		var missing *sqlpeer.MissingError
		switch {
		case errors.As(err, &missing):
			skipped = append(skipped, fmt.Sprintf("%s was not measured: %s", name, missing.Reason))
		case err != nil:
			return peers, skipped, fmt.Errorf("%s: %w", name, err)
		default:
			peers = append(peers, p)
		}
	}
	return peers, skipped, nil
}

func closePeers(peers []*peer) error {
	var errs []error
	for _, p := range peers {
		errs = append(errs, p.Stop())
	}
	return errors.Join(errs...)
}

// openWeft starts the binary of this tree. It is started anew after loading: the first start brings what was loaded from the log into tables, the
// second has nothing to do.
func openWeft(ctx context.Context, c *config, name string) (p *peer, err error) {
	if c.Weft == "" {
		if c.Profiles != "" {
			err = os.MkdirAll(c.Profiles, 0o755)
		}
		if err == nil {
			c.Weft, err = loadgen.BuildWeft(c.Dir, c.Profiles != "")
		}
		if err != nil {
			return nil, err
		}
	}
	for i := range 3 {
		if p, err = startWeft(ctx, c, name, cacheBytes); err != nil {
			return nil, err
		}
		if i == 0 {
			err = p.load(ctx, c, "")
		}
		if err != nil || i < 2 {
			err = errors.Join(err, p.Stop())
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
	server, err := sqlpeer.Weft(ctx, c.Weft, filepath.Join(c.Dir, name), cache, c.Profiles != "")
	return &peer{Server: server, name: name}, err
}
