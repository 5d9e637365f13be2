// SPDX-License-Identifier: Apache-2.0

package loadgen

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"
)

// Server is a server in a process of its own, which ends with this one.
type Server struct {
	Address string
	Input   io.Closer // whose end ends the process; nil: a signal does
	command *exec.Cmd
	output  bytes.Buffer
	// profiles is where a profiled weft binary writes, and taking the file that its profile becomes.
	profiles, taking string
}

// startMax is the time a server may take to answer.
const startMax = 60 * time.Second

// Listens is for servers that are ready when their port is.
func Listens(address string) error {
	conn, err := net.DialTimeout("tcp", address, time.Second)
	if err != nil {
		return err
	}
	return conn.Close()
}

// Running is the server of a process that was started already.
func Running(command *exec.Cmd, address string, input io.Closer) *Server {
	return &Server{Address: address, Input: input, command: command}
}

// Start starts a process and waits until it is ready.
func Start(ctx context.Context, command *exec.Cmd, address string, ready func(address string) error) (*Server, error) {
	s := &Server{Address: address, command: command}
	command.Stdout, command.Stderr = &s.output, &s.output
	EndWithParent(command)
	if err := command.Start(); err != nil {
		return nil, err
	}
	for begun := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		err := ready(address)
		if err == nil {
			return s, nil
		}
		if time.Since(begun) > startMax || ctx.Err() != nil {
			return nil, errors.Join(fmt.Errorf("nobody answers on %s: %w: %s", address, err, s.Said()), s.Close())
		}
	}
}

// StartWeft starts the weft binary on a folder, with so much memory for blocks and one port, which a flag such as
// --mysql-addr names, and more flags. One that is built for profiles writes them beside the folder.
func (s *Settings) StartWeft(ctx context.Context, dir, cache, port string, ready func(address string) error,
	more ...string) (*Server, error) {
	address, err := FreeAddress()
	if err != nil {
		return nil, err
	}
	flags := []string{"serve", "--data", dir, "--block-cache", cache, "--log-level", "warn"}
	for _, one := range []string{"--dynamodb-addr", "--mysql-addr", "--admin-addr"} {
		if one != port {
			flags = append(flags, one, "off")
		}
	}
	command := exec.Command(s.Weft, append(append(flags, port, address), more...)...)
	command.Env = Environment()
	profiles := ""
	if s.Profiles != "" {
		profiles = dir + ".profile"
		command.Env = append(command.Env, ProfileVariable+"="+profiles)
	}
	server, err := Start(ctx, command, address, ready)
	if err == nil {
		server.profiles = profiles
	}
	return server, err
}

// Environment is this process's for the weft binary, without variables that are settings of Weft or of its tests.
func Environment() []string {
	return slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "WEFT_") })
}

// PID is the number of the process.
func (s *Server) PID() int { return s.command.Process.Pid }

// Said is the end of what the process has printed.
func (s *Server) Said() []byte { return s.output.Bytes()[max(s.output.Len()-1000, 0):] }

// Close ends the process.
func (s *Server) Close() error {
	if s.Input != nil {
		return errors.Join(s.Input.Close(), s.command.Wait())
	}
	return Stop(s.command)
}

// Profile starts a CPU profile of a weft binary that is built for that, or ends it if path is empty. Other servers have
// none.
func (s *Server) Profile(path string) error {
	switch {
	case s.profiles == "" || path == "" && s.taking == "":
		return nil
	case path != "":
		s.taking = path
		return s.command.Process.Signal(syscall.SIGUSR1)
	}
	if err := s.command.Process.Signal(syscall.SIGUSR2); err != nil {
		return err
	}
	time.Sleep(300 * time.Millisecond) // the profiler collects before it writes
	taken := s.taking
	s.taking = ""
	return os.Rename(s.profiles, taken)
}

// MissingError says that a server can't be had on this machine.
type MissingError struct{ Reason string }

// Error implements error.
func (e *MissingError) Error() string { return e.Reason }
