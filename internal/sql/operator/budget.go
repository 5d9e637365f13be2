// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/weftdb/weft/internal/resource/memory"
	"github.com/weftdb/weft/internal/resource/spill"
	"github.com/weftdb/weft/internal/sql/fault"
)

const (
	// bytesDefault is a statement's memory if nothing is said.
	bytesDefault = 64 << 20
	// bytesFree is the memory that each operator may hold without asking, so that it makes progress when others hold
	// the rest.
	bytesFree = 64 << 10
	// shareStep is the largest difference between the server's memory that is held and that is in use, until all is
	// given back.
	shareStep = 1 << 20
)

// Budget is the memory that the operators of one statement share. Its zero value is 64 MiB without temporary files. It
// is used by one goroutine.
type Budget struct {
	// BytesMax is the number of bytes that the statement may hold, and Setting the variable that says so; default 64
	// MiB, which group_buffer_size says.
	BytesMax int64
	Setting  string
	// SortBytesMax is the memory of one sort (sort_buffer_size), beside BytesMax; 0: a sort shares that.
	SortBytesMax int64
	// Undivided lets an operator hold all that is free, where half of it is left for later ones.
	Undivided bool
	// Spill is the folder for temporary files; nil: what does not fit is an error.
	Spill *spill.Folder
	// Memory is the budget of all statements; nil: no bound.
	Memory *memory.Budget

	share memory.Share
	used  int64
}

func (b *Budget) limit() int64 {
	if b.BytesMax <= 0 {
		return bytesDefault
	}
	return b.BytesMax
}

// Used returns the number of bytes held.
func (b *Budget) Used() int64 { return b.used }

func (b *Budget) take(n int64) bool {
	b.share.Of = b.Memory
	if b.used+n > b.limit() || !b.share.Hold(b.used+n) {
		return false
	}
	b.used += n
	return true
}

func (b *Budget) give(n int64) {
	b.used -= n
	if b.Memory != nil && (b.used == 0 || b.share.Held() > b.used+shareStep) {
		b.share.Shrink(b.used)
	}
}

// errFull is the cause of full's errors.
var errFull = errors.New("operator: the statement's memory is used up")

// full is the error of an operator that finds no memory and has no folder.
func (b *Budget) full(what string) error {
	return fault.Because(errFull, fault.OutOfMemory, fmt.Sprintf(
		"The estimated memory used by the query exceeds the maximum limit: %s needs more than "+
			"%s, %d bytes, or more than all statements leave free (--sql-memory); narrow the condition, "+
			"group by what the key or an index is ordered by, raise %[2]s, or set a folder for temporary files",
		what, b.setting(), b.limit()))
}

func (b *Budget) setting() string { return cmp.Or(b.Setting, "group_buffer_size") }

// share is one operator's part of a budget: at most half of the memory that was free when it began, so that later
// operators also get some, unless the budget is Undivided.
type share struct {
	of         *Budget
	held, most int64
	free       int64 // held without asking
	counts     *Counts
}

func (h *share) begin(b *Budget, counts *Counts) {
	if b == nil {
		b = new(Budget)
	}
	h.of, h.counts = b, counts
	if h.most = b.limit() - b.used; !b.Undivided {
		h.most /= 2
	}
}

// take takes n bytes, or says false.
func (h *share) take(n int64) bool {
	switch {
	case h.free+n <= bytesFree:
		h.free += n
	case h.held+n > h.most || !h.of.take(n):
		return false
	default:
		h.held += n
	}
	if total := h.held + h.free; total > h.counts.MemoryPeak {
		h.counts.MemoryPeak = total
	}
	return true
}

// release gives all back.
func (h *share) release() {
	if h.of != nil {
		h.of.give(h.held)
	}
	h.held, h.free = 0, 0
}
