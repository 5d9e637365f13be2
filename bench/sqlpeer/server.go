// SPDX-License-Identifier: Apache-2.0

// Package sqlpeer starts servers that speak MySQL's protocol, Weft and MariaDB, and asks them with as little of a
// client as measuring needs. Programs that compare them have it in common.
//
// Knows: the servers' command lines, MySQL's protocol as a client sees it.
// Never: what is asked, or measured.
package sqlpeer

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/weftdb/weft/bench/loadgen"
)

// Server is a server in a process of its own.
type Server struct{ *loadgen.Server }

// Start starts the process and waits until it lets a client in.
func Start(ctx context.Context, command *exec.Cmd, address string) (*Server, error) {
	s, err := loadgen.Start(ctx, command, address, letsIn)
	return &Server{s}, err
}

func letsIn(address string) error {
	c, err := Dial("tcp", address, "")
	if err != nil {
		return err
	}
	return c.Close()
}

// Dial signs in; database may be empty.
func (s *Server) Dial(database string) (*Client, error) { return Dial("tcp", s.Address, database) }

// Weft starts the weft binary, which serves a folder by SQL alone, with so much memory for blocks.
func Weft(ctx context.Context, o *loadgen.Settings, dir, cache string) (*Server, error) {
	s, err := o.StartWeft(ctx, dir, cache, "--mysql-addr", letsIn)
	return &Server{s}, err
}

// MariaDB starts a server of its own, with its data in a new folder: each commit is durable, no binary log, 512 MiB of
// cache unless more, which is added to the command line, says otherwise. User root has no password.
func MariaDB(ctx context.Context, dir string, more ...string) (*Server, error) {
	server, err := exec.LookPath("mariadbd")
	if err != nil {
		return nil, &loadgen.MissingError{
			Reason: "MariaDB is not installed (on Debian: apt-get install mariadb-server)"}
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	install := exec.CommandContext(ctx, "mariadb-install-db", "--no-defaults", "--datadir="+dir,
		"--auth-root-authentication-method=normal", "--user=root", "--skip-test-db")
	if said, err := install.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("mariadb-install-db: %w: %s", err, said)
	}
	address, err := loadgen.FreeAddress()
	if err != nil {
		return nil, err
	}
	_, port, _ := strings.Cut(address, ":")
	args := []string{"--no-defaults", "--user=root", "--datadir=" + dir, "--socket=" + filepath.Join(dir, "socket"),
		"--bind-address=127.0.0.1", "--port=" + port,
		"--skip-log-bin", "--innodb-flush-log-at-trx-commit=1", "--innodb-buffer-pool-size=512M",
		"--max-allowed-packet=64M", "--skip-name-resolve", "--query-cache-type=0"}
	return Start(ctx, exec.Command(server, append(args, more...)...), address)
}
