// SPDX-License-Identifier: Apache-2.0

package harness

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// readyTimeout is the time a server may take to open its folder; stopTimeout how long it may take to end after SIGTERM.
const (
	readyTimeout = 60 * time.Second
	stopTimeout  = 30 * time.Second
)

// Build compiles cmd/weft into a folder that lives as long as the test and returns the binary's path. A test that can't
// build it fails.
func Build(t testing.TB) string {
	t.Helper()
	binary, err := Compile(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return binary
}

// binaryVariable names a binary to test in place of one that is built from these sources. `make test` builds it once
// for all packages.
const binaryVariable = "WEFT_TEST_BINARY"

// Compile returns the path of the binary to test: WEFT_TEST_BINARY, or cmd/weft compiled into the folder.
func Compile(dir string) (binary string, err error) {
	if binary = os.Getenv(binaryVariable); binary != "" {
		return binary, nil
	}
	binary = filepath.Join(dir, "weft")
	command := exec.Command("go", "build", "-o", binary, "github.com/weftdb/weft/cmd/weft")
	if output, err := command.CombinedOutput(); err != nil {
		return "", fmt.Errorf("cmd/weft can't be built: %w\n%s", err, output)
	}
	return binary, nil
}

// Options say how a server runs.
type Options struct {
	// Data is the folder. Default of Start: one that lives as long as the test.
	Data string
	// Args are more arguments of `weft serve`.
	Args []string
}

// Server is one running process of the binary. Its methods are safe for concurrent use.
type Server struct {
	Data  string        // its folder
	Ready time.Duration // from the start of the process until it said that it was ready

	binary  string
	listens addresses
	process *exec.Cmd
	log     journal
	exited  chan struct{} // closed when the process has ended
	err     error         // how it ended; read after exited
}

// Start runs `weft serve` and waits until it answers. The process is killed at the end of the test if it still runs.
func Start(t testing.TB, binary string, o Options) *Server {
	t.Helper()
	if o.Data == "" {
		o.Data = t.TempDir()
	}
	s, err := Launch(binary, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Kill)
	return s
}

// Launch is Start outside of a test: the caller ends the process by Kill or Stop.
func Launch(binary string, o Options) (*Server, error) {
	args := append([]string{"serve", "--data", o.Data, "--dynamodb-addr", "127.0.0.1:0", "--mysql-addr", "127.0.0.1:0",
		"--admin-addr", "off", "--log-format", "json"}, o.Args...)
	s := &Server{Data: o.Data, binary: binary, process: exec.Command(binary, args...), exited: make(chan struct{})}
	s.process.Env, s.process.SysProcAttr = Environ(), noOrphan()
	begun := time.Now()
	lines, err := s.process.StderrPipe()
	if err == nil {
		err = s.process.Start()
	}
	if err != nil {
		return nil, fmt.Errorf("%s can't be started: %w", binary, err)
	}
	ready := make(chan addresses, 1)
	go s.follow(lines, ready)
	select {
	case listening := <-ready:
		s.listens = listening
		s.Ready = time.Since(begun)
		return s, nil
	case <-s.exited:
		return nil, fmt.Errorf("the server ended before it was ready: %w\n%s", s.err, s.Log())
	case <-time.After(readyTimeout):
		s.Kill()
		return nil, fmt.Errorf("the server was not ready after %v\n%s", readyTimeout, s.Log())
	}
}

// Addr returns host:port of DynamoDB's API.
func (s *Server) Addr() string {
	s.note()
	return s.listens.DynamoDB
}

// SQL returns host:port of MySQL's protocol.
func (s *Server) SQL() string {
	s.note()
	return s.listens.MySQL
}

// Admin returns host:port of the admin port, which is off unless Args say where it is.
func (s *Server) Admin() string {
	s.note()
	return s.listens.Admin
}

// note shows the binary to the go command, which runs cached tests again when a file that they asked for has changed.
func (s *Server) note() { _, _ = os.Stat(s.binary) }

// Command returns a command of the binary, with Environ.
func Command(ctx context.Context, binary string, args ...string) *exec.Cmd {
	command := exec.CommandContext(ctx, binary, args...)
	command.Env = Environ()
	return command
}

// Environ is the environment without the settings of tests: the binary refuses variables of its prefix that it does not
// know.
func Environ() []string {
	return slices.DeleteFunc(os.Environ(), func(variable string) bool {
		name, _, _ := strings.Cut(variable, "=")
		return name == "WEFT_ROUNDS" || name == "WEFT_BASE" || strings.HasPrefix(name, "WEFT_TEST_")
	})
}

// addresses are the addresses that a server tells when it is ready.
type addresses struct {
	Message  string `json:"msg"`
	DynamoDB string `json:"dynamodb"`
	MySQL    string `json:"mysql"`
	Admin    string `json:"admin"`
}

// follow reads the log until the process ends, and passes on the addresses of its ports.
func (s *Server) follow(lines io.Reader, ready chan<- addresses) {
	scanner := bufio.NewScanner(lines)
	scanner.Buffer(nil, 1<<20)
	for scanner.Scan() {
		s.log.add(scanner.Bytes())
		var line addresses
		if json.Unmarshal(scanner.Bytes(), &line) == nil && line.Message == "ready" {
			ready <- line
		}
	}
	_, _ = io.Copy(io.Discard, lines)
	s.err = s.process.Wait()
	close(s.exited)
}

// Kill ends the process at once, as kill -9 does, and waits until it is gone.
func (s *Server) Kill() {
	_ = s.process.Process.Kill() // fails only if it has ended
	<-s.exited
}

// Stop ends the process in good order, by SIGTERM. Errors: it did not exit with code 0, or not in time.
func (s *Server) Stop() error {
	if err := s.process.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	select {
	case <-s.exited:
		return s.err
	case <-time.After(stopTimeout):
		s.Kill()
		return fmt.Errorf("the server did not stop within %v", stopTimeout)
	}
}

// PID is the number of the process.
func (s *Server) PID() int { return s.process.Process.Pid }

// Exited is closed when the process has ended.
func (s *Server) Exited() <-chan struct{} { return s.exited }

// Log returns what the process has logged last.
func (s *Server) Log() string { return s.log.text() }

// journalBytesMax bounds the kept part of a log.
const journalBytesMax = 64 << 10

// journal keeps the end of a log.
type journal struct {
	mu   sync.Mutex
	kept bytes.Buffer
}

func (j *journal) add(line []byte) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.kept.Len() > journalBytesMax {
		j.kept.Next(journalBytesMax / 2)
	}
	j.kept.Write(line)
	j.kept.WriteByte('\n')
}

func (j *journal) text() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.kept.String()
}

// Run runs another command of the binary, and returns what it printed. An error has its log.
func Run(binary string, args ...string) (string, error) {
	var output, log bytes.Buffer
	command := Command(context.Background(), binary, args...)
	command.Stdout, command.Stderr = &output, &log
	if err := command.Run(); err != nil {
		return output.String(), fmt.Errorf("weft %s: %w\n%s", strings.Join(args, " "), err, log.String())
	}
	return output.String(), nil
}

// Verify runs `weft verify` on the folder of a server that has ended, and fails the test if it finds a fault. It
// returns what it printed.
func Verify(t testing.TB, binary, data string) string {
	t.Helper()
	output, err := Run(binary, "verify", "--data", data)
	if err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	return output
}
