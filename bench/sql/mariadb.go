// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/weftdb/weft/bench/loadgen"
)

const noMariaDB = "MariaDB is not installed (on Debian: apt-get install mariadb-server mariadb-plugin-rocksdb)"

// rocksPlugin is where Debian's package puts MyRocks.
const rocksPlugin = "/usr/lib/mysql/plugin/ha_rocksdb.so"

// openMariaDB starts a server of its own, with its data in a folder of its own: each commit is durable, no binary log, 512 MiB of cache for the engine that
// is measured.
func openMariaDB(ctx context.Context, c *config, name string) (*peer, error) {
	server, err := exec.LookPath("mariadbd")
	if err != nil {
		return nil, &missingError{noMariaDB}
	}
	if _, err := os.Stat(rocksPlugin); err != nil && name == peerMyRocks {
		return nil, &missingError{noMariaDB}
	}
	dir := filepath.Join(c.Dir, name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	install := exec.CommandContext(ctx, "mariadb-install-db", "--no-defaults", "--datadir="+dir, "--auth-root-authentication-method=normal", "--user=root", "--skip-test-db")
	if said, err := install.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("mariadb-install-db: %w: %s", err, said)
	}
	p := &peer{name: name}
	if p.address, err = loadgen.FreeAddress(); err != nil {
		return nil, err
	}
	_, port, err := net.SplitHostPort(p.address)
	if err != nil {
		return nil, err
	}
	args := []string{"--no-defaults", "--user=root", "--datadir=" + dir, "--socket=" + filepath.Join(dir, "socket"), "--bind-address=127.0.0.1", "--port=" + port,
		"--skip-log-bin", "--innodb-flush-log-at-trx-commit=1", "--innodb-buffer-pool-size=512M", "--max-allowed-packet=64M", "--skip-name-resolve", "--query-cache-type=0"}
	options := " ENGINE=InnoDB"
	if name == peerMyRocks {
		options = " ENGINE=ROCKSDB"
		args = append(args, "--plugin-load-add=ha_rocksdb", "--rocksdb-flush-log-at-trx-commit=1", "--rocksdb-block-cache-size=512M", "--innodb-buffer-pool-size=16M")
	}
	p.command = exec.Command(server, args...)
	loadgen.EndWithParent(p.command)
	if err := p.start(ctx); err != nil {
		return nil, err
	}
	if err := p.load(ctx, c, options); err != nil {
		return nil, errors.Join(err, loadgen.Stop(p.command))
	}
	return p, nil
}
