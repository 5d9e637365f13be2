// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/weftdb/weft/cmd/weft/endpoint"
)

// TestMain lets tests run this binary as weft itself.
func TestMain(m *testing.M) {
	if os.Getenv("WEFT_TEST_MAIN") != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// logBuffer collects log lines and tells when a message comes.
type logBuffer struct {
	mu    sync.Mutex
	lines []string
	waits map[string]chan struct{}
}

func (b *logBuffer) Write(line []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.lines = append(b.lines, string(line))
	for message, reached := range b.waits {
		if strings.Contains(string(line), message) {
			close(reached)
			delete(b.waits, message)
		}
	}
	return len(line), nil
}

// reached returns a channel that is closed when the next line with message is logged.
func (b *logBuffer) reached(message string) <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.waits == nil {
		b.waits = map[string]chan struct{}{}
	}
	b.waits[message] = make(chan struct{})
	return b.waits[message]
}

func (b *logBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return strings.Join(b.lines, "")
}

// openServer opens a server in memory that serves the admin port only.
func openServer(t *testing.T, flags map[string]string) (*server, *logBuffer) {
	t.Helper()
	given := map[string]string{"engine": "mem", "dynamodb-addr": off, "mysql-addr": off, "admin-addr": "127.0.0.1:0",
		"log-level": "debug", "log-format": "text"}
	for name, v := range flags {
		given[name] = v
	}
	c, _, err := resolve(inputs{flags: given})
	if err != nil {
		t.Fatal(err)
	}
	log := new(logBuffer)
	s := &server{config: c, log: newLogger(log, c), exit: func(code int) { t.Errorf("exit %d", code) }}
	if err := s.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s, log
}

// addProtocol adds an HTTP server with the test's handler.
func addProtocol(t *testing.T, s *server, handler http.HandlerFunc) protocol {
	t.Helper()
	d, err := endpoint.ListenHTTP(endpoint.Options{Name: "test", Addr: "127.0.0.1:0", Bound: s.bound,
		WithID: withRequestID, Handler: handler, BodyBytesMax: 100, Log: s.log, Metrics: s.metrics})
	if err != nil {
		t.Fatal(err)
	}
	s.start(d)
	return d
}

// get returns status and body. Connections are not kept.
func get(d protocol, path string) (string, error) {
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	reply, err := client.Get("http://" + d.Addr().String() + path)
	if err != nil {
		return "", err
	}
	defer reply.Body.Close()
	body, err := io.ReadAll(reply.Body)
	return fmt.Sprintf("%d %s", reply.StatusCode, body), err
}

func mustGet(t *testing.T, d protocol, path, want string) {
	t.Helper()
	if got, err := get(d, path); err != nil || !strings.Contains(got, want) {
		t.Errorf("%s: %q, %v; want %q", path, got, err, want)
	}
}

func admin(s *server) protocol { return s.protocols[len(s.protocols)-1] }

// TestDrain stops a server while a request is running: the server is alive but not ready, the request ends well,
// nothing new is taken.
func TestDrain(t *testing.T) {
	s, log := openServer(t, nil)
	arrived, release := make(chan struct{}), make(chan struct{})
	slow := addProtocol(t, s, func(w http.ResponseWriter, _ *http.Request) {
		close(arrived)
		<-release
		fmt.Fprint(w, "done")
	})
	mustGet(t, admin(s), "/healthz", "200 ok")
	mustGet(t, admin(s), "/readyz", "200 ready")
	mustGet(t, admin(s), "/metrics", `weft_build_info{go_version=`)
	ctx, stop := context.WithCancel(t.Context())
	run := make(chan error)
	go func() { run <- s.Run(ctx) }()
	answer := make(chan string)
	go func() {
		got, err := get(slow, "/")
		answer <- fmt.Sprint(got, err)
	}()
	<-arrived
	begun := log.reached("draining")
	stop()
	<-begun
	mustGet(t, admin(s), "/readyz", "503 not ready: draining")
	mustGet(t, admin(s), "/healthz", "200 ok")
	close(release)
	if got := <-answer; got != "200 done<nil>" {
		t.Errorf("the request in flight got %s", got)
	}
	if err := <-run; err != nil {
		t.Errorf("Run: %v", err)
	}
	if got, err := get(slow, "/"); err == nil {
		t.Errorf("a request after the drain got %s", got)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if got, err := get(admin(s), "/healthz"); err == nil {
		t.Errorf("a request after Close got %s", got)
	}
}

// TestDrainEnds cuts off a request that takes longer than the drain; its handler sees its context end.
func TestDrainEnds(t *testing.T) {
	s, log := openServer(t, map[string]string{"drain": "1ms"})
	arrived, ended := make(chan struct{}), make(chan struct{})
	slow := addProtocol(t, s, func(_ http.ResponseWriter, r *http.Request) {
		close(arrived)
		<-r.Context().Done()
		close(ended)
	})
	ctx, stop := context.WithCancel(t.Context())
	run := make(chan error)
	go func() { run <- s.Run(ctx) }()
	answer := make(chan error)
	go func() {
		_, err := get(slow, "/")
		answer <- err
	}()
	<-arrived
	stop()
	if err := <-run; err != nil {
		t.Errorf("Run: %v", err)
	}
	<-ended
	if err := <-answer; err == nil {
		t.Error("the request was answered")
	}
	if !strings.Contains(log.String(), "requests were cut off") {
		t.Errorf("the log does not tell:\n%s", log)
	}
}

// TestPanic shows that a bug in one request is logged with the request's id, counted, and ends nothing else.
func TestPanic(t *testing.T) {
	s, log := openServer(t, nil)
	var id string
	d := addProtocol(t, s, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/bug" {
			id = r.Header.Get(endpoint.RequestIDHeader)
			panic("off by one")
		}
		fmt.Fprint(w, "fine")
	})
	if got, err := get(d, "/bug"); err == nil {
		t.Errorf("the request got %s", got)
	}
	mustGet(t, d, "/", "200 fine")
	mustGet(t, admin(s), "/metrics", `weft_panics_total{protocol="test"} 1`)
	if !strings.Contains(log.String(), `panic="off by one"`) || len(id) < 20 ||
		!strings.Contains(log.String(), "request="+id) {
		t.Errorf("the log lacks the panic or the id %q:\n%s", id, log)
	}
}

