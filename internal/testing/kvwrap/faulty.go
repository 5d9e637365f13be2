// SPDX-License-Identifier: Apache-2.0

package kvwrap

import (
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

	callUncounted Call = "" // Close and Rollback: they don't fail
)

// Fault makes calls of one kind fail.
type Fault struct {
	Call Call
	// Nth is which of the calls from now on fails, counted from 1. Default 0: all of them.
	Nth int
	// Err is the error that the call returns. It must not be nil.
	Err error
	// After lets the call take effect before it returns Err, as a Commit with kv.ErrUnknownOutcome may. Default: the
	// call doesn't reach the store, and a transaction whose Commit fails is rolled back.
	After bool
}

// FaultyOptions configures a FaultyStore. The zero value works.
type FaultyOptions struct {
	// Faults are injected from the beginning. Default: none.
	Faults []Fault
}

// FaultyStore is a kv.Store that passes calls on to another and makes chosen ones fail. All methods are safe for
// concurrent use.
type FaultyStore struct {
	wrapper

	mu     sync.Mutex
	calls  map[Call]int
	faults []armedFault
}

// armedFault is a fault with the number of the call that it waits for; 0: all.
type armedFault struct {
	Fault
	number int
}

// Faulty wraps store. Closing the wrapper closes store.
func Faulty(store kv.Store, options FaultyOptions) *FaultyStore {
	f := &FaultyStore{calls: map[Call]int{}}
	f.wrapper = wrapper{store: store, call: f.call}
	for _, fault := range options.Faults {
		f.Inject(fault)
	}
	return f
}

// call makes a call unless it's to fail.
func (f *FaultyStore) call(kind Call, _ string, run func() (string, error)) error {
	fault := f.count(kind)
	if fault.Err != nil && !fault.After {
		return fault.Err
	}
	if _, err := run(); err != nil {
		return err
	}
	return fault.Err
}

// Inject adds a fault, counting calls from now on.
func (f *FaultyStore) Inject(fault Fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	a := armedFault{Fault: fault}
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
