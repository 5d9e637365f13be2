// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime/pprof"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/weftdb/weft/bench/loadgen"
)

// The program starts itself again for each peer that is Go code: the variable says what to be. Parent and child speak
// JSON, a value a line.
const roleVariable = "BENCH_ROLE"

// runRole does the work of a child process and reports whether this is one.
func runRole() bool {
	var err error
	switch role := os.Getenv(roleVariable); role {
	case "":
		return false
	case peerEcho:
		err = serveEcho(os.Stdin, os.Stdout)
	case peerPebble, peerEmbedded:
		err = serveInProcess(role, os.Stdin, os.Stdout)
	default:
		err = fmt.Errorf("%s=%s: there is no such role", roleVariable, role)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
	return true
}

// child is this program in another role.
type child struct {
	command *exec.Cmd
	input   io.WriteCloser
	encoder *json.Encoder
	decoder *json.Decoder
}

func startChild(role string) (*child, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	c := &child{command: exec.Command(program)}
	c.command.Env = append(os.Environ(), roleVariable+"="+role)
	c.command.Stderr = os.Stderr
	loadgen.EndWithParent(c.command)
	if c.input, err = c.command.StdinPipe(); err != nil {
		return nil, err
	}
	output, err := c.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	c.encoder, c.decoder = json.NewEncoder(c.input), json.NewDecoder(output)
	return c, c.command.Start()
}

// ask sends one value and reads the answer into reply.
func (c *child) ask(request, reply any) error {
	if err := c.encoder.Encode(request); err != nil {
		return fmt.Errorf("the process has ended: %w", err)
	}
	if err := c.decoder.Decode(reply); err != nil {
		return fmt.Errorf("the process gave no answer: %w", err)
	}
	return nil
}

// close lets the child end: it does when its input does.
func (c *child) close() error { return errors.Join(c.input.Close(), c.command.Wait()) }

// openEcho starts the bare server with the answers of another server.
func openEcho(c *config, source *httpPeer) (*httpPeer, error) {
	if source == nil {
		return nil, &loadgen.MissingError{Reason: "it gives the answers of weft or dynalite, and neither is here"}
	}
	answers := map[string]answer{}
	for _, operation := range c.Operations {
		if !can(source.name, operation) {
			continue
		}
		a, err := source.target.sample(operation)
		if err != nil {
			return nil, fmt.Errorf("taking an answer of %s to %s: %w", source.name, operation, err)
		}
		answers[apiName(operation)] = a
	}
	process, err := startChild(peerEcho)
	if err != nil {
		return nil, err
	}
	address := ""
	if err := process.ask(answers, &address); err != nil {
		return nil, errors.Join(err, process.close())
	}
	server := loadgen.Running(process.command, address, process.input)
	return &httpPeer{server, peerEcho, target{address: address, partitions: c.Partitions}}, nil
}

// order is the parent's command to an in-process peer.
type order struct {
	Dir        string `json:",omitempty"` // the first order: open and load
	Partitions int    `json:",omitempty"`
	Profile    string `json:",omitempty"` // write a CPU profile of the cell there
	Cell       loadgen.Cell
	Beside     string `json:",omitempty"` // an operation that besideClients run meanwhile
}

// besideClients is the number of clients that make the load beside a measurement.
const besideClients = 8

// reply is the peer's answer to an order.
type reply struct {
	Result loadgen.Result
	Beside float64 // operations/s of order.Beside
	Error  string
}

// inProcessPeer measures a database in the process that it is in.
type inProcessPeer struct {
	name    string
	process *child
	profile string
}

func openInProcess(c *config, name string) (*inProcessPeer, error) {
	process, err := startChild(name)
	if err != nil {
		return nil, err
	}
	p := &inProcessPeer{name: name, process: process}
	if _, err := p.order(order{Dir: c.folder(name), Partitions: c.Partitions}); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}

func (p *inProcessPeer) order(o order) (reply, error) {
	var r reply
	if err := p.process.ask(o, &r); err != nil {
		return reply{}, err
	}
	if r.Error != "" {
		return r, errors.New(r.Error)
	}
	return r, nil
}

// Name implements loadgen.Peer.
func (p *inProcessPeer) Name() string { return p.name }

// PID implements loadgen.Peer.
func (p *inProcessPeer) PID() int { return p.process.command.Process.Pid }

// Run implements loadgen.Peer. What the process measures includes the clients.
func (p *inProcessPeer) Run(_ context.Context, x loadgen.Cell) (loadgen.Result, error) {
	r, err := p.order(order{Cell: x, Profile: p.profile})
	return r.Result, err
}

// Profile makes the next cell write a CPU profile.
func (p *inProcessPeer) Profile(path string) error {
	p.profile = path
	return nil
}

// Close implements loadgen.Peer.
func (p *inProcessPeer) Close() error { return p.process.close() }

// database is the store that an in-process peer measures.
type runningDatabase interface {
	// Load makes the table.
	Load(ctx context.Context) error
	// Worker returns a client. Clients run at the same time.
	Worker(operation string, seed int) (loadgen.Worker, error)
	Close() error
}

// serveInProcess is the role of an in-process peer.
func serveInProcess(role string, in io.Reader, out io.Writer) (err error) {
	ctx := context.Background()
	decoder, encoder := json.NewDecoder(bufio.NewReader(in)), json.NewEncoder(out)
	var db runningDatabase
	defer func() {
		if db != nil {
			err = errors.Join(err, db.Close())
		}
	}()
	for {
		var o order
		if err := decoder.Decode(&o); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		var r reply
		if db == nil {
			db, err = openDatabase(ctx, role, o)
		} else {
			r, err = runInProcess(ctx, db, o)
		}
		if err != nil {
			r.Error = err.Error()
		}
		if err := encoder.Encode(r); err != nil {
			return err
		}
	}
}

func openDatabase(ctx context.Context, role string, o order) (db runningDatabase, err error) {
	if role == peerPebble {
		db, err = openRaw(o.Dir, o.Partitions)
	} else {
		db, err = openEmbedded(ctx, o.Dir, o.Partitions)
	}
	if err != nil {
		return nil, err
	}
	if err := db.Load(ctx); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// runInProcess measures one cell. Of the CPU time, what the loop itself takes is left out: it is measured by a short
// run of the same number of clients that draw their keys and do nothing.
func runInProcess(ctx context.Context, db runningDatabase, o order) (r reply, err error) {
	workers, err := loadgen.MakeWorkers(o.Cell.Clients,
		func(i int) (loadgen.Worker, error) { return db.Worker(o.Cell.Operation, i+1) })
	if err != nil {
		return reply{}, err
	}
	idle, err := loadgen.MakeWorkers(o.Cell.Clients,
		func(i int) (idleWorker, error) { return idleWorker{newPicker(1000, i)}, nil })
	if err != nil {
		return reply{}, err
	}
	bare, err := loadgen.Loop(ctx, idle, 0.1, ownCPU)
	if err != nil {
		return reply{}, err
	}
	stop, err := startBeside(db, o.Beside)
	if err != nil {
		return reply{}, err
	}
	defer func() {
		var besideErr error
		r.Beside, besideErr = stop()
		err = errors.Join(err, besideErr)
	}()
	if o.Profile != "" {
		file, err := os.Create(o.Profile)
		if err != nil {
			return reply{}, err
		}
		defer file.Close()
		if err := pprof.StartCPUProfile(file); err != nil {
			return reply{}, err
		}
		defer pprof.StopCPUProfile()
	}
	r.Result, err = loadgen.Loop(ctx, workers, o.Cell.Seconds, ownCPU)
	r.Result.CPUSeconds = max(r.Result.CPUSeconds-bare.CPUMicros()*float64(r.Result.Operations)/1e6, 0)
	return r, errors.Join(err, loadgen.CloseWorkers(workers))
}

// startBeside starts clients that nobody times. They run until the function it returns is called, which tells how many
// operations they did in a second.
func startBeside(db runningDatabase, operation string) (stop func() (rate float64, err error), err error) {
	if operation == "" {
		return func() (float64, error) { return 0, nil }, nil
	}
	workers, err := loadgen.MakeWorkers(besideClients,
		func(i int) (loadgen.Worker, error) { return db.Worker(operation, 1000+i) })
	if err != nil {
		return nil, err
	}
	var ended atomic.Bool
	var done atomic.Int64
	var group loadgen.Group
	begun := time.Now()
	for _, w := range workers {
		group.Run(func() error {
			for !ended.Load() {
				if err := w.Do(); err != nil {
					return err
				}
				done.Add(1)
			}
			return nil
		})
	}
	return func() (float64, error) {
		ended.Store(true)
		err := errors.Join(group.Wait(), loadgen.CloseWorkers(workers))
		return float64(done.Load()) / time.Since(begun).Seconds(), err
	}, nil
}

// idleWorker draws keys and does nothing.
type idleWorker struct{ picker picker }

// Do implements worker.
func (w idleWorker) Do() error {
	w.picker.next()
	return nil
}

// Close implements worker.
func (w idleWorker) Close() error { return nil }

// ownCPU returns the seconds of CPU that this process has used.
func ownCPU() float64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return float64(usage.Utime.Sec+usage.Stime.Sec) + float64(usage.Utime.Usec+usage.Stime.Usec)/1e6
}
