// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"errors"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// IsFull reports whether an error says that there is no space left: on the disk, or in a quota.
func IsFull(err error) bool { return vfs.IsNoSpaceError(err) || errors.Is(err, syscall.EDQUOT) }

// hunger is whether files that the store can't do without wait for space.
type hunger struct {
	mu      sync.Mutex
	waiting int
	begun   atomic.Pointer[chan struct{}] // closed while some wait
}

func (h *hunger) init() {
	begun := make(chan struct{})
	h.begun.Store(&begun)
}

func (h *hunger) begin() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.waiting++; h.waiting == 1 {
		close(*h.begun.Load())
	}
}

func (h *hunger) end() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.waiting--; h.waiting == 0 {
		h.init()
	}
}

// Hungry returns a channel that is closed as long as the log or another file that the store can't do without waits for
// space.
func (g *FS) Hungry() <-chan struct{} { return *g.hunger.begun.Load() }

// IsHungry reports whether such a file waits for space now.
func (g *FS) IsHungry() bool {
	select {
	case <-g.Hungry():
		return true
	default:
		return false
	}
}
