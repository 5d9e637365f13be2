// SPDX-License-Identifier: Apache-2.0

package kvtest

import (
	"context"
	"slices"
	"sync"

	"github.com/weftdb/weft/kv"
)

// Call is a kind of call that a FaultyStore counts and can make fail.
type Call string

// The kinds of calls. Those of Store, Reader and Txn that have the same name are one kind.
const (
	CallGet     Call = "get"
	CallGetMany Call = "get many"
	CallScan    Call = "scan" // opening a cursor; its first Next is false then
	CallNext    Call = "next" // one step of a cursor
	CallRead    Call = "read"
	CallBegin   Call = "begin"
	CallSet     Call = "set"
	CallDelete  Call = "delete"
	CallGuard   Call = "guard"
	CallCommit  Call = "commit"
	CallAdmin   Call = "admin" // any method of kv.Admin
)

// Fault makes calls of one kind fail.
type Fault struct {
	Call Call
	// Nth is which of the calls from now on fails, counted from 1. Default 0: all of them.
	Nth int
	// Err is what the call returns. It must not be nil.
	Err error
	// After lets a Commit take effect before it returns Err, as with kv.ErrUnknownOutcome. Default: the call doesn't reach the store, and a
	// transaction whose Commit fails is rolled back.
	After bool
}

// FaultyOptions configures a FaultyStore. The zero value works.
type FaultyOptions struct {
	// Faults are injected from the beginning. Default: none.
	Faults []Fault
}

// FaultyStore is a kv.Store that passes calls on to another and makes chosen ones fail. All methods are safe for concurrent use.
type FaultyStore struct {
	store kv.Store

	mu     sync.Mutex
	calls  map[Call]int
	faults []armed
}

// armed is a fault with the number of the call that it waits for; 0: all.
type armed struct {
	Fault
	number int
}

// Faulty wraps store. Closing the wrapper closes store.
func Faulty(store kv.Store, options FaultyOptions) *FaultyStore {
	f := &FaultyStore{store: store, calls: map[Call]int{}}
	for _, fault := range options.Faults {
		f.Inject(fault)
	}
	return f
}

// Inject adds a fault, counting calls from now on.
func (f *FaultyStore) Inject(fault Fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	a := armed{Fault: fault}
	if fault.Nth > 0 {
		a.number = f.calls[fault.Call] + fault.Nth
	}
	f.faults = append(f.faults, a)
}

// Heal removes all faults.
func (f *FaultyStore) Heal() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.faults = nil
}

// Calls returns how many calls of a kind were made, those that failed included.
func (f *FaultyStore) Calls(call Call) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.calls[call]
}

// count counts a call and returns its fault, if it has one. A fault of one call is used up by it.
func (f *FaultyStore) count(call Call) (fault Fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls[call]++
	for i, a := range f.faults {
		if a.Call == call && (a.number == 0 || a.number == f.calls[call]) {
			if a.number != 0 {
				f.faults = slices.Delete(f.faults, i, i+1)
			}
			return a.Fault
		}
	}
	return Fault{}
}

// Get is the store's Get. Errors: a fault's, the store's.
func (f *FaultyStore) Get(ctx context.Context, key, dst []byte) ([]byte, bool, error) {
	if err := f.count(CallGet).Err; err != nil {
		return dst, false, err
	}
	return f.store.Get(ctx, key, dst)
}

// Read is the store's Read. Errors: a fault's, the store's.
func (f *FaultyStore) Read(ctx context.Context) (kv.Reader, error) {
	if err := f.count(CallRead).Err; err != nil {
		return nil, err
	}
	r, err := f.store.Read(ctx)
	if err != nil {
		return nil, err
	}
	return &faultyReader{faultyView{f, r}, r}, nil
}

// Begin is the store's Begin. Errors: a fault's, the store's.
func (f *FaultyStore) Begin(ctx context.Context) (kv.Txn, error) {
	if err := f.count(CallBegin).Err; err != nil {
		return nil, err
	}
	txn, err := f.store.Begin(ctx)
	if err != nil {
		return nil, err
	}
	return &faultyTxn{faultyView{f, txn}, txn}, nil
}

// Limits returns the store's limits.
func (f *FaultyStore) Limits() kv.Limits { return f.store.Limits() }

// Close closes the store.
func (f *FaultyStore) Close() error { return f.store.Close() }

// Admin wraps the store's operator's side; all its methods count as CallAdmin.
func (f *FaultyStore) Admin(admin kv.Admin) kv.Admin {
	return &wrappedAdmin{admin, func(_ string, run func() error) error {
		if err := f.count(CallAdmin).Err; err != nil {
			return err
		}
		return run()
	}}
}

type faultyView struct {
	faults *FaultyStore
	view   view
}

func (v faultyView) Get(ctx context.Context, key, dst []byte) ([]byte, bool, error) {
	if err := v.faults.count(CallGet).Err; err != nil {
		return dst, false, err
	}
	return v.view.Get(ctx, key, dst)
}

func (v faultyView) GetMany(ctx context.Context, keys [][]byte, found func(int, []byte, bool) error) error {
	if err := v.faults.count(CallGetMany).Err; err != nil {
		return err
	}
	return v.view.GetMany(ctx, keys, found)
}

func (v faultyView) Scan(ctx context.Context, r kv.Range, reverse bool) kv.Cursor {
	err := v.faults.count(CallScan).Err
	return &faultyCursor{Cursor: v.view.Scan(ctx, r, reverse), faults: v.faults, err: err}
}

type faultyReader struct {
	faultyView
	reader kv.Reader
}

func (r *faultyReader) Close() error { return r.reader.Close() }

type faultyTxn struct {
	faultyView
	txn kv.Txn
}

func (t *faultyTxn) Set(key, value []byte) error {
	if err := t.faults.count(CallSet).Err; err != nil {
		return err
	}
	return t.txn.Set(key, value)
}

func (t *faultyTxn) Delete(key []byte) error {
	if err := t.faults.count(CallDelete).Err; err != nil {
		return err
	}
	return t.txn.Delete(key)
}

func (t *faultyTxn) Guard(key []byte) error {
	if err := t.faults.count(CallGuard).Err; err != nil {
		return err
	}
	return t.txn.Guard(key)
}

func (t *faultyTxn) Commit(ctx context.Context) error {
	fault := t.faults.count(CallCommit)
	if fault.Err == nil {
		return t.txn.Commit(ctx)
	}
	if !fault.After {
		t.txn.Rollback()
		return fault.Err
	}
	if err := t.txn.Commit(ctx); err != nil {
		return err
	}
	return fault.Err
}

func (t *faultyTxn) Rollback() { t.txn.Rollback() }

type faultyCursor struct {
	kv.Cursor
	faults *FaultyStore
	err    error
}

func (c *faultyCursor) Next() bool {
	if c.err == nil {
		c.err = c.faults.count(CallNext).Err
	}
	return c.err == nil && c.Cursor.Next()
}

func (c *faultyCursor) Close() error {
	if err := c.Cursor.Close(); c.err == nil {
		return err
	}
	return c.err
}