// TestLimits sends more than a server accepts.
func TestLimits(t *testing.T) {
	s, _ := openServer(t, nil)
	d := addProtocol(t, s, func(_ http.ResponseWriter, r *http.Request) {
		if r.Header.Get(endpoint.RequestIDHeader) == "mine" {
			t.Error("the client chose its request's id")
		}
	})
	post := func(body string, header http.Header) (string, error) {
		request, err := http.NewRequest("POST", "http://"+d.Addr().String(), strings.NewReader(body))
		if err != nil {
			return "", err
		}
		request.Header = header
		reply, err := http.DefaultClient.Do(request)
		if err != nil {
			return "", err
		}
		defer reply.Body.Close()
		text, err := io.ReadAll(reply.Body)
		return fmt.Sprintf("%d %s", reply.StatusCode, text), err
	}
	if got, err := post(strings.Repeat("x", 101),
		http.Header{endpoint.RequestIDHeader: {"mine"}}); got != "413 the request is longer than 100 bytes\n" {
		t.Errorf("a long body got %q, %v", got, err)
	}
	if got, err := post("", http.Header{"X-Long": {strings.Repeat("x", 80<<10)}}); !strings.HasPrefix(got, "431") {
		t.Errorf("long headers got %q, %v", got, err)
	}
}

// TestFailures are servers that can't open or go on.
func TestFailures(t *testing.T) {
	t.Run("port in use", func(t *testing.T) {
		taken, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer taken.Close()
		folder := t.TempDir() + "/data"
		for _, name := range []string{"admin", "mysql", "hbase-thrift1"} {
			var stderr bytes.Buffer
			p := &program{stderr: &stderr, readFile: os.ReadFile, exit: func(int) {}}
			if code := p.run(t.Context(), []string{"serve", "--data=" + folder, "--dynamodb-addr=off", "--mysql-addr=off",
				"--admin-addr=off", "--" + name + "-addr=" + taken.Addr().String()}); code != exitFailed {
				t.Errorf("exit %d, want %d", code, exitFailed)
			}
			if !strings.Contains(stderr.String(), "weft: the "+name+" port can't listen on "+taken.Addr().String()) ||
				!strings.Contains(stderr.String(), "choose another port with --"+name+"-addr, such as 127.0.0.1:") {
				t.Errorf("standard error is %q", stderr.String())
			}
		}
		if _, err := os.Stat(folder); err == nil {
			t.Error("a server that could not listen has made a folder")
		}
	})
	t.Run("store", func(t *testing.T) {
		s, log := openServer(t, nil)
		code := 0
		s.exit = func(c int) { code = c }
		s.fatal(errors.New("disk on fire"))
		if code != 70 || !strings.Contains(log.String(), "disk on fire") {
			t.Errorf("exit %d, log:\n%s", code, log)
		}
	})
	t.Run("protocol", func(t *testing.T) {
		s, _ := openServer(t, nil)
		s.start(brokenProtocol{addProtocol(t, s, nil)})
		if err := s.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "the test port failed") {
			t.Errorf("Run: %v", err)
		}
	})
}

// brokenProtocol fails at once.
type brokenProtocol struct{ protocol }

func (brokenProtocol) Serve() error { return errors.New("the cable was cut") }

