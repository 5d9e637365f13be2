// SPDX-License-Identifier: Apache-2.0

// Package gateway tests several gateways over one store: each is a weft.DB with a handle of its own, which can vanish
// or stand still like a process.
//
// Knows: package database, the engines that can be shared.
// Never: how gateways agree.
package gateway

import (
	"context"
	"errors"
	"sync"

	"github.com/weftdb/weft/kv"
)

// errDead is what a process that has vanished gets of its store: nobody hears of it.
var errDead = errors.New("the process has vanished")

// process is a handle of a shared store, as one process has it, which can vanish or stand still at every call.
type process struct {
	kv.Store
	shared kv.Shared

	mu     sync.Mutex
	paused chan struct{} // closed when it goes on; nil: it runs
	dead   bool
	// atCommit, if not nil, is closed when the process stands still at its next commit.
	atCommit chan struct{}
}

func newProcess(store kv.Store) *process {
	shared, ok := kv.SharedOf(store)
	if !ok {
		panic("the store can't be shared")
	}
	return &process{Store: store, shared: shared}
}

// kill lets the process vanish: no call comes back with anything from now on.
func (p *process) kill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.dead = true
	if p.paused != nil {
		close(p.paused)
		p.paused = nil
	}
}

// pause lets the process stand still until resume.
func (p *process) pause() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.paused == nil && !p.dead {
		p.paused = make(chan struct{})
	}
}

// pauseAtCommit lets the process stand still from its next commit of a row on, which closes what is returned.
func (p *process) pauseAtCommit() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.atCommit = make(chan struct{})
	return p.atCommit
}

// commits is passed before each commit.
func (p *process) commits(rows bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.atCommit != nil && rows {
		close(p.atCommit)
		p.atCommit = nil
		p.paused = make(chan struct{})
	}
}

func (p *process) resume() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.paused != nil {
		close(p.paused)
		p.paused = nil
	}
}

// step is passed before and after every call.
func (p *process) step() error {
	for {
		p.mu.Lock()
		paused, dead := p.paused, p.dead
		p.mu.Unlock()
		if dead {
			return errDead
		}
		if paused == nil {
			return nil
		}
		<-paused
	}
}

// call runs a call between two steps.
func (p *process) call(f func() error) error {
	if err := p.step(); err != nil {
		return err
	}
	err := f()
	return errors.Join(p.step(), err)
}

func (p *process) Fence(until func() int64) { p.shared.Fence(until) }

func (p *process) NowMS(ctx context.Context) (now int64, err error) {
	err = p.call(func() error { now, err = p.shared.NowMS(ctx); return err })
	return now, err
}

func (p *process) Get(ctx context.Context, key, dst []byte) (value []byte, ok bool, err error) {
	if err := p.step(); err != nil {
		return nil, false, err
	}
	return p.Store.Get(ctx, key, dst)
}

func (p *process) Read(ctx context.Context) (kv.Reader, error) {
	if err := p.step(); err != nil {
		return nil, err
	}
	reader, err := p.Store.Read(ctx)
	if err != nil {
		return nil, err
	}
	return &processReader{reader, p}, nil
}

func (p *process) Begin(ctx context.Context) (kv.Txn, error) {
	if err := p.step(); err != nil {
		return nil, err
	}
	txn, err := p.Store.Begin(ctx)
	if err != nil {
		return nil, err
	}
	return &processTxn{Txn: txn, process: p}, nil
}

type processReader struct {
	kv.Reader
	process *process
}

func (r *processReader) Scan(ctx context.Context, bounds kv.Range, reverse bool) kv.Cursor {
	if r.process.step() != nil {
		ctx = canceled()
	}
	return r.Reader.Scan(ctx, bounds, reverse)
}

func (r *processReader) Get(ctx context.Context, key, dst []byte) ([]byte, bool, error) {
	if err := r.process.step(); err != nil {
		return nil, false, err
	}
	return r.Reader.Get(ctx, key, dst)
}

type processTxn struct {
	kv.Txn
	process *process
	rows    bool // writes rows
}

func (t *processTxn) Set(key, value []byte) error {
	t.rows = t.rows || key[0] == 0x20
	return t.Txn.Set(key, value)
}

func (t *processTxn) Scan(ctx context.Context, bounds kv.Range, reverse bool) kv.Cursor {
	if t.process.step() != nil {
		ctx = canceled()
	}
	return t.Txn.Scan(ctx, bounds, reverse)
}

func (t *processTxn) Get(ctx context.Context, key, dst []byte) ([]byte, bool, error) {
	if err := t.process.step(); err != nil {
		return nil, false, err
	}
	return t.Txn.Get(ctx, key, dst)
}

func (t *processTxn) Commit(ctx context.Context) error {
	t.process.commits(t.rows)
	return t.process.call(func() error { return t.Txn.Commit(ctx) })
}

func canceled() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}

func (p *process) StampsInOrder() bool {
	stamps, ok := kv.StampsOf(p.Store)
	return ok && stamps.StampsInOrder()
}

func (p *process) StampAfter(stamp uint64) {
	if stamps, ok := kv.StampsOf(p.Store); ok {
		stamps.StampAfter(stamp)
	}
}

// stamper is that of the transaction below, which each of the engines has.
func (t *processTxn) stamper() kv.Stamper {
	stamper, ok := kv.StamperOf(t.Txn)
	if !ok {
		panic("the engine has no stamps")
	}
	return stamper
}

func (t *processTxn) SetStamped(key []byte, at int, value []byte) error {
	return t.stamper().SetStamped(key, at, value)
}

func (t *processTxn) Stamped(key []byte) ([]byte, bool) { return t.stamper().Stamped(key) }
func (t *processTxn) StampsInOrder() bool               { return t.stamper().StampsInOrder() }
