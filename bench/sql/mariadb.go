// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/weftdb/weft/bench/loadgen"
	"github.com/weftdb/weft/bench/sqlpeer"
)

// rocksPlugin is the path at which Debian's package installs MyRocks.
const rocksPlugin = "/usr/lib/mysql/plugin/ha_rocksdb.so"

// openMariaDB starts a server of its own: 512 MiB of cache for the engine that is measured.
func openMariaDB(ctx context.Context, c *config, name string) (*peer, error) {
	var more []string
	options := " ENGINE=InnoDB"
	if name == peerMyRocks {
		if _, err := os.Stat(rocksPlugin); err != nil {
			return nil, &loadgen.MissingError{
				Reason: "MyRocks is not installed (on Debian: apt-get install mariadb-plugin-rocksdb)"}
		}
		options = " ENGINE=ROCKSDB"
		more = []string{"--plugin-load-add=ha_rocksdb", "--rocksdb-flush-log-at-trx-commit=1",
			"--rocksdb-block-cache-size=512M", "--innodb-buffer-pool-size=16M"}
	}
	server, err := sqlpeer.MariaDB(ctx, filepath.Join(c.Dir, name), more...)
	if err != nil {
		return nil, err
	}
	p := &peer{server, name, c}
	if err := p.load(ctx, c, options); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}