// TestSignals runs the binary: SIGTERM ends it well.
func TestSignals(t *testing.T) {
	command := exec.Command(os.Args[0], "serve", "--engine=mem", "--dynamodb-addr=off", "--mysql-addr=off",
		"--admin-addr=127.0.0.1:0")
	// those of tests
	environ := slices.DeleteFunc(os.Environ(),
		func(variable string) bool { return strings.HasPrefix(variable, "WEFT_") })
	command.Env = append(environ, "WEFT_TEST_MAIN=1")
	stderr, err := command.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	var messages []string
	for scanner := bufio.NewScanner(stderr); scanner.Scan(); {
		var line struct{ Msg, Admin string }
		if err := json.Unmarshal(scanner.Bytes(), &line); err != nil {
			t.Errorf("not JSON: %s", scanner.Bytes())
		}
		messages = append(messages, line.Msg)
		if line.Msg == "ready" {
			if _, _, err := net.SplitHostPort(line.Admin); err != nil {
				t.Errorf("the admin port is not told: %s", scanner.Bytes())
			}
			if err := command.Process.Signal(syscall.SIGTERM); err != nil {
				t.Error(err)
			}
		}
	}
	if err := command.Wait(); err != nil {
		t.Error(err)
	}
	if got, want := strings.Join(messages, ", "), "ready, signal, draining, stopped"; got != want {
		t.Errorf("logged %s; want %s", got, want)
	}
}

// TestReadyJSON: with port 0 everywhere, the line on standard output says where each protocol is served, and nothing
// else comes there.
func TestReadyJSON(t *testing.T) {
	command := exec.Command(os.Args[0], "serve", "--engine=mem", "--dynamodb-addr=127.0.0.1:0", "--mysql-addr=127.0.0.1:0",
		"--hbase-addr=127.0.0.1:0", "--hbase-thrift1-addr=127.0.0.1:0", "--admin-addr=127.0.0.1:0", "--ready-json")
	environ := slices.DeleteFunc(os.Environ(),
		func(variable string) bool { return strings.HasPrefix(variable, "WEFT_") })
	command.Env = append(environ, "WEFT_TEST_MAIN=1")
	stdout, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(stdout)
	lines.Scan()
	var line readiness
	if err := json.Unmarshal(lines.Bytes(), &line); err != nil || line.PID != command.Process.Pid || line.Engine != "mem" {
		t.Errorf("%s: %v", lines.Bytes(), err)
	}
	for _, name := range []string{"dynamodb", "mysql", "hbase", "hbase-thrift1", "admin", "console"} {
		address := strings.TrimSuffix(strings.TrimPrefix(line.Endpoints[name], "http://"), "/console/")
		connection, err := net.Dial("tcp", address)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		_ = connection.Close()
	}
	if err := command.Process.Signal(syscall.SIGTERM); err != nil {
		t.Error(err)
	}
	if lines.Scan() {
		t.Errorf("standard output also has %s", lines.Bytes())
	}
	if err := command.Wait(); err != nil {
		t.Error(err)
	}
}

// TestSecondSignal ends the process with the signal's code.
func TestSecondSignal(t *testing.T) {
	codes := make(chan int, 1)
	log := new(logBuffer)
	p := &program{stderr: io.Discard, exit: func(code int) { codes <- code }}
	ctx, stop := p.stopOnSignal(t.Context(), &server{log: slog.New(slog.NewTextHandler(log, nil))})
	defer stop()
	signalSelf := func() {
		if err := syscall.Kill(os.Getpid(), syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
	}
	signalSelf()
	<-ctx.Done()
	signalSelf()
	if code := <-codes; code != 128+int(syscall.SIGTERM) {
		t.Errorf("exit %d", code)
	}
}

// TestLogger checks format and level by configuration, and the request's id in derived loggers.
func TestLogger(t *testing.T) {
	var out bytes.Buffer
	log := newLogger(&out, &config{LogFormat: "auto", LogLevel: "warn"}).With("protocol", "test").WithGroup("g")
	log.InfoContext(t.Context(), "hidden")
	log.WarnContext(withRequestID(t.Context(), "R1"), "shown", "n", 1, "share", 2.0/3)
	var line struct {
		Msg, Protocol string
		G             struct {
			N       int
			Share   float64
			Request string
		}
		Time time.Time
	}
	if err := json.Unmarshal(out.Bytes(), &line); err != nil {
		t.Fatalf("%v: %s", err, out.Bytes())
	}
	if line.Msg != "shown" || line.Protocol != "test" || line.G.N != 1 || line.G.Share != 0.667 ||
		line.G.Request != "R1" || line.Time.IsZero() {
		t.Errorf("logged %s", out.Bytes())
	}
}

// TestModes: the log tells of secrets that others may read.
func TestModes(t *testing.T) {
	for mode, told := range map[os.FileMode]bool{0o600: false, 0o400: false, 0o644: true, 0o620: true} {
		key := filepath.Join(t.TempDir(), "master.key")
		if err := errors.Join(os.WriteFile(key, []byte(base64.StdEncoding.EncodeToString(make([]byte, 32))), mode),
			os.Chmod(key, mode)); err != nil {
			t.Fatal(err)
		}
		_, log := openServer(t, map[string]string{"master-key-file": key})
		if got := strings.Contains(log.String(), "other accounts may use the master key"); got != told {
			t.Errorf("mode %o: %t, %s", mode, got, log.String())
		}
	}
}
