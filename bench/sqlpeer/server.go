// SPDX-License-Identifier: Apache-2.0

// Package sqlpeer starts servers that speak MySQL's protocol, Weft and MariaDB, and asks them with as little of a client as measuring needs. Programs that
// compare them have it in common.
//
// Knows: the servers' command lines, MySQL's protocol as a client sees it.
// Never: what is asked, or measured.
package sqlpeer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/weftdb/weft/bench/loadgen"
)

// Server is a server in a process of its own.
type Server struct {
	Address string
	Command *exec.Cmd
	output  bytes.Buffer
	// profiles is where a profiled weft binary writes, and taking the file that its profile becomes.
	profiles, taking string
}

// startMax is the time a server may take to answer.
const startMax = 60 * time.Second

// Start starts the process and waits until it lets a client in. The process ends with this one.
func Start(ctx context.Context, command *exec.Cmd, address string) (*Server, error) {
	s := &Server{Address: address, Command: command}
	command.Stdout, command.Stderr = &s.output, &s.output
	loadgen.EndWithParent(command)
	if err := command.Start(); err != nil {
		return nil, err
	}
	for begun := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		c, err := s.Dial("")
		if err == nil {
			return s, c.Close()
		}
		if time.Since(begun) > startMax || ctx.Err() != nil {
			return nil, errors.Join(fmt.Errorf("nobody answers on %s: %w: %s", address, err, s.output.Bytes()), s.Stop())
		}
	}
}

// PID is the number of the process.
func (s *Server) PID() int { return s.Command.Process.Pid }

// Dial signs in; database may be empty.
func (s *Server) Dial(database string) (*Client, error) { return Dial("tcp", s.Address, database) }

// Stop ends the process.
func (s *Server) Stop() error { return loadgen.Stop(s.Command) }

// Weft starts a weft binary that serves a folder by SQL alone, with so much memory for blocks. A binary that is built for profiles writes them beside the
// folder, when Profile says so.
func Weft(ctx context.Context, binary, dir, cache string, profiled bool) (*Server, error) {
	address, err := loadgen.FreeAddress()
	if err != nil {
		return nil, err
	}
	command := exec.Command(binary, "serve", "--data", dir, "--mysql-addr", address, "--dynamodb-addr", "off", "--admin-addr", "off", "--block-cache", cache, "--log-level", "warn")
	profiles := ""
	if profiled {
		profiles = dir + ".profile"
		command.Env = append(os.Environ(), loadgen.ProfileVariable+"="+profiles)
	}
	s, err := Start(ctx, command, address)
	if err == nil {
		s.profiles = profiles
	}
	return s, err
}

// Profile starts a CPU profile of a weft binary that is built for that, or ends it if path is empty. Other servers have none.
func (s *Server) Profile(path string) error {
	switch {
	case s.profiles == "" || path == "" && s.taking == "":
		return nil
	case path != "":
		s.taking = path
		return s.Command.Process.Signal(syscall.SIGUSR1)
	}
	if err := s.Command.Process.Signal(syscall.SIGUSR2); err != nil {
		return err
	}
	time.Sleep(300 * time.Millisecond) // the profiler collects before it writes
	taken := s.taking
	s.taking = ""
	return os.Rename(s.profiles, taken)
}

// MissingError says that a server can't be had on this machine.
type MissingError struct{ Reason string }

func (e *MissingError) Error() string { return e.Reason }

// MariaDB starts a server of its own, with its data in a new folder: each commit is durable, no binary log, 512 MiB of cache unless more, which is added to
// the command line, says otherwise. User root has no password.
func MariaDB(ctx context.Context, dir string, more ...string) (*Server, error) {
	server, err := exec.LookPath("mariadbd")
	if err != nil {
		return nil, &MissingError{"MariaDB is not installed (on Debian: apt-get install mariadb-server)"}
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	install := exec.CommandContext(ctx, "mariadb-install-db", "--no-defaults", "--datadir="+dir, "--auth-root-authentication-method=normal", "--user=root", "--skip-test-db")
	if said, err := install.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("mariadb-install-db: %w: %s", err, said)
	}
	address, err := loadgen.FreeAddress()
	if err != nil {
		return nil, err
	}
	_, port, _ := strings.Cut(address, ":")
	args := []string{"--no-defaults", "--user=root", "--datadir=" + dir, "--socket=" + filepath.Join(dir, "socket"), "--bind-address=127.0.0.1", "--port=" + port,
		"--skip-log-bin", "--innodb-flush-log-at-trx-commit=1", "--innodb-buffer-pool-size=512M", "--max-allowed-packet=64M", "--skip-name-resolve", "--query-cache-type=0"}
	return Start(ctx, exec.Command(server, append(args, more...)...), address)
}
