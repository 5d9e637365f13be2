// SPDX-License-Identifier: Apache-2.0

// Package rolling tests gateways of two versions of Weft over one store at once, as during a rolling upgrade.
//
// Knows: git, the go command, package sharedstore, the engines that can be shared.
// Never: what the versions differ in.
package rolling

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/kv/mem"
	"github.com/weftdb/weft/kv/tikv"
	"github.com/weftdb/weft/kv/tikv/tikvtest"
	"github.com/weftdb/weft/test/rolling/sharedstore"
)

// oldest is the variable with the commit of the older version; 1 is the last one that is so many hours older than the
// present one.
const (
	oldest = "WEFT_ROLLING"
	hours  = 6
)

// TestRollingUpgrade replaces two gateways of an older commit by present ones, one after the other, while rows are
// written through all and indexes are added and dropped by either version. It runs in long tests: see Makefile.
func TestRollingUpgrade(t *testing.T) {
	if os.Getenv(oldest) == "" {
		t.Skip(oldest + " is not set: it names the commit to upgrade from, or is 1 for one of some hours before")
	}
	before, after := buildOld(t), build(t, "..")
	t.Run("mem", func(t *testing.T) {
		store := mem.Open(mem.Options{})
		defer store.Close()
		upgrade(t, before, after, func() (kv.Store, error) { return store.Share(), nil })
	})
	// Both versions use the present engine, which the host has: the mock cluster has no network.
	t.Run("tikv", func(t *testing.T) {
		defer tikvtest.Quiet()()
		cluster, err := tikvtest.Start()
		if err != nil {
			t.Fatal(err)
		}
		defer cluster.Close()
		upgrade(t, before, after, func() (kv.Store, error) { return cluster.Open(tikv.Options{}) })
	})
}

// upgrade is TestRollingUpgrade over one store, of which open makes handles.
func upgrade(t *testing.T, before, after string, open func() (kv.Store, error)) {
	h := &host{t: t, open: open, address: filepath.Join(t.TempDir(), "store")}
	h.listen()
	defer h.close()
	first, second := h.start(before), h.start(before)
	first.do(request{Do: "create"})
	h.fill(first, second, 0)
	first.do(request{Do: "index", Index: "a"})

	second.stop()
	second = h.start(after)
	h.whileWriting(first, second, 1, request{Do: "index", Index: "b"})
	h.whileWriting(second, first, 2, request{Do: "drop", Index: "a"})
	h.whileWriting(second, first, 3, request{Do: "index", Index: "a"})
	h.check(first, second)

	first.stop()
	first = h.start(after)
	h.whileWriting(first, second, 4, request{Do: "drop", Index: "b"})
	h.check(first, second)
	first.stop()
	second.stop()
}

// request and answer are those of command version.
type request struct {
	Do    string
	Key   int
	Text  string
	Index string
}

type answer struct {
	Error  string
	Number int64
}

// host is the process that has the store.
type host struct {
	t         *testing.T
	open      func() (kv.Store, error)
	address   string
	listener  net.Listener
	gateways  sync.WaitGroup
	processes []*process
	added     int64
}

func (h *host) listen() {
	var err error
	if h.listener, err = net.Listen("unix", h.address); err != nil {
		h.t.Fatal(err)
	}
	h.gateways.Go(func() {
		for {
			connection, err := h.listener.Accept()
			if err != nil {
				return
			}
			h.gateways.Go(func() { h.serve(connection) })
		}
	})
}

// serve gives one gateway a handle of its own.
func (h *host) serve(connection net.Conn) {
	store, err := h.open()
	if err == nil {
		err = errors.Join(sharedstore.Serve(connection, store), store.Close())
	}
	if err != nil {
		h.t.Error(err)
	}
}

// close ends all gateways, and returns when nobody uses the store.
func (h *host) close() {
	for _, p := range h.processes {
		p.stop()
	}
	h.listener.Close()
	h.gateways.Wait()
}

// process is a gateway.
type process struct {
	t       *testing.T
	command *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Scanner
	once    sync.Once
}

func (h *host) start(program string) *process {
	h.t.Helper()
	p := &process{t: h.t, command: exec.Command(program, h.address)}
	in, err := p.command.StdinPipe()
	if err != nil {
		h.t.Fatal(err)
	}
	out, err := p.command.StdoutPipe()
	if err != nil {
		h.t.Fatal(err)
	}
	p.in, p.out = in, bufio.NewScanner(out)
	if testing.Verbose() {
		p.command.Stderr = os.Stderr
	}
	if err := p.command.Start(); err != nil {
		h.t.Fatal(err)
	}
	h.processes = append(h.processes, p)
	return p
}

