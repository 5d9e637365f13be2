// SPDX-License-Identifier: Apache-2.0

package operator

import (
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
	// shareStep is how much more of the server's memory is held than is in use, at most, until all is given back.
	shareStep = 1 << 20
)

// Budget is the memory that the operators of one statement share. Its zero value is 64 MiB without temporary files. It
// is used by one goroutine.
type Budget struct {
	// BytesMax is how much the statement may hold; default 64 MiB.
	BytesMax int64
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

// Used is how much is held.
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

// full is the error of an operator that finds no memory and has no folder.
func (b *Budget) full(what string) error {
	return fault.New(fault.OutOfMemory, fmt.Sprintf(
		"The estimated memory used by the query exceeds the maximum limit: %s needs more than the rest of this statement's %d bytes, or of the memory of all statements "+
			"(--sql-memory); narrow the condition, or set a folder for temporary files", what, b.limit()))
}

// share is one operator's part of a budget: at most half of the memory that was free when it began, so that later
// operators also get some.
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
	h.most = (b.limit() - b.used) / 2
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