// stop ends a gateway in good order.
func (p *process) stop() {
	p.once.Do(func() {
		p.in.Close()
		if err := p.command.Wait(); err != nil {
			p.t.Errorf("%s: %v", p.command.Path, err)
		}
	})
}

// do asks for something that must succeed.
func (p *process) do(q request) int64 {
	p.t.Helper()
	line, err := json.Marshal(q)
	if err == nil {
		_, err = p.in.Write(append(line, '\n'))
	}
	if err != nil {
		p.t.Error(err)
		return 0
	}
	var a answer
	if !p.out.Scan() {
		p.t.Errorf("%s has ended at %+v: %v", p.command.Path, q, p.out.Err())
		return 0
	}
	if err := json.Unmarshal(p.out.Bytes(), &a); err != nil || a.Error != "" {
		p.t.Errorf("%s: %+v: %s%v", p.command.Path, q, a.Error, err)
	}
	return a.Number
}

const (
	rows    = 60
	counter = 1000 // the key of a row that all gateways add to
)

// fill writes rows through both in turn.
func (h *host) fill(first, second *process, round int) {
	for i := range rows {
		p := []*process{first, second}[i%2]
		h.write(p, i, round)
	}
}

func (h *host) write(p *process, i, round int) {
	if (i+round)%7 == 0 {
		p.do(request{Do: "delete", Key: i})
	} else {
		p.do(request{Do: "put", Key: i, Text: fmt.Sprint((i + round) % 5)})
	}
	h.added++
	if n := p.do(request{Do: "add", Key: counter}); n != h.added {
		h.t.Errorf("%s has counted to %d, want %d", p.command.Path, n, h.added)
	}
}

// whileWriting has one gateway change the schema while the other one writes; then both write.
func (h *host) whileWriting(changer, writer *process, round int, change request) {
	h.t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); changer.do(change) }()
	for i, open := 0, true; open; i++ {
		select {
		case <-done:
			open = false
		default:
			h.write(writer, i%rows, round)
		}
	}
	h.fill(changer, writer, round)
}

// check compares what both say of the table.
func (h *host) check(first, second *process) {
	h.t.Helper()
	if a, b := first.do(request{Do: "verify"}), second.do(request{Do: "verify"}); a != b || a == 0 {
		h.t.Errorf("the indexes have %d entries and %d", a, b)
	}
	if a, b := first.do(request{Do: "count", Index: "a"}), second.do(request{Do: "count", Index: "a"}); a != b || a == 0 {
		h.t.Errorf("index a has %d rows and %d", a, b)
	}
}

// build builds command version in module test of a tree.
func build(t *testing.T, module string) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "version")
	command := exec.Command("go", "build", "-o", program, "./rolling/version")
	command.Dir = module
	if out, err := command.CombinedOutput(); err != nil {
		if module != ".." {
			t.Skipf("the older commit has no such gateway: %v: %.300s", err, out)
		}
		t.Fatalf("%v: %s", err, out)
	}
	return program
}

// buildOld builds command version with the code of the older commit.
func buildOld(t *testing.T) string {
	t.Helper()
	commit := os.Getenv(oldest)
	if commit == "1" {
		now, err := strconv.Atoi(git(t, "log", "-1", "--format=%ct", "HEAD"))
		if err != nil {
			t.Fatal(err)
		}
		commit = git(t, "rev-list", "-1", fmt.Sprint("--before=", now-hours*60*60), "HEAD")
	}
	tree, archive := t.TempDir(), filepath.Join(t.TempDir(), "old.tar")
	git(t, "-C", git(t, "rev-parse", "--show-toplevel"), "archive", "-o", archive, commit)
	if out, err := exec.Command("tar", "-xf", archive, "-C", tree).CombinedOutput(); err != nil {
		t.Skipf("tar: %v: %s", err, out)
	}
	for _, part := range []string{"sharedstore", "version"} {
		if err := os.CopyFS(filepath.Join(tree, "test", "rolling", part), os.DirFS(part)); err != nil && !os.IsExist(err) {
			t.Fatal(err)
		}
	}
	t.Logf("upgrading from %s", git(t, "log", "-1", "--format=%h %cd %s", commit))
	return build(t, filepath.Join(tree, "test"))
}

// git runs git, without which the test is skipped.
func git(t *testing.T, arguments ...string) string {
	t.Helper()
	out, err := exec.Command("git", arguments...).Output()
	if err != nil {
		t.Skipf("no history here: git %s: %v", strings.Join(arguments, " "), err)
	}
	return strings.TrimSpace(string(out))
}
